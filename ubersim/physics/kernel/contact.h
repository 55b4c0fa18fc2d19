/* Geoms near each other, and the contacts between them. */
#ifndef UBERSIM_CONTACT_H
#define UBERSIM_CONTACT_H

#include <ode/ode.h>
#include <stdbool.h>
#include <stdint.h>

#include "api.h"

enum { MAX_CONTACTS_PER_PAIR = 16 };

/* How two materials meet, ready for use. */
typedef struct {
    double mu, mu2, slip, slip2, rolling, spinning, bounce, bounce_velocity, erp, cfm;
    bool anisotropic;
    bool springy; /* its own softness makes it a spring */
} pair_surface;

/* Two geoms whose boxes overlap; `key` orders pairs by the ids, lower id first. */
typedef struct {
    uint64_t key;
    geom *lower, *higher;
} near_pair;

/* A contact of this step, as it is told to others. */
typedef struct {
    const near_pair *pair;
    uint64_t key;
    double position[3], normal[3], depth;
    body *first, *second; /* of the lower and the higher geom; NULL: static */
    double force[3];      /* on the first */
    const pair_surface *surface; /* NULL: nothing to solve */
} contact_record;

/* A contact as one of its bodies feels it. */
typedef struct {
    int64_t other; /* geom */
    const double *position;
    double force[3];
} body_touch;

pair_surface prepare_surface(const kernel *k, const surface *s);
void sort_pairs(kernel *k);
int collide_hulls(const geom *first, const geom *second, dContactGeom *found);
int collide(const geom *first, const geom *second, dContactGeom *found);
void make_contacts(kernel *k);
void press_unsolved(kernel *k);
bool contact_on(const contact_record *contact, const body *b, body_touch *touch); /* false: it is not on this body */

#endif
