/* Saving and loading, to the bit. */
#include <string.h>

#include "kernel.h"

void kernel_save_bodies(kernel *k, double *rows)
{
    for (int i = 0; i < k->bodies.count; i++) {
        const body *b = k->bodies.items[i];
        double *row = rows + (size_t)STATE_ROW * i;
        memcpy(row, b->position, 3 * sizeof(double));
        memcpy(row + 3, b->quaternion, 4 * sizeof(double));
        for (int line = 0; line < 3; line++) memcpy(row + 7 + 3 * line, b->rotation + 4 * line, 3 * sizeof(double));
        memcpy(row + 16, b->linear, 3 * sizeof(double));
        memcpy(row + 19, b->angular, 3 * sizeof(double));
        memcpy(row + 22, b->force, 3 * sizeof(double));
        memcpy(row + 25, b->torque, 3 * sizeof(double));
    }
}

int kernel_load_bodies(kernel *k, const double *rows)
{
    if (k->broken) return KERNEL_BROKEN;
    for (int i = 0; i < k->bodies.count; i++) {
        body *b = k->bodies.items[i];
        const double *row = rows + (size_t)STATE_ROW * i;
        place_body(b, row, row + 3, row + 7, row + 16, row + 19);
        memcpy(b->before, row + 16, sizeof b->before);
        b->age = 1;
        memcpy(b->force, row + 22, 3 * sizeof(double));
        memcpy(b->torque, row + 25, 3 * sizeof(double));
    }
    k->pushed = true;
    /* What the last step met and exerted, it did in another state. */
    k->contact_count = 0;
    k->supported_frame = -1;
    for (int i = 0; i < k->joints.count; i++) {
        joint *j = k->joints.items[i];
        if (j->feedback) memset(j->feedback, 0, sizeof *j->feedback);
    }
    export_bodies(k);
    return KERNEL_FINE;
}
