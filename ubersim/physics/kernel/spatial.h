/* Motions and impulses of a body at its centre of mass, in the world's axes: three linear numbers, then three angular ones. */
#ifndef UBERSIM_SPATIAL_H
#define UBERSIM_SPATIAL_H

static inline double dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline double dot6(const double *a, const double *b) { return dot3(a, b) + dot3(a + 3, b + 3); }

static inline void cross3(double *result, const double *a, const double *b)
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    result[0] = x, result[1] = y, result[2] = z;
}

static inline void add_cross3(double *sum, double sign, const double *a, const double *b)
{
    sum[0] += sign * (a[1] * b[2] - a[2] * b[1]);
    sum[1] += sign * (a[2] * b[0] - a[0] * b[2]);
    sum[2] += sign * (a[0] * b[1] - a[1] * b[0]);
}

/* Of two rows that are filled up with zeros. */
enum { LANES = 4 };
static inline double dot_rows(const double *a, const double *b, int stride)
{
    double sums[LANES] = {0};
    for (int i = 0; i < stride; i += LANES)
        for (int lane = 0; lane < LANES; lane++) sums[lane] += a[i + lane] * b[i + lane];
    return sums[0] + sums[2] + (sums[1] + sums[3]);
}

static inline void add_row_times(double *restrict sum, double times, const double *restrict row, int stride)
{
    for (int i = 0; i < stride; i += LANES)
        for (int lane = 0; lane < LANES; lane++) sum[i + lane] += times * row[i + lane];
}

static inline void row_times(double *restrict product, double times, const double *restrict row, int stride)
{
    for (int i = 0; i < stride; i += LANES)
        for (int lane = 0; lane < LANES; lane++) product[i + lane] = times * row[i + lane];
}

/* ODE's rotations have rows of four. */
static inline void turn3(double *result, const double *rotation, const double *v)
{
    for (int i = 0; i < 3; i++) result[i] = rotation[4 * i] * v[0] + rotation[4 * i + 1] * v[1] + rotation[4 * i + 2] * v[2];
}

static inline void turn_back3(double *result, const double *rotation, const double *v)
{
    for (int i = 0; i < 3; i++) result[i] = rotation[i] * v[0] + rotation[4 + i] * v[1] + rotation[8 + i] * v[2];
}

/* What a body moves like that is carried rigidly at `arm` from another: both have the same angular part. */
static inline void carry_motion(double *carried, const double *motion, const double *arm)
{
    for (int i = 0; i < 6; i++) carried[i] = motion[i];
    add_cross3(carried, 1, motion + 3, arm);
}

/* An impulse on the carried body, as the other one feels it. */
static inline void add_carried_impulse(double *sum, const double *impulse, const double *arm)
{
    for (int i = 0; i < 6; i++) sum[i] += impulse[i];
    add_cross3(sum + 3, 1, arm, impulse);
}

#endif
