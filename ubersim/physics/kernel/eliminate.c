/* Gauss without pivoting, block by block: rows and columns of what is not coupled are never looked at. The matrix is not symmetric where something slips. */
#include <math.h>
#include <string.h>

#include "kernel.h"

enum { FEW = 16 }; /* freedoms whose whole matrix is cleared at once */
static const double LEAST_PIVOT = 1e-6;

void clear_matrix(const problem *p)
{
    const size_t n = (size_t)p->freedoms;
    if (n <= FEW) {
        memset(p->matrix, 0, n * n * sizeof(double));
        for (size_t i = 0; i < n; i++) p->matrix[i * n + i] = 1;
        return;
    }
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
        double *here = own + (size_t)i * n + b->start, line[6], left = x[b->start + i];
        for (int l = 0; l < size; l++) line[l] = here[l];
#pragma GCC unroll 6
        for (int j = 0; j < i; j++) {
            const double *above = own + (size_t)j * n + b->start;
            share[j] = line[j] * inverse[j];
            for (int l = j + 1; l < size; l++) line[l] -= share[j] * above[l];
            left -= share[j] * x[b->start + j];
        }
        for (int l = 0; l < size; l++) here[l] = line[l];
        x[b->start + i] = left;
        if (!(fabs(here[i]) > LEAST_PIVOT)) return false;
        inverse[i] = 1 / here[i];
        if (i && b->run_count) subtract(here - b->start, own, n, share, i, b);
    }
    return true;
}

/* A hinge's line from those of the only run that it is coupled with, of a length that is known beforehand. */
static inline __attribute__((always_inline)) void clear_run(const problem *p, int column, double inverse, int start, int length, double *x)
{
    const size_t n = (size_t)p->freedoms;
    const double *own = p->matrix + (size_t)column * n + start, own_x = x[column];
    double *restrict line = p->matrix + (size_t)start * n, tail[8];
    for (int l = 0; l < length; l++) tail[l] = own[l];
    for (int row = start; row < start + length; row++, line += n) {
        if (line[column] == 0) continue;
        const double share = line[column] * inverse;
        x[row] -= share * own_x;
        for (int l = 0; l < length; l++) line[start + l] -= share * tail[l];
    }
}

static inline __attribute__((always_inline)) bool clear_column(const problem *p, const block *b, int size, double *x)
{
    const size_t n = (size_t)p->freedoms;
    double inverse[6], *own = p->matrix + (size_t)b->start * n;
    if (!clear_own(own, n, b, size, inverse, x)) return false;
    if (size == 1 && b->run_count == 1 && b->runs->length >= 6 && b->runs->length <= 8) {
        const int start = b->runs->start;
        b->runs->length == 6   ? clear_run(p, b->start, inverse[0], start, 6, x)
        : b->runs->length == 7 ? clear_run(p, b->start, inverse[0], start, 7, x)
                               : clear_run(p, b->start, inverse[0], start, 8, x);
        return true;
    }
    for (const run *r = b->runs; r < b->runs + b->run_count; r++)
        for (int row = r->start; row < r->start + r->length; row++) {
            double *line = p->matrix + (size_t)row * n;
            if (!is_clear(line + b->start, size)) clear_line(line, own, n, inverse, size, b, x, row);
        }
    return true;
}

static inline __attribute__((always_inline)) void substitute_back(const problem *p, const block *b, int size, double *x)
{
    const double *line = p->matrix + (size_t)(b->start + size - 1) * (size_t)p->freedoms;
#pragma GCC unroll 6
    for (int i = size - 1; i >= 0; i--, line -= p->freedoms) {
        double sum = x[b->start + i];
        for (int l = i + 1; l < size; l++) sum -= line[b->start + l] * x[b->start + l];
        for (const run *r = b->runs; r < b->runs + b->run_count; r++)
            for (int l = r->start; l < r->start + r->length; l++) sum -= line[l] * x[l];
        x[b->start + i] = sum / line[b->start + i];
    }
}

/* Solves matrix * x = what x was; the matrix is used up. Nearly all blocks are roots or hinges, whose loops the compiler unrolls. */
bool eliminate(const problem *p, double *x)
{
    for (const block *b = p->blocks; b < p->blocks + p->block_count; b++)
        if (!(b->size == 1 ? clear_column(p, b, 1, x) : b->size == 6 ? clear_column(p, b, 6, x) : clear_column(p, b, b->size < 6 ? b->size : 6, x))) return false;
    for (const block *b = p->blocks + p->block_count - 1; b >= p->blocks; b--)
        b->size == 1 ? substitute_back(p, b, 1, x) : b->size == 6 ? substitute_back(p, b, 6, x) : substitute_back(p, b, b->size < 6 ? b->size : 6, x);
    return true;
}
