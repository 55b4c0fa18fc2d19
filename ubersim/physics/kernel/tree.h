/* The trees that joints make of bodies, and how they move. */
#ifndef UBERSIM_TREE_H
#define UBERSIM_TREE_H

#include <stdbool.h>

#include "api.h"

enum { MOST_FREEDOMS = 3 /* that a joint leaves */ };

/* A body's place in the tree that joints make of a robot. */
typedef struct {
    body *parent;     /* NULL: nothing that moves by itself */
    const body *base; /* what `joint` holds it to, kinematic; NULL: the static world, or a parent */
    joint *joint;     /* to the parent or the base; NULL: it floats */
    int number;       /* of its tree */
    int depth;
    bool lonely;      /* no joint holds it, and it holds nothing */
    bool hung;        /* while trees are planted: it has its place */
} limb;

/* What a step works out for a body in the island at hand. Motions and impulses are those of spatial.h. All of an island's are one block of memory that the
   next island uses again: so they stay in the processor's cache, however many bodies there are. */
typedef struct branch {
    struct branch *parent; /* these are the limb's */
    const body *base;
    joint *joint;
    bool lonely;
    int freedoms;                           /* against the parent; 6 where it floats */
    double own_inertia[9];                  /* of the body alone, about its centre, in the world's axes */
    double arm[3];                          /* how the parent carries it */
    double axes[6 * MOST_FREEDOMS];         /* its motions against the parent */
    double inertia[36];                     /* of itself and of all that it carries, as felt from outside */
    double gain[6 * MOST_FREEDOMS];         /* inertia times axes */
    double kept;                            /* momentum in the joint's own rotor, of its only freedom */
    double factor[36];                      /* Cholesky's, of what the freedoms feel; the inverse on the diagonal */
    double drift[6];                        /* the motion against the parent that mends the joint's error */
    double chord[6];                        /* and the one that keeps it from growing while both turn */
    double whitened[6];                     /* impulses along the freedoms, in units in which all inertia is 1 */
    double momentum[6], motion[6];
    double guess[3];                        /* of the mean angular velocity in this step, if it is not lonely */
    double free[6];                         /* the motion without any constraint's impulse, if it is lonely */
    double shift[6];                        /* as the motion, but of the place alone */
    double asked[6];                        /* momentum of the drift or the chord */
    double burden[6];                       /* scratch of the passes over the tree */
    int mark, first_freedom;                /* among the island's */
    bool held;                              /* something keeps it from flying in this step */
} branch;

/* What joints hold together: a run of the world's ordered bodies, and of its ordered joints. */
typedef struct {
    int first_body, bodies, first_joint, joints;
} tree;

#endif
