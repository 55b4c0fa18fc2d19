/* Islands, the bodies that are solved together, and what their solution takes. */
#ifndef UBERSIM_ISLAND_H
#define UBERSIM_ISLAND_H

#include <stdbool.h>

#include "constraint.h"
#include "memory.h"

enum { KNOWN_ORDERS = 8 };

/* Trees that touch: runs of the step's sorted trees and contacts. */
typedef struct {
    int first_tree, trees, first_contact, contacts;
} island;

/* A body's freedoms, and those of later blocks that they are coupled with. */
typedef struct {
    int start, size, run_count;
    run *runs;
} block;

/* One island on its way to a solution. */
typedef struct {
    constraint **items;
    const block *blocks; /* in the order in which they are eliminated */
    int count, freedoms, block_count;
    double friction; /* share of it that counts */
    bool places; /* whether places are corrected; else it is about velocities */
    bool at_rest; /* y is 0 */
    double *y, *residual, *matrix, *scratch, *last, *kept;
} problem;

/* Which bodies a constraint acts on, and what follows from that. */
typedef struct {
    int branches;
    const int *traits; /* of each of them: its number in the island, and its freedoms */
    int *index;
    run *runs;
    int run_count;
} outline;

/* The order in which an island's freedoms are eliminated, and the constraints that it goes with. */
typedef struct {
    arena memory; /* of all of it */
    int count;    /* of the constraints */
    outline *outlines;
    block *blocks;
    int block_count, freedoms;
} order;

/* An island at hand, and the memory that its solution takes: every thread has one of these. */
typedef struct {
    struct kernel *world;
    const island *island;
    body **bodies; /* parents before what they carry */
    branch *branches; /* theirs, in the same order */
    int body_count;
    constraint **constraints;
    int constraint_count, constraint_capacity;
    arena memory;
    order orders[KNOWN_ORDERS];
    const block *blocks; /* of the one that fits */
    int block_count;
    double *vectors, *matrix;
    int vector_capacity, matrix_capacity;
    int quick_islands, failed_solves; /* in this step */
    bool exploded; /* the same: some body is no longer anywhere */
} workspace;

typedef struct pool pool;

void push_flying(const workspace *w);
void push_held(const workspace *w);
bool push_held_again(const workspace *w);

#endif
