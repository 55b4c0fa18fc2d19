/* From geoms that are near each other to contact joints, in an order that depends on nothing but the geoms' ids. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* A pair of materials as contacts need it, worked out once. */
pair_surface prepare_surface(const kernel *k, const surface *s)
{
    const double mu2 = isnan(s->mu2) ? s->mu : s->mu2;
    pair_surface pair = {
        .mu = s->mu, .mu2 = mu2, .slip = s->slip, .slip2 = s->slip2, .rolling = s->rolling, .spinning = s->spinning,
        .bounce = s->bounce, .bounce_velocity = s->bounce_velocity,
        .erp = isnan(s->soft_erp) ? k->erp : s->soft_erp,
        .cfm = isnan(s->soft_cfm) ? k->cfm : s->soft_cfm,
        .anisotropic = mu2 != s->mu || s->slip2 != s->slip,
        .springy = s->soft_cfm > 0 || s->stiffness > 0, /* NaN is not */
    };
    if (s->stiffness > 0) {
        /* A spring and a damper, taken at the step's end: so they stay stable, however stiff they are. */
        pair.cfm = 1 / (k->step * s->stiffness + s->damping);
        pair.erp = k->step * s->stiffness * pair.cfm;
    }
    return pair;
}

/* Merge sort from runs of 8: the keys are distinct, and hundreds of pairs must cost little. */
void sort_pairs(kernel *k)
{
    const int n = k->pair_count;
    near_pair *from = k->pairs, *to = k->pairs_scratch;
    for (int start = 0; start < n; start += 8) {
        const int end = start + 8 < n ? start + 8 : n;
        for (int i = start + 1; i < end; i++) {
            const near_pair pair = from[i];
            int place = i;
            for (; place > start && from[place - 1].key > pair.key; place--) from[place] = from[place - 1];
            from[place] = pair;
        }
    }
    for (int width = 8; width < n; width *= 2) {
        for (int start = 0; start < n; start += 2 * width) {
            const int middle = start + width < n ? start + width : n, end = middle + width < n ? middle + width : n;
            int left = start, right = middle;
            for (int i = start; i < end; i++)
                to[i] = left < middle && (right >= end || from[left].key < from[right].key) ? from[left++] : from[right++];
        }
        near_pair *swapped = from;
        from = to, to = swapped;
    }
    k->pairs = from, k->pairs_scratch = to;
}

static void record(kernel *k, const near_pair *pair, const dContactGeom *at, const pair_surface *surface)
{
    contact_record *kept = &k->contacts[k->contact_count++];
    kept->pair = pair;
    kept->key = pair->key;
    memcpy(kept->position, at->pos, sizeof kept->position);
    memcpy(kept->normal, at->normal, sizeof kept->normal);
    kept->depth = at->depth;
    kept->first = pair->lower->body, kept->second = pair->higher->body;
    memset(kept->force, 0, sizeof kept->force);
    kept->surface = surface;
}

/* A wheel with rollers stands on one of them: of several contacts with one thing it has the mean. */
static int merged(dContactGeom *found, int count)
{
    for (int i = 1; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) found[0].pos[axis] += found[i].pos[axis];
        found[0].depth += found[i].depth;
    }
    for (int axis = 0; axis < 3; axis++) found[0].pos[axis] /= count;
    found[0].depth /= count;
    return 1;
}

/* Where two geoms touch, at up to MAX_CONTACTS_PER_PAIR places. */
int collide(const geom *first, const geom *second, dContactGeom *found)
{
    if (first->hull && second->hull) return collide_hulls(first, second, found);
    const bool mesh = first->mesh || second->mesh;
    if (mesh) lock_globals();
    const int count = dCollide(first->ode, second->ode, MAX_CONTACTS_PER_PAIR, found, sizeof *found);
    if (mesh) unlock_globals();
    return count;
}

static bool immovable(const geom *g) { return !g->body || g->body->kinematic; }

void make_contacts(kernel *k)
{
    dContactGeom found[MAX_CONTACTS_PER_PAIR];
    k->contact_count = 0;
    bool unsolved = false;
    int look_at = k->contact_limit ? k->contact_limit : INT_MAX;
    for (int i = 0; i < k->pair_count; i++) {
        const near_pair *pair = k->current = &k->pairs[i];
        const geom *lower = pair->lower, *higher = pair->higher;
        int count = collide(lower, higher, found);
        if (!count) continue;
        if (count > 1 && (lower->roller_radius > 0 || higher->roller_radius > 0)) count = merged(found, count);
        const bool solved = !(immovable(lower) && immovable(higher)); /* else they touch, and nobody gives way */
        const pair_surface *surface = &k->surfaces[lower->material * k->materials + higher->material];
        k->contacts = grown(k->contacts, &k->contact_capacity, k->contact_count + count, sizeof *k->contacts);
        for (int j = 0; j < count; j++) record(k, pair, &found[j], solved ? surface : NULL);
        if (k->contact_count > look_at) look_at = check_contact_budget(k);
        unsolved |= !solved;
    }
    if (unsolved) press_unsolved(k);
}

int kernel_contact_count(kernel *k) { return k->contact_count; }

void kernel_contacts(kernel *k, int64_t *ids, double *positions, double *normals, double *depths)
{
    for (int i = 0; i < k->contact_count; i++) {
        const contact_record *kept = &k->contacts[i];
        ids[2 * i] = (int64_t)(kept->key >> 32);
        ids[2 * i + 1] = (int64_t)(kept->key & 0xffffffffu);
        memcpy(positions + 3 * i, kept->position, sizeof kept->position);
        memcpy(normals + 3 * i, kept->normal, sizeof kept->normal);
        depths[i] = kept->depth;
    }
}
