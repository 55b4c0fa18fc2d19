/* What contacts and joints ask of velocities, and what becomes of it. */
#ifndef UBERSIM_CONSTRAINT_H
#define UBERSIM_CONSTRAINT_H

#include <stdbool.h>

#include "tree.h"

enum { MOST_ROWS = 6 /* of one constraint */ };

/* What a constraint answers to velocities: impulses, and by how much they fall when velocities grow. */
typedef struct {
    double impulse[MOST_ROWS], slope[MOST_ROWS][MOST_ROWS], error;
} answer;

/* Freedoms that follow each other. */
typedef struct {
    int start, length;
} run;

/* Rows that act between two bodies. A contact's first row is its normal; the others are tangential, in groups of up to two
   whose impulse is at most as long as the normal one (their scale contains the coefficient of friction). */
typedef struct constraint {
    body *first, *second; /* NULL, or kinematic: moves as it is told */
    bool contact, bounces;
    int rows;
    double jacobian[MOST_ROWS][12];
    double target[MOST_ROWS];   /* velocity that is aimed at */
    double kick;                /* by which an impact that bounces changes the normal velocity */
    double softness[MOST_ROWS]; /* velocity that is given up per impulse */
    double low[MOST_ROWS], high[MOST_ROWS];
    double shift_target[MOST_ROWS]; /* as `target`, for the places alone */
    bool shifts[MOST_ROWS];         /* which rows take part in correcting places */
    int groups, group_start[4], group_rows[4];
    joint *joint;   /* whose feedback it belongs to */
    int record;     /* of the contact; -1: none */
    /* What the solver works with. */
    int length, branches;  /* of its rows in whitened freedoms, and the bodies whose they are */
    branch **support;
    int stride;            /* from row to row: the length, filled up with zeros */
    int *index;            /* of its freedoms among the island's; as many as the stride */
    run *runs;             /* the same */
    int run_count;
    double *whitened, impulse[MOST_ROWS];
    double velocity[MOST_ROWS]; /* without its own impulses and those of others */
    double now[MOST_ROWS];      /* with them */
    double diagonal[MOST_ROWS]; /* what a row's own impulse changes its velocity by */
    double cross[4];            /* what the two rows of a group change each other by */
    double root[MOST_ROWS];     /* of the diagonal */
    double give[MOST_ROWS], reach[MOST_ROWS]; /* softness and diagonal, as they count */
    double hardness[MOST_ROWS]; /* one by what it gives */
    double coupling[MOST_ROWS][MOST_ROWS]; /* what its rows change each other by, once `coupled` */
    bool coupled;
    answer answer;
    double last[MOST_ROWS]; /* impulses before a round that may lead too far */
    double kept[MOST_ROWS]; /* and before some that may have to be taken back, or before a sweep */
    double direction[MOST_ROWS]; /* in which the sweeps go */
} constraint;

#endif
