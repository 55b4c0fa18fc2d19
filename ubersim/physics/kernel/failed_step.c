/* Whose bodies are to blame for a step that cannot be taken. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"
#include "spatial.h"

/* Who moves any of its surfaces faster than that is liable for what it throws out of the world [m/s]. */
static const double LIABLE = 1e4;

static void blame(kernel *k, int32_t owner) { k->exploded[k->exploded_count++] = owner; }

void give_up(kernel *k, int32_t owner, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(guard_message, sizeof guard_message, format, arguments);
    va_end(arguments);
    k->culprit = owner;
    jump_to_guard();
}

/* Whether a number is far outside everything that can be simulated; also true of NaN. */
static inline bool beyond(double x) { return !(x < 1e9 && x > -1e9); }

static inline bool any_beyond(const double *p, const double *v, const double *w, const double *q)
{
    return beyond(p[0]) | beyond(p[1]) | beyond(p[2]) | beyond(v[0]) | beyond(v[1]) | beyond(v[2]) | beyond(w[0]) | beyond(w[1]) |
           beyond(w[2]) | beyond(q[0] + q[1] + q[2] + q[3]);
}

/* Of its fastest point, before the step. */
static double speed_before(const kernel *k, const body *b)
{
    const double *v = k->linear + 3 * b->row, *w = k->angular + 3 * b->row;
    return sqrt(dot3(v, v)) + sqrt(dot3(w, w)) * b->reach;
}

/* What is thrown out of the world by something that is already much too fast is not to blame. */
static int32_t thrower(const kernel *k, int32_t owner)
{
    for (int i = 0; i < k->contact_count; i++)
        for (int side = 0; side < 2; side++) {
            const body *thrown = side ? k->contacts[i].second : k->contacts[i].first;
            const body *other = side ? k->contacts[i].first : k->contacts[i].second;
            if (!thrown || !other || thrown->owner != owner || other->owner == owner) continue;
            const double speed = speed_before(k, other);
            if (speed > LIABLE && speed > speed_before(k, thrown)) return other->owner;
        }
    return owner;
}

bool has_exploded(const body *b) { return any_beyond(b->position, b->linear, b->angular, b->quaternion); }

/* Which owners have; returns whether any has. */
bool find_exploded(kernel *k)
{
    k->exploded_count = 0;
    for (int i = 0; i < k->bodies.count; i++) {
        const body *b = k->bodies.items[i];
        if (has_exploded(b)) blame(k, b->owner);
    }
    for (int i = 0; i < k->exploded_count; i++) k->exploded[i] = thrower(k, k->exploded[i]);
    return k->exploded_count > 0;
}

static void count(const near_pair *pair)
{
    pair->lower->tally++;
    if (pair->higher->owner != pair->lower->owner) pair->higher->tally++;
}

typedef struct {
    int32_t owner;
    int total, geoms; /* of pairs or contacts, and of the geoms that have any */
} share;

/* The share of the owner whose geoms begin there; all geoms of one owner were made together. */
static int read_share(const kernel *k, int start, share *s)
{
    const geom *g = k->geoms.items[start];
    *s = (share){.owner = g->owner};
    for (; start < k->geoms.count && (g = k->geoms.items[start])->owner == s->owner; start++)
        s->total += g->tally, s->geoms += g->tally > 0;
    return start;
}

static void forget_tallies(kernel *k)
{
    for (int i = 0; i < k->geoms.count; i++) ((geom *)k->geoms.items[i])->tally = 0;
}

/* Gives up if an owner, other than the world itself, has more contacts than it may; else tells at how many contacts in all to
   look again. It may have them with another that has nearly as many: it is the one that has them with more of its geoms. */
int check_contact_budget(kernel *k)
{
    forget_tallies(k);
    for (int i = 0; i < k->contact_count; i++) count(k->contacts[i].pair);
    share worst = {.owner = -1}, s;
    int most = 0;
    for (int i = 0; i < k->geoms.count;) {
        i = read_share(k, i, &s);
        if (!s.owner) continue;
        if (s.total > most) most = s.total;
        if (s.total > k->contact_limit / 2 && s.geoms >= worst.geoms) worst = s;
    }
    if (most > k->contact_limit) give_up(k, worst.owner, "it has more than %d contacts in one step", k->contact_limit);
    const int room = k->contact_limit - most, least = k->contact_limit / 8 + 1;
    return k->contact_count + (room > least ? room : least);
}

/* Where nothing else points at any of them: the owner, other than the world itself, that is near the most. */
static int32_t greediest(kernel *k)
{
    forget_tallies(k);
    for (int i = 0; i < k->pair_count; i++) count(&k->pairs[i]);
    share worst = {.owner = 0, .total = -1}, s;
    for (int i = 0; i < k->geoms.count;) {
        i = read_share(k, i, &s);
        if (s.owner && s.total >= worst.total) worst = s;
    }
    return worst.owner;
}

void blame_for_failure(kernel *k, enum phase phase)
{
    k->exploded_count = 0;
    if (k->culprit >= 0)
        blame(k, k->culprit);
    else if (phase == CONTACTING) {
        if (k->current->lower->body) blame(k, k->current->lower->owner);
        if (k->current->higher->body) blame(k, k->current->higher->owner);
    } else if (phase == COLLIDING || !find_exploded(k))
        blame(k, k->bounded ? k->bounded->owner : greediest(k));
}

int kernel_exploded_owners(kernel *k, int32_t *owners, int capacity)
{
    int found = k->exploded_count < capacity ? k->exploded_count : capacity;
    memcpy(owners, k->exploded, (size_t)found * sizeof(int32_t));
    return k->exploded_count;
}

void kernel_set_contact_limit(kernel *k, int most) { k->contact_limit = most; }
