/* In which order the direct method eliminates an island's freedoms, and what each of them is coupled with by then. Those of one body stay together as a block;
   next is always a block that is coupled with the fewest others: so trees fill nothing in, and of a crowd only neighbours meet. */
#include <string.h>

#include "kernel.h"

typedef uint64_t word;
enum { BITS = 64 };

/* Blocks as sets of bits: which of them a block is coupled with. */
typedef struct {
    int count, words;
    branch **branches;
    word *coupled; /* one set for each */
    word *left;    /* those that have no place in the order yet */
} graph;

static inline word *row(const graph *g, int block) { return g->coupled + (size_t)block * (size_t)g->words; }

static inline bool has(const word *set, int block) { return set[block / BITS] >> block % BITS & 1; }

static inline int bits_of(word set)
{
    int count = 0;
    for (; set; set &= set - 1) count++; /* few: most processors that this is compiled for cannot be told to count */
    return count;
}

static inline __attribute__((always_inline)) int degree(const graph *g, int block)
{
    int count = 0;
    for (int i = 0; i < g->words; i++) count += bits_of(row(g, block)[i] & g->left[i]);
    return count;
}

/* All bodies that rows act on, once each; `mark` is a body's number there, counted from 1. */
static void find_blocks(const workspace *w, arena *memory, graph *g)
{
    g->branches = borrow(memory, (size_t)(w->body_count + 1) * sizeof *g->branches);
    g->count = 0;
    for (int i = 0; i < w->constraint_count; i++)
        for (int n = 0; n < w->constraints[i]->branches; n++) {
            branch *t = w->constraints[i]->support[n];
            if (t->mark) continue;
            g->branches[g->count++] = t;
            t->mark = g->count;
        }
}

static inline __attribute__((always_inline)) void find_couplings(const workspace *w, arena *memory, graph *g)
{
    const size_t size = (size_t)g->words * sizeof(word);
    g->coupled = borrow(memory, (size_t)g->count * size);
    g->left = borrow(memory, size);
    word *own = borrow(memory, size);
    memset(g->coupled, 0, (size_t)g->count * size);
    memset(g->left, 0, size);
    for (int i = 0; i < g->count; i++) g->left[i / BITS] |= (word)1 << i % BITS;
    for (int i = 0; i < w->constraint_count; i++) {
        const constraint *c = w->constraints[i];
        memset(own, 0, size);
        for (int n = 0; n < c->branches; n++) {
            const unsigned block = (unsigned)c->support[n]->mark - 1;
            own[g->words == 1 ? 0 : block / BITS] |= (word)1 << block % BITS;
        }
        for (int n = 0; n < c->branches; n++)
            for (int l = 0; l < g->words; l++) row(g, c->support[n]->mark - 1)[l] |= own[l];
    }
}

/* Takes a block out: what it was coupled with is coupled from now on. Its own set keeps those that are left. */
static inline __attribute__((always_inline)) void take_out(graph *g, int block)
{
    word *own = row(g, block);
    g->left[block / BITS] &= ~((word)1 << block % BITS);
    for (int l = 0; l < g->words; l++) own[l] &= g->left[l];
    for (int l = 0; l < g->words; l++)
        for (word rest = own[l]; rest; rest &= rest - 1) {
            word *other = row(g, l * BITS + __builtin_ctzll(rest));
            for (int i = 0; i < g->words; i++) other[i] |= own[i];
        }
}

static inline __attribute__((always_inline)) int loosest(const graph *g)
{
    int found = -1, least = 0;
    for (int i = 0; i < g->count; i++) {
        if (!has(g->left, i)) continue;
        const int now = degree(g, i);
        if (found < 0 || now < least) found = i, least = now;
    }
    return found;
}

/* The freedoms of later blocks that a block is coupled with, as runs. */
static inline __attribute__((always_inline)) void find_runs(arena *memory, const graph *g, const int *places, int place, block *b)
{
    b->runs = borrow(memory, (size_t)(g->count - place) * sizeof *b->runs);
    b->run_count = 0;
    for (int later = place + 1; later < g->count; later++) {
        if (!has(row(g, places[place]), places[later])) continue;
        const branch *t = g->branches[places[later]];
        run *last = b->runs + b->run_count - 1;
        if (b->run_count && last->start + last->length == t->first_freedom)
            last->length += t->freedoms;
        else
            b->runs[b->run_count++] = (run){t->first_freedom, t->freedoms};
    }
}

