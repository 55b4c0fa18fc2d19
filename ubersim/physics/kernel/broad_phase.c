/* Which geoms are near each other. A robot is one box until something comes near: groups of geoms are swept along x, as boxes, and only those
   that meet are looked into. The order of the sweep depends on its history; the set of pairs does not. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum { WORLD_OWNER = 0, MOST_PAIRS = 1 << 22 };

static const double ROOMY = 1.8; /* so many times as long as what is in it a ball may be: all but the plumpest boxes have one */
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
    k->bounded = NULL;
}

/* Finds the boxes of a part's geoms, and makes its own no larger than these. */
static void fit_closely(kernel *k, near_part *part)
{
    part->look = k->near.look;
    memcpy(part->bounds, NOTHING, sizeof NOTHING);
    for (int i = part->first; i < part->first + part->count; i++) {
        bound(k, i);
        widen(part->bounds, k->near.boxes + 6 * i);
    }
}

static void fit_part(kernel *k, near_part *part)
{
    const double *c = part->center, r = part->reach;
    if (!c)
        fit_closely(k, part);
    else
        for (int i = 0; i < 3; i++) part->bounds[2 * i] = c[i] - r, part->bounds[2 * i + 1] = c[i] + r;
}

static void fit(kernel *k, near_group *group)
{
    memcpy(group->bounds, NOTHING, sizeof NOTHING);
    for (near_part *part = k->near.parts + group->first; part < k->near.parts + group->first + group->count; part++) {
        fit_part(k, part);
        widen(group->bounds, part->bounds);
    }
}

/* Whether a ball is hardly larger than what is in it. */
static void choose_ball(const kernel *k, near_part *part)
{
    const geom *g = k->geoms.items[part->first];
    double longest = 0;
    for (int i = 0; i < 6; i += 2) longest = fmax(longest, part->bounds[i + 1] - part->bounds[i]);
    for (int i = part->first; i < part->first + part->count; i++) part->reach = fmax(part->reach, ((geom *)k->geoms.items[i])->reach);
    if (!g->body)
        part->look = INT64_MAX; /* it never has to be fitted again */
    else if (2 * part->reach < ROOMY * longest)
        part->center = g->body->position;
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

static void add_geom(kernel *k, int index)
{
    near_groups *n = &k->near;
    const geom *g = k->geoms.items[index], *last = index ? k->geoms.items[index - 1] : NULL;
    const bool joins = last && belong_together(g, last);
    if (!joins) n->groups[n->count++] = (near_group){.first = n->part_count};
    if (!joins || g->body != last->body) {
        n->parts[n->part_count++] = (near_part){.first = index};
        n->groups[n->count - 1].count++;
    }
    near_part *part = &n->parts[n->part_count - 1];
    part->count++;
    part->self_collides |= g->self_collides;
}

/* Once geoms have come or gone. What never moves is fitted and sorted here for good, and what has no end comes first. */
static void arrange(kernel *k)
{
    near_groups *n = &k->near;
    n->boxes = grown(n->boxes, &n->box_capacity, 6 * k->geoms.count, sizeof *n->boxes);
    n->parts = grown(n->parts, &n->part_capacity, k->geoms.count, sizeof *n->parts);
    n->groups = grown(n->groups, &n->capacity, k->geoms.count, sizeof *n->groups);
    n->count = n->stills = n->endless = n->part_count = 0;
    for (int still = 1; still >= 0; still--) {
        for (int i = 0; i < k->geoms.count; i++)
            if ((((geom *)k->geoms.items[i])->body == NULL) == still) add_geom(k, i);
        if (still) n->stills = n->count;
    }
    for (int i = 0; i < n->count; i++) fit(k, &n->groups[i]);
    for (int i = 0; i < n->part_count; i++) choose_ball(k, &n->parts[i]);
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

/* Geoms of two parts whose boxes meet. */
static void look_closely(kernel *k, near_part *one, near_part *other)
{
    if (one->look < k->near.look) fit_closely(k, one);
    if (other->look < k->near.look) fit_closely(k, other);
    if (!meet(one->bounds, other->bounds)) return;
    const double *boxes = k->near.boxes;
    for (int i = one->first; i < one->first + one->count; i++) {
        if (!meet(boxes + 6 * i, other->bounds)) continue;
        for (int j = other->first; j < other->first + other->count; j++)
            if (meet(boxes + 6 * i, boxes + 6 * j)) note_pair(k, k->geoms.items[i], k->geoms.items[j]);
    }
}

/* The parts of a group that are within a box; returns how many. */
static int find_within(const kernel *k, const near_group *group, const double *box, near_part **found)
{
    int count = 0;
    for (near_part *part = k->near.parts + group->first; part < k->near.parts + group->first + group->count; part++)
        if (meet(part->bounds, box)) found[count++] = part;
    return count;
}

static void look_between(kernel *k, const near_group *one, const near_group *other)
{
    if (!meet(one->bounds, other->bounds)) return;
    near_part **near = borrow(&k->memory, (size_t)(one->count + other->count) * sizeof *near);
    const int own = find_within(k, one, other->bounds, near), others = own ? find_within(k, other, one->bounds, near + own) : 0;
    for (int i = 0; i < own; i++)
        for (int j = own; j < own + others; j++)
            if (meet(near[i]->bounds, near[j]->bounds)) look_closely(k, near[i], near[j]);
}

static int by_box(const void *one, const void *other)
{
    const near_part *a = *(near_part *const *)one, *b = *(near_part *const *)other;
    return a->bounds[0] < b->bounds[0] ? -1 : a->bounds[0] > b->bounds[0] ? 1 : a < b ? -1 : a > b;
}

/* Geoms of one group that may collide with each other. */
static void look_inside(kernel *k, const near_group *group)
{
    if (group->count < 2) return;
    near_part **parts = borrow(&k->memory, (size_t)group->count * sizeof *parts);
    int count = 0;
    for (near_part *part = k->near.parts + group->first; part < k->near.parts + group->first + group->count; part++)
        if (part->self_collides) parts[count++] = part;
    if (count > 16) qsort(parts, (size_t)count, sizeof *parts, by_box);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && (count <= 16 || parts[j]->bounds[0] <= parts[i]->bounds[1]); j++)
            if (meet(parts[i]->bounds, parts[j]->bounds)) look_closely(k, parts[i], parts[j]);
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
    n->look++;
    if (k->mesh_count) lock_globals();
    if (!n->fresh) arrange(k);
    for (int i = n->stills; i < n->count; i++) fit(k, &n->groups[i]);
    sort_movers(n);
    for (int i = n->stills; i < n->count; i++) look_around(k, i);
    if (k->mesh_count) unlock_globals();
    sort_pairs(k);
}
