/* Which geoms are near each other. A robot is one box until something comes near: groups of geoms are swept along x, as boxes, and only those
   that meet are looked into. The order of the sweep depends on its history; the set of pairs does not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum { WORLD_OWNER = 0, MOST_PAIRS = 1 << 22 };

static const double NOTHING[6] = {INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY};

/* ODE's order: min x, max x, min y, ... */
static inline bool meet(const double *a, const double *b)
{
    return a[0] <= b[1] && b[0] <= a[1] && a[2] <= b[3] && b[2] <= a[3] && a[4] <= b[5] && b[4] <= a[5];
}

static inline void widen(double *bounds, const double *box)
{
    for (int i = 0; i < 6; i += 2) {
        if (box[i] < bounds[i]) bounds[i] = box[i];
        if (box[i + 1] > bounds[i + 1]) bounds[i + 1] = box[i + 1];
    }
}

static bool may_collide(const geom *a, const geom *b)
{
    if (a->body == b->body) return false; /* also: both are static */
    if (a->owner == b->owner && !(a->self_collides && b->self_collides)) return false;
    if (!a->body || !b->body || !a->body->has_joints || !b->body->has_joints) return true;
    return !dAreConnected(a->body->ode, b->body->ode);
}

static void note_pair(kernel *k, geom *lower, geom *higher)
{
    if (!may_collide(lower, higher)) return;
    if (lower->id > higher->id) {
        geom *swapped = lower;
        lower = higher, higher = swapped;
    }
    if (k->pair_count == k->pair_capacity) {
        if (k->pair_capacity > MOST_PAIRS / 2) give_up(k, -1, "more than %d pairs of shapes are near each other", k->pair_capacity);
        int capacity = k->pair_capacity;
        k->pairs_scratch = grown(k->pairs_scratch, &capacity, k->pair_count + 1, sizeof *k->pairs);
        k->pairs = grown(k->pairs, &k->pair_capacity, k->pair_count + 1, sizeof *k->pairs);
    }
    k->pairs[k->pair_count++] = (near_pair){(uint64_t)lower->id << 32 | higher->id, lower, higher};
}

static void bound(kernel *k, int index)
{
    k->bounded = k->geoms.items[index]; /* what fails here can be told */
    dGeomGetAABB(k->bounded->ode, k->near.boxes + 6 * index);
}

static void fit(kernel *k, near_group *group)
{
    memcpy(group->bounds, NOTHING, sizeof NOTHING);
    for (int i = group->first; i < group->first + group->count; i++) {
        if (!group->still) bound(k, i);
        widen(group->bounds, k->near.boxes + 6 * i);
    }
}

static int by_start(const void *one, const void *other)
{
    const near_group *a = one, *b = other;
    return a->bounds[0] < b->bounds[0] ? -1 : a->bounds[0] > b->bounds[0] ? 1 : a->first - b->first;
}

static bool belong_together(const geom *a, const geom *b)
{
    return a->body && b->body && a->owner == b->owner && (a->owner != WORLD_OWNER || a->body == b->body);
}

/* Once geoms have come or gone. What never moves is fitted and sorted here for good, and what has no end comes first. */
static void arrange(kernel *k)
{
    near_groups *n = &k->near;
    n->boxes = grown(n->boxes, &n->box_capacity, 6 * k->geoms.count, sizeof *n->boxes);
    n->groups = grown(n->groups, &n->capacity, k->geoms.count, sizeof *n->groups);
    n->count = n->stills = n->endless = 0;
    for (int still = 1; still >= 0; still--)
        for (int i = 0; i < k->geoms.count; i++) {
            const geom *g = k->geoms.items[i];
            if ((g->body == NULL) != still) continue;
            bound(k, i);
            if (i && belong_together(g, k->geoms.items[i - 1]))
                n->groups[n->count - 1].count++;
            else
                n->groups[n->count++] = (near_group){.first = i, .count = 1, .still = still};
            if (still) n->stills = n->count;
        }
    for (int i = 0; i < n->count; i++) fit(k, &n->groups[i]);
    qsort(n->groups, (size_t)n->stills, sizeof *n->groups, by_start);
    qsort(n->groups + n->stills, (size_t)(n->count - n->stills), sizeof *n->groups, by_start);
    while (n->endless < n->stills && n->groups[n->endless].bounds[0] == -INFINITY) n->endless++;
    double reach = -INFINITY;
    for (int i = n->endless; i < n->stills; i++) n->groups[i].reach = reach = fmax(reach, n->groups[i].bounds[1]);
    n->fresh = true;
}