/* A constraint's freedoms, as far as they follow each other. */
static void join_runs(arena *memory, constraint *c)
{
    c->runs = borrow(memory, (size_t)c->branches * sizeof *c->runs);
    c->run_count = 0;
    for (int n = 0; n < c->branches; n++) {
        const branch *t = c->support[n];
        run *last = c->runs + c->run_count - 1;
        if (c->run_count && last->start + last->length == t->first_freedom)
            last->length += t->freedoms;
        else
            c->runs[c->run_count++] = (run){t->first_freedom, t->freedoms};
    }
}

static inline __attribute__((always_inline)) int *count_on(int *next, int from, int count)
{
    for (int i = 0; i < count; i++) next[i] = from + i;
    return next + count;
}

static void find_indices(const workspace *w, arena *memory)
{
    for (int i = 0; i < w->constraint_count; i++) {
        constraint *c = w->constraints[i];
        int *next = c->index = borrow(memory, (size_t)c->stride * sizeof *c->index);
        for (int n = 0; n < c->branches; n++) {
            const branch *t = c->support[n];
            next = t->freedoms == 6 ? count_on(next, t->first_freedom, 6) : count_on(next, t->first_freedom, t->freedoms);
        }
        while (next < c->index + c->stride) *next++ = c->index[0]; /* times zero */
        join_runs(memory, c);
    }
}

static inline __attribute__((always_inline)) void find_order(const workspace *w, order *o, graph *g, int words)
{
    arena *memory = &o->memory;
    g->words = words; /* where it is known to be one, nothing is left of the loops over words */
    int *places = borrow(memory, (size_t)g->count * sizeof *places);
    find_couplings(w, memory, g);
    o->blocks = borrow(memory, (size_t)g->count * sizeof *o->blocks);
    for (int next = 0; o->block_count < g->count; o->block_count++) {
        const int found = places[o->block_count] = loosest(g);
        branch *t = g->branches[found];
        o->blocks[o->block_count] = (block){.start = t->first_freedom = next, .size = t->freedoms};
        next += t->freedoms;
        take_out(g, found);
    }
    for (int i = 0; i < g->count; i++) find_runs(memory, g, places, i, &o->blocks[i]);
}

static void find_anew(const workspace *w, order *o)
{
    graph g;
    find_blocks(w, &o->memory, &g);
    o->freedoms = o->block_count = 0;
    for (int i = 0; i < g.count; i++) {
        g.branches[i]->first_freedom = o->freedoms;
        o->freedoms += g.branches[i]->freedoms;
    }
    if (is_direct(w->world, o->freedoms)) {
        if (g.count <= BITS)
            find_order(w, o, &g, 1);
        else
            find_order(w, o, &g, (g.count + BITS - 1) / BITS);
    }
    for (int i = 0; i < g.count; i++) g.branches[i]->mark = 0;
    find_indices(w, &o->memory);
}

/* All that an order depends on, of one of the bodies that a constraint acts on. */
static inline int trait(const workspace *w, const branch *t) { return 8 * (int)(t - w->branches) + t->freedoms; }

static bool fits(const workspace *w, const order *o)
{
    if (o->count != w->constraint_count) return false;
    for (int i = 0; i < o->count; i++) {
        const constraint *c = w->constraints[i];
        const outline *known = &o->outlines[i];
        if (known->branches != c->branches) return false;
        for (int n = 0; n < c->branches; n++)
            if (known->traits[n] != trait(w, c->support[n])) return false;
    }
    return true;
}

static void remember(const workspace *w, order *o)
{
    o->count = w->constraint_count;
    o->outlines = borrow(&o->memory, (size_t)o->count * sizeof *o->outlines);
    for (int i = 0; i < o->count; i++) {
        const constraint *c = w->constraints[i];
        int *traits = borrow(&o->memory, (size_t)c->branches * sizeof *traits);
        for (int n = 0; n < c->branches; n++) traits[n] = trait(w, c->support[n]);
        o->outlines[i] = (outline){c->branches, traits, c->index, c->runs, c->run_count};
    }
}

/* Numbers the freedoms that rows act on, and returns how many there are. Robots of one kind mostly have the same rows, and so has each of them from step to step:
   orders are kept, by the number of constraints, until an island comes whose rows act on other bodies. */
int number_freedoms(workspace *w)
{
    order *o = &w->orders[w->constraint_count % KNOWN_ORDERS];
    if (fits(w, o))
        for (int i = 0; i < o->count; i++) {
            constraint *c = w->constraints[i];
            c->index = o->outlines[i].index, c->runs = o->outlines[i].runs, c->run_count = o->outlines[i].run_count;
        }
    else {
        o->count = -1; /* whatever happens on the way */
        give_back(&o->memory);
        find_anew(w, o);
        remember(w, o);
    }
    w->blocks = o->blocks, w->block_count = o->block_count;
    return o->freedoms;
}
