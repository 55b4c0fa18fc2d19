/* In which order the direct method eliminates an island's freedoms, and what each of them is coupled with by then. Those of one body stay together as a block;
   next is always a block that is coupled with the fewest others: so trees fill nothing in, and of a crowd only neighbours meet. */
#include <string.h>

#include "kernel.h"

typedef uint64_t word;
enum { BITS = 64 };

/* Blocks as sets of bits: which of them a block is coupled with. */
typedef struct {
    int count, words;
    body **bodies;
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
static void find_blocks(workspace *w, graph *g)
{
    g->bodies = borrow(&w->memory, (size_t)(w->body_count + 1) * sizeof *g->bodies);
    g->count = 0;
    for (int i = 0; i < w->constraint_count; i++)
        for (int n = 0; n < w->constraints[i]->branches; n++) {
            body *b = w->constraints[i]->support[n];
            if (b->tree.mark) continue;
            g->bodies[g->count++] = b;
            b->tree.mark = g->count;
        }
}

static inline __attribute__((always_inline)) void find_couplings(workspace *w, graph *g)
{
    const size_t size = (size_t)g->words * sizeof(word);
    g->coupled = borrow(&w->memory, (size_t)g->count * size);
    g->left = borrow(&w->memory, size);
    word *own = borrow(&w->memory, size);
    memset(g->coupled, 0, (size_t)g->count * size);
    memset(g->left, 0, size);
    for (int i = 0; i < g->count; i++) g->left[i / BITS] |= (word)1 << i % BITS;
    for (int i = 0; i < w->constraint_count; i++) {
        const constraint *c = w->constraints[i];
        memset(own, 0, size);
        for (int n = 0; n < c->branches; n++) {
            const unsigned block = (unsigned)c->support[n]->tree.mark - 1;
            own[g->words == 1 ? 0 : block / BITS] |= (word)1 << block % BITS;
        }
        for (int n = 0; n < c->branches; n++)
            for (int l = 0; l < g->words; l++) row(g, c->support[n]->tree.mark - 1)[l] |= own[l];
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
static inline __attribute__((always_inline)) void find_runs(workspace *w, const graph *g, const int *order, int place, block *b)
{
    b->runs = borrow(&w->memory, (size_t)(g->count - place) * sizeof *b->runs);
    b->run_count = 0;
    for (int later = place + 1; later < g->count; later++) {
        if (!has(row(g, order[place]), order[later])) continue;
        const branch *t = &g->bodies[order[later]]->tree;
        run *last = b->runs + b->run_count - 1;
        if (b->run_count && last->start + last->length == t->first_freedom)
            last->length += t->freedoms;
        else
            b->runs[b->run_count++] = (run){t->first_freedom, t->freedoms};
    }
}

/* A constraint's freedoms, as far as they follow each other. */
static void join_runs(workspace *w, constraint *c)
{
    c->runs = borrow(&w->memory, (size_t)c->branches * sizeof *c->runs);
    c->run_count = 0;
    for (int n = 0; n < c->branches; n++) {
        const branch *t = &c->support[n]->tree;
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

static void find_indices(workspace *w)
{
    for (int i = 0; i < w->constraint_count; i++) {
        constraint *c = w->constraints[i];
        int *next = c->index = borrow(&w->memory, (size_t)c->stride * sizeof *c->index);
        for (int n = 0; n < c->branches; n++) {
            const branch *t = &c->support[n]->tree;
            next = t->freedoms == 6 ? count_on(next, t->first_freedom, 6) : count_on(next, t->first_freedom, t->freedoms);
        }
        while (next < c->index + c->stride) *next++ = c->index[0]; /* times zero */
        join_runs(w, c);
    }
}

static inline __attribute__((always_inline)) void find_order(workspace *w, graph *g, int words)
{
    g->words = words; /* where it is known to be one, nothing is left of the loops over words */
    int *order = borrow(&w->memory, (size_t)g->count * sizeof *order);
    find_couplings(w, g);
    w->blocks = borrow(&w->memory, (size_t)g->count * sizeof *w->blocks);
    for (int next = 0; w->block_count < g->count; w->block_count++) {
        const int found = order[w->block_count] = loosest(g);
        branch *t = &g->bodies[found]->tree;
        w->blocks[w->block_count] = (block){.start = t->first_freedom = next, .size = t->freedoms};
        next += t->freedoms;
        take_out(g, found);
    }
    for (int i = 0; i < g->count; i++) find_runs(w, g, order, i, &w->blocks[i]);
}

/* Numbers the freedoms that rows act on, and returns how many there are. */
int number_freedoms(workspace *w)
{
    graph g;
    int freedoms = 0;
    find_blocks(w, &g);
    for (int i = 0; i < g.count; i++) {
        g.bodies[i]->tree.first_freedom = freedoms;
        freedoms += g.bodies[i]->tree.freedoms;
    }
    w->block_count = 0;
    if (is_direct(w->world, freedoms)) {
        if (g.count <= BITS)
            find_order(w, &g, 1);
        else
            find_order(w, &g, (g.count + BITS - 1) / BITS);
    }
    for (int i = 0; i < g.count; i++) g.bodies[i]->tree.mark = 0;
    find_indices(w);
    return freedoms;
}
