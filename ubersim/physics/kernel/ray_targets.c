/* What rays may hit, as boxes in boxes: a group is what one owner brought along, its parts are bodies, and these have geoms. A ray
   looks at a robot's bodies only if it passes the robot's box, and at ODE's shapes only if it passes the body's. */
#include <math.h>
#include <string.h>

#include "kernel.h"

enum { WORLD_OWNER = 0, LARGEST_WORLD_GROUP = 8 }; /* what nobody brought along lies anywhere: small groups of neighbours in the file */

static const double NOTHING[6] = {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY};

/* Each part is a run of geoms of one body, or one static geom; each group is a run of parts of one owner. */
static void make_parts(kernel *k)
{
    ray_targets *const t = &k->targets;
    t->part_count = t->group_count = 0;
    const geom *last = NULL;
    for (int i = 0; i < k->geoms.count; last = k->geoms.items[i++]) {
        const geom *const g = k->geoms.items[i];
        const bool same_owner = last && g->owner == last->owner;
        if (same_owner && g->body && g->body == last->body) {
            t->parts[t->part_count - 1].count++;
            continue;
        }
        if (!same_owner || (g->owner == WORLD_OWNER && t->groups[t->group_count - 1].count == LARGEST_WORLD_GROUP)) {
            t->groups = grown(t->groups, &t->group_capacity, t->group_count + 1, sizeof *t->groups);
            t->groups[t->group_count++] = (ray_group){.owner = g->owner, .first = t->part_count};
        }
        t->groups[t->group_count - 1].count++;
        t->parts = grown(t->parts, &t->part_capacity, t->part_count + 1, sizeof *t->parts);
        ray_part *const part = &t->parts[t->part_count++];
        *part = (ray_part){.body = g->body, .first = i, .count = 1};
        if (!g->body) dGeomGetAABB(g->ode, part->bounds);
    }
    t->fresh = true;
}

/* To where the bodies are now. A body's box is that of the sphere around it: ODE's own boxes would have to be computed for every
   geom that moved, whether a ray comes near it or not. */
void fit_targets(kernel *k)
{
    ray_targets *const t = &k->targets;
    if (!t->fresh) make_parts(k);
    for (ray_group *group = t->groups; group < t->groups + t->group_count; group++) {
        memcpy(group->bounds, NOTHING, sizeof NOTHING);
        for (ray_part *part = t->parts + group->first; part < t->parts + group->first + group->count; part++)
            for (int i = 0; i < 3; i++) {
                if (part->body) {
                    part->bounds[2 * i] = part->body->position[i] - part->body->reach;
                    part->bounds[2 * i + 1] = part->body->position[i] + part->body->reach;
                }
                if (part->bounds[2 * i] < group->bounds[2 * i]) group->bounds[2 * i] = part->bounds[2 * i];
                if (part->bounds[2 * i + 1] > group->bounds[2 * i + 1]) group->bounds[2 * i + 1] = part->bounds[2 * i + 1];
            }
    }
}
