/* Memory that lives for one step: taken piece by piece, given back all at once. */
#include <stdlib.h>

#include "kernel.h"

enum { BLOCK = 1 << 18 };

void *borrow_elsewhere(arena *a, size_t size)
{
    while (a->current < a->count && a->used + size > a->blocks[a->current].size) a->current++, a->used = 0;
    if (a->current == a->count) {
        const size_t room = size > BLOCK ? size : BLOCK;
        a->blocks = grown(a->blocks, &a->capacity, a->count + 1, sizeof *a->blocks);
        a->blocks[a->count].memory = malloc(room);
        if (!a->blocks[a->count].memory) out_of_memory();
        a->blocks[a->count++].size = room;
        a->used = 0;
    }
    void *memory = a->blocks[a->current].memory + a->used;
    a->used += size;
    return memory;
}

void give_back(arena *a) { a->current = 0, a->used = 0; }

void free_arena(arena *a)
{
    for (int i = 0; i < a->count; i++) free(a->blocks[i].memory);
    free(a->blocks);
}
