/* Islands: trees that constraints connect, each solved for itself, whatever else there is in the world. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static int top(int *parent, int row)
{
    while (parent[row] != row) row = parent[row] = parent[parent[row]];
    return row;
}

static int tree_of(const body *b) { return b && !b->kinematic ? b->tree.root->row : -1; }

static void join(kernel *k, int one, int other)
{
    if (one < 0 || other < 0) return; /* what cannot be moved joins nothing */
    one = top(k->island, one), other = top(k->island, other);
    k->island[one < other ? other : one] = one < other ? one : other;
}

static int island_of(kernel *k, const constraint *c)
{
    const int first = tree_of(c->first), second = tree_of(c->second);
    return top(k->island, first >= 0 ? first : second);
}

/* Sorts the constraints by islands, the first ones of each staying first; `island_start` tells where those of each row's begin. */
void find_islands(kernel *k)
{
    const int rows = k->bodies.count, count = k->constraint_count;
    for (int i = 0; i < rows; i++) k->island[i] = i;
    for (int i = 0; i < count; i++) join(k, tree_of(k->constraints[i]->first), tree_of(k->constraints[i]->second));
    memset(k->island_start, 0, (size_t)(rows + 1) * sizeof(int));
    for (int i = 0; i < count; i++) k->island_start[(k->constraints[i]->island = island_of(k, k->constraints[i])) + 1]++;
    for (int i = 0; i < rows; i++) k->island_start[i + 1] += k->island_start[i];
    constraint **sorted = borrow(&k->memory, (size_t)count * sizeof *sorted);
    int *next = borrow(&k->memory, (size_t)(rows + 1) * sizeof *next);
    memcpy(next, k->island_start, (size_t)(rows + 1) * sizeof *next);
    for (int i = 0; i < count; i++) sorted[next[k->constraints[i]->island]++] = k->constraints[i];
    for (int i = 0; i < count; i++) k->constraints[i] = sorted[i];
}

/* Numbers the freedoms that rows act on: leaves first, roots last. */
int number_freedoms(kernel *k, constraint **items, int count)
{
    body **found = NULL;
    int bodies = 0, deepest = 0, freedoms = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++)
            for (int n = 0; n < items[i]->branches; n++) {
                branch *t = &items[i]->support[n]->tree;
                if (t->mark == 1 + pass) continue;
                t->mark = 1 + pass;
                if (pass) found[bodies] = items[i]->support[n];
                bodies++;
                if (t->depth > deepest) deepest = t->depth;
            }
        if (pass) break;
        found = borrow(&k->memory, (size_t)(bodies + 1) * sizeof *found);
        bodies = 0;
    }
    for (int depth = deepest; depth >= 0; depth--)
        for (int i = 0; i < bodies; i++) {
            branch *t = &found[i]->tree;
            if (t->depth != depth) continue;
            t->first_freedom = freedoms;
            freedoms += t->freedoms;
        }
    for (int i = 0; i < bodies; i++) found[i]->tree.mark = 0;
    return freedoms;
}