/* What moves keeps nearly the order that it had. */
static void sort_movers(near_groups *n)
{
    for (int i = n->stills + 1; i < n->count; i++) {
        if (n->groups[i - 1].bounds[0] <= n->groups[i].bounds[0]) continue;
        const near_group moved = n->groups[i];
        int place = i;
        for (; place > n->stills && n->groups[place - 1].bounds[0] > moved.bounds[0]; place--) n->groups[place] = n->groups[place - 1];
        n->groups[place] = moved;
    }
}

/* Geoms of two groups. */
static void look_between(kernel *k, const near_group *one, const near_group *other)
{
    const double *boxes = k->near.boxes;
    if (!meet(one->bounds, other->bounds)) return;
    for (int i = one->first; i < one->first + one->count; i++) {
        if (!meet(boxes + 6 * i, other->bounds)) continue;
        for (int j = other->first; j < other->first + other->count; j++)
            if (meet(boxes + 6 * i, boxes + 6 * j)) note_pair(k, k->geoms.items[i], k->geoms.items[j]);
    }
}

static int by_box(const void *one, const void *other)
{
    const double *a = *(double *const *)one, *b = *(double *const *)other;
    return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a < b ? -1 : a > b;
}

/* Geoms of one group that may collide with each other. */
static void look_inside(kernel *k, const near_group *group)
{
    if (group->count < 2) return;
    const double **boxes = borrow(&k->memory, (size_t)group->count * sizeof *boxes);
    int count = 0;
    for (int i = group->first; i < group->first + group->count; i++)
        if (((geom *)k->geoms.items[i])->self_collides) boxes[count++] = k->near.boxes + 6 * i;
    if (count > 16) qsort(boxes, (size_t)count, sizeof *boxes, by_box);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && (count <= 16 || boxes[j][0] <= boxes[i][1]); j++)
            if (meet(boxes[i], boxes[j]))
                note_pair(k, k->geoms.items[(boxes[i] - k->near.boxes) / 6], k->geoms.items[(boxes[j] - k->near.boxes) / 6]);
}

/* The first of the groups that begin behind a place. */
static int first_behind(const near_groups *n, double x)
{
    int low = n->endless, high = n->stills;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (n->groups[middle].bounds[0] <= x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void look_around(kernel *k, int mover)
{
    const near_groups *n = &k->near;
    const near_group *group = &n->groups[mover];
    for (int i = 0; i < n->endless; i++) look_between(k, group, &n->groups[i]);
    for (int i = first_behind(n, group->bounds[1]) - 1; i >= n->endless && n->groups[i].reach >= group->bounds[0]; i--)
        look_between(k, group, &n->groups[i]);
    for (int i = mover + 1; i < n->count && n->groups[i].bounds[0] <= group->bounds[1]; i++) look_between(k, group, &n->groups[i]);
    look_inside(k, group);
}

void find_pairs(kernel *k)
{
    near_groups *n = &k->near;
    give_back(&k->memory);
    k->pair_count = 0;
    if (k->mesh_count) lock_globals();
    if (!n->fresh) arrange(k);
    for (int i = n->stills; i < n->count; i++) fit(k, &n->groups[i]);
    k->bounded = NULL;
    if (k->mesh_count) unlock_globals();
    sort_movers(n);
    for (int i = n->stills; i < n->count; i++) look_around(k, i);
    sort_pairs(k);
}
