/* Memory that grows, and memory that lives for one step. */
#ifndef UBERSIM_MEMORY_H
#define UBERSIM_MEMORY_H

#include <stddef.h>

typedef struct {
    void **items;
    int count, capacity;
} list;

/* Memory that lives for one step. */
typedef struct {
    struct {
        char *memory;
        size_t size;
    } *blocks;
    int count, capacity, current;
    size_t used;
} arena;

/* These jump to the guard if there is no memory left: only functions that set one may call them. */
void out_of_memory(void);
void *cleared(size_t size);
void *grown(void *memory, int *capacity, int needed, size_t size);
void list_append(list *l, void *item);

/* Of `borrow`: where the block at hand has no room left. */
void *borrow_elsewhere(arena *a, size_t size);

static inline void *borrow(arena *a, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (a->current == a->count || a->used + size > a->blocks[a->current].size) return borrow_elsewhere(a, size);
    void *memory = a->blocks[a->current].memory + a->used;
    a->used += size;
    return memory;
}

void give_back(arena *a);
void free_arena(arena *a);

#endif
