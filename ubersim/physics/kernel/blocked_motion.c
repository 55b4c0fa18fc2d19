/* How far bodies that are told how to move get in a step, before something is in their way that does not give way. */
#include <math.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

static const double HAIR = 1e-4; /* [m]: so deep they may get, so that what they stop at is touched */
static const double SAME = 1e-9; /* [m]: deeper than before by less than that is as deep as before */
enum { MOST_LOOKS = 64, HALVINGS = 30 };

typedef struct {
    double position[3], quaternion[4], rotation[9], linear[3], angular[3];
} place;

/* A geom that moves, one that may be in its way, and how deep they were in each other at the beginning. */
typedef struct {
    const geom *mover, *obstacle;
    double depth;
} meeting;

static void remember(const body *b, place *p)
{
    memcpy(p->position, b->position, sizeof p->position);
    memcpy(p->quaternion, b->quaternion, sizeof p->quaternion);
    for (int row = 0; row < 3; row++) memcpy(p->rotation + 3 * row, b->rotation + 4 * row, 3 * sizeof(double));
    memcpy(p->linear, b->linear, sizeof p->linear);
    memcpy(p->angular, b->angular, sizeof p->angular);
}

static void put_back(body *b, const place *p)
{
    place_body(b, p->position, p->quaternion, p->rotation, p->linear, p->angular);
}

/* Where it is after that time, from where it was. */
static void advance_to(body *b, const place *p, double time)
{
    double position[3];
    put_back(b, p);
    for (int i = 0; i < 3; i++) position[i] = p->position[i] + time * p->linear[i];
    turn_body(b, p->angular, time);
    dBodySetPosition(b->ode, position[0], position[1], position[2]);
}

static double depth_of(const geom *a, const geom *b)
{
    dContactGeom found[MAX_CONTACTS_PER_PAIR];
    const int count = collide(a, b, found);
    double deepest = 0;
    for (int i = 0; i < count; i++) deepest = fmax(deepest, found[i].depth);
    return deepest;
}

static bool in_the_way(const geom *g, int32_t owner) { return g->owner != owner && (!g->body || g->body->kinematic); }

/* How far any of its points gets in a time. */
static double way_of(const body *b, double time)
{
    return time * (sqrt(dot3(b->linear, b->linear)) + sqrt(dot3(b->angular, b->angular)) * b->reach);
}

/* A box in ODE's order, grown on all sides. */
static void box_of(const geom *g, double margin, dReal *box)
{
    dGeomGetAABB(g->ode, box);
    for (int i = 0; i < 6; i += 2) box[i] -= margin, box[i + 1] += margin;
}

static bool boxes_meet(const dReal *a, const dReal *b)
{
    for (int i = 0; i < 6; i += 2)
        if (a[i] > b[i + 1] || b[i] > a[i + 1]) return false;
    return true;
}

typedef struct {
    const geom *geom;
    dReal box[6]; /* of its whole way */
} mover;

/* The geoms of bodies, all of which are of one owner, and the box that holds them all. */
static int find_movers(kernel *k, int count, body **bodies, mover *movers, dReal *all)
{
    int found = 0;
    for (int i = 0; i < 6; i += 2) all[i] = INFINITY, all[i + 1] = -INFINITY;
    for (int n = 0; n < k->geoms.count; n++) {
        const geom *g = k->geoms.items[n];
        if (g->owner != bodies[0]->owner || !g->body) continue;
        for (int i = 0; i < count; i++) {
            if (g->body != bodies[i]) continue;
            mover *m = &movers[found++];
            m->geom = g;
            box_of(g, way_of(g->body, k->step) + HAIR, m->box);
            for (int side = 0; side < 6; side += 2)
                all[side] = fmin(all[side], m->box[side]), all[side + 1] = fmax(all[side + 1], m->box[side + 1]);
            break;
        }
    }
    return found;
}

