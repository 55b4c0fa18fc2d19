/* The tape: what a run was like, in one word per body and step, so that another run can be compared with it. */
#include <string.h>

#include "kernel.h"

/* Every round is a bijection of the hash so far and of the number that enters: two states that differ in one number alone
   have different hashes until the last fold, where one pair in 2^32 would meet. */
static uint64_t absorb(uint64_t hash, const double *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, numbers + i, sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 32;
    }
    return hash;
}

static uint32_t fingerprint(const body *b)
{
    uint64_t hash = absorb(0, b->position, 3);
    hash = absorb(hash, b->quaternion, 4);
    hash = absorb(hash, b->linear, 3);
    hash = absorb(hash, b->angular, 3);
    return (uint32_t)hash;
}

void kernel_set_tape(kernel *k, uint32_t *tape, int64_t capacity)
{
    k->tape = tape;
    k->tape_capacity = capacity;
    k->tape_length = 0;
}

int64_t kernel_tape_length(kernel *k) { return k->tape_length; }

void write_tape(kernel *k)
{
    if (!k->tape) return;
    for (int i = 0; i < k->bodies.count; i++, k->tape_length++)
        if (k->tape_length < k->tape_capacity) k->tape[k->tape_length] = fingerprint(k->bodies.items[i]);
}
