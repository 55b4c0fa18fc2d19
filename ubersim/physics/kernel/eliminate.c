/* Gauss without pivoting, block by block: rows and columns of what is not coupled are never looked at. The matrix is not symmetric where something slips. */
#include <math.h>
#include <string.h>

#include "kernel.h"

static const double LEAST_PIVOT = 1e-6;

void clear_matrix(const problem *p)
{
    const size_t n = (size_t)p->freedoms;
    for (const block *b = p->blocks; b < p->blocks + p->block_count; b++)
        for (int i = 0; i < b->size; i++) {
            double *line = p->matrix + (size_t)(b->start + i) * n;
            memset(line + b->start, 0, (size_t)b->size * sizeof(double));
            line[b->start + i] = 1;
            for (const run *r = b->runs; r < b->runs + b->run_count; r++) {
                memset(line + r->start, 0, (size_t)r->length * sizeof(double));
                for (int l = r->start; l < r->start + r->length; l++) p->matrix[(size_t)l * n + (size_t)(b->start + i)] = 0;
            }
        }
}

/* Takes shares of a block's lines from another one, in the columns of the runs. Where the size is known beforehand, nothing is left of the inner loop. */
static inline __attribute__((always_inline)) void subtract(double *restrict line, const double *restrict own, size_t n, const double *share, int size, const block *b)
{
    for (const run *r = b->runs; r < b->runs + b->run_count; r++) {
        int l = r->start;
        for (const int end = r->start + r->length - 5; l < end; l += 6)
            for (int i = 0; i < size; i++)
                for (int m = 0; m < 6; m++) line[l + m] -= share[i] * own[(size_t)i * n + (size_t)(l + m)];
        for (; l < r->start + r->length; l++)
            for (int i = 0; i < size; i++) line[l] -= share[i] * own[(size_t)i * n + (size_t)l];
    }
}

/* Takes a block's lines from a later one, so that nothing is left of it in the block's columns. */
static inline __attribute__((always_inline)) void clear_line(double *restrict line, const double *restrict own, size_t n, const double *inverse, int size, const block *b,
                                                             double *x, int row)
{
    double share[6], *here = line + b->start;
    for (int i = 0; i < size; i++) {
        share[i] = here[i] * inverse[i];
        for (int l = i + 1; l < size; l++) here[l] -= share[i] * own[(size_t)i * n + (size_t)(b->start + l)];
        x[row] -= share[i] * x[b->start + i];
    }
    subtract(line, own, n, share, size, b);
}

static bool is_clear(const double *here, int size)
{
    for (int i = 0; i < size; i++)
        if (here[i] != 0) return false;
    return true;
}

/* Brings a block's own lines into upper triangular form; `inverse` is that of the pivots. */
static inline __attribute__((always_inline)) bool clear_own(double *own, size_t n, const block *b, int size, double *inverse, double *x)
{
    double share[6] = {0};
#pragma GCC unroll 6
    for (int i = 0; i < size; i++) {
        double *here = own + (size_t)i * n + b->start;
#pragma GCC unroll 6
        for (int j = 0; j < i; j++) {
            const double *above = own + (size_t)j * n + b->start;
            share[j] = here[j] * inverse[j];
            for (int l = j + 1; l < size; l++) here[l] -= share[j] * above[l];
            x[b->start + i] -= share[j] * x[b->start + j];
        }
        if (!(fabs(here[i]) > LEAST_PIVOT)) return false;
        inverse[i] = 1 / here[i];
        if (i && b->run_count) subtract(here - b->start, own, n, share, i, b);
    }
    return true;
}

static inline __attribute__((always_inline)) bool clear_column(const problem *p, const block *b, int size, double *x)
{
    const size_t n = (size_t)p->freedoms;
    double inverse[6], *own = p->matrix + (size_t)b->start * n;
    if (!clear_own(own, n, b, size, inverse, x)) return false;
    for (const run *r = b->runs; r < b->runs + b->run_count; r++)
        for (int row = r->start; row < r->start + r->length; row++) {
            double *line = p->matrix + (size_t)row * n;
            if (!is_clear(line + b->start, size)) clear_line(line, own, n, inverse, size, b, x, row);
        }
    return true;
}

static void substitute_back(const problem *p, const block *b, double *x)
{
    for (int i = b->start + b->size - 1; i >= b->start; i--) {
        const double *line = p->matrix + (size_t)i * (size_t)p->freedoms;
        double sum = x[i];
        for (int l = i + 1; l < b->start + b->size; l++) sum -= line[l] * x[l];
        for (const run *r = b->runs; r < b->runs + b->run_count; r++)
            for (int l = r->start; l < r->start + r->length; l++) sum -= line[l] * x[l];
        x[i] = sum / line[i];
    }
}

/* Solves matrix * x = what x was; the matrix is used up. Nearly all blocks are roots or hinges, whose loops the compiler unrolls. */
bool eliminate(const problem *p, double *x)
{
    for (const block *b = p->blocks; b < p->blocks + p->block_count; b++)
        if (!(b->size == 1 ? clear_column(p, b, 1, x) : b->size == 6 ? clear_column(p, b, 6, x) : clear_column(p, b, b->size < 6 ? b->size : 6, x))) return false;
    for (int i = p->block_count - 1; i >= 0; i--) substitute_back(p, &p->blocks[i], x);
    return true;
}