/* Which geoms may meet within the step. */
static int find_meetings(kernel *k, int count, body **bodies, meeting **meetings)
{
    int found = 0, capacity = 64;
    dReal all[6], box[6];
    mover *movers = borrow(&k->memory, (size_t)k->geoms.count * sizeof *movers);
    *meetings = borrow(&k->memory, (size_t)capacity * sizeof **meetings);
    const int moving = find_movers(k, count, bodies, movers, all);
    for (int n = 0; n < k->geoms.count; n++) {
        const geom *other = k->geoms.items[n];
        if (!in_the_way(other, bodies[0]->owner)) continue;
        box_of(other, other->body ? way_of(other->body, k->step) : 0, box);
        if (!boxes_meet(all, box)) continue;
        for (int i = 0; i < moving; i++) {
            if (!boxes_meet(movers[i].box, box)) continue;
            if (found == capacity) {
                meeting *larger = borrow(&k->memory, (size_t)capacity * 2 * sizeof *larger);
                memcpy(larger, *meetings, (size_t)found * sizeof *larger);
                *meetings = larger, capacity *= 2;
            }
            (*meetings)[found++] = (meeting){movers[i].geom, other, 0};
        }
    }
    return found;
}

/* What moves, from where, and what it may meet. */
typedef struct {
    int count, met;
    body **bodies;
    const place *places;
    const meeting *meetings;
} way;

/* Whether one of them is too deep in what it meets: deeper than a hair, and than it was, by more than the tolerance. */
static bool blocked_at(const kernel *k, const way *w, double share, double tolerance)
{
    for (int i = 0; i < w->count; i++) advance_to(w->bodies[i], &w->places[i], share * k->step);
    for (int i = 0; i < w->met; i++)
        if (depth_of(w->meetings[i].mover, w->meetings[i].obstacle) > fmax(HAIR, w->meetings[i].depth) + tolerance) return true;
    return false;
}

/* The largest share that is free: the first look that is blocked is halved towards the last one that was not. */
static double search(const kernel *k, const way *w)
{
    double longest = 0, smallest = INFINITY;
    for (int i = 0; i < w->count; i++)
        longest = fmax(longest, way_of(w->bodies[i], k->step)), smallest = fmin(smallest, w->bodies[i]->reach);
    const double wanted = ceil(longest / (0.25 * smallest));
    const int looks = wanted < 1 ? 1 : wanted > MOST_LOOKS ? MOST_LOOKS : (int)wanted;
    for (int look = 1; look <= looks; look++) {
        double high = (double)look / looks, low = (double)(look - 1) / looks;
        if (!blocked_at(k, w, high, SAME)) continue;
        for (int i = 0; i < HALVINGS; i++) {
            const double middle = 0.5 * (low + high);
            if (blocked_at(k, w, middle, 0)) /* without the tolerance, or it would creep on by that much in every step */
                high = middle;
            else
                low = middle;
        }
        return low;
    }
    return 1;
}

/* Those of others move, too: they are looked at where they will be. */
static void advance_obstacles(kernel *k, const meeting *meetings, int met, place *places)
{
    for (int i = 0; i < met; i++) {
        body *b = meetings[i].obstacle->body;
        if (!b) continue;
        remember(b, &places[i]);
    }
    for (int i = 0; i < met; i++) {
        body *b = meetings[i].obstacle->body;
        if (b) advance_to(b, &places[i], k->step);
    }
}

int kernel_free_share(kernel *k, int count, body **bodies, double *share)
{
    *share = 1;
    if (k->broken) return KERNEL_BROKEN;
    meeting *volatile meetings = NULL;
    place *volatile places = NULL;
    volatile int met = 0;
    volatile bool failed = false;
    give_back(&k->memory);
    if (ODE_FAILED()) {
        guard_report(k);
        unlock_globals();
        failed = true;
    } else {
        meeting *found;
        const int near = find_meetings(k, count, bodies, &found);
        meetings = found;
        if (near) {
            places = borrow(&k->memory, (size_t)(count + near) * sizeof *places);
            for (int i = 0; i < count; i++) remember(bodies[i], &places[i]);
            advance_obstacles(k, found, near, places + count);
            met = near;
            for (int i = 0; i < near; i++) found[i].depth = depth_of(found[i].mover, found[i].obstacle);
            const way w = {count, near, bodies, places, found};
            *share = search(k, &w);
        }
        guard_clear();
    }
    for (int i = 0; i < met; i++)
        if (meetings[i].obstacle->body) put_back(meetings[i].obstacle->body, &places[count + i]);
    for (int i = 0; met && i < count; i++) put_back(bodies[i], &places[i]);
    return failed ? KERNEL_REFUSED : KERNEL_FINE;
}
