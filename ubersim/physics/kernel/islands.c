/* Islands: trees that contacts and joints connect, each solved for itself, whatever else there is in the world. */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static int top(int *parent, int row)
{
    while (parent[row] != row) row = parent[row] = parent[parent[row]];
    return row;
}

static int tree_of(const body *b) { return b && !b->kinematic ? b->tree.number : -1; }

static void join(int *group, const body *first, const body *second)
{
    int one = tree_of(first), other = tree_of(second);
    if (one < 0 || other < 0 || one == other) return; /* what cannot be moved joins nothing */
    one = top(group, one), other = top(group, other);
    group[one < other ? other : one] = one < other ? one : other;
}

static int tree_of_contact(const contact_record *c)
{
    const int first = tree_of(c->first);
    return first >= 0 ? first : tree_of(c->second);
}

static void number_islands(kernel *k, int *group)
{
    k->island_count = 0;
    k->islands = borrow(&k->memory, (size_t)k->tree_count * sizeof *k->islands);
    for (int i = 0; i < k->tree_count; i++)
        if ((group[i] = top(group, i)) == i) k->islands[k->island_count++] = (island){0};
    for (int i = 0, number = 0; i < k->tree_count; i++) /* roots come before what they stand for */
        group[i] = group[i] == i ? number++ : group[group[i]];
}

/* Sorts trees and contacts by islands, the first ones of each staying first. */
static void sort_by_islands(kernel *k, const int *group)
{
    for (int i = 0; i < k->tree_count; i++) k->islands[group[i]].trees++;
    for (int i = 0; i < k->contact_count; i++)
        if (k->contacts[i].surface) k->islands[group[tree_of_contact(&k->contacts[i])]].contacts++;
    int trees = 0, contacts = 0;
    for (island *at = k->islands; at < k->islands + k->island_count; at++) {
        at->first_tree = trees, at->first_contact = contacts;
        trees += at->trees, contacts += at->contacts;
        at->trees = at->contacts = 0;
    }
    k->island_trees = borrow(&k->memory, (size_t)trees * sizeof *k->island_trees);
    k->island_contacts = borrow(&k->memory, (size_t)contacts * sizeof *k->island_contacts);
    for (int i = 0; i < k->tree_count; i++) {
        island *at = &k->islands[group[i]];
        k->island_trees[at->first_tree + at->trees++] = i;
    }
    for (int i = 0; i < k->contact_count; i++) {
        if (!k->contacts[i].surface) continue;
        island *at = &k->islands[group[tree_of_contact(&k->contacts[i])]];
        k->island_contacts[at->first_contact + at->contacts++] = i;
    }
}

void find_islands(kernel *k)
{
    int *group = borrow(&k->memory, (size_t)k->tree_count * sizeof *group);
    for (int i = 0; i < k->tree_count; i++) group[i] = i;
    for (int i = 0; i < k->link_count; i++) join(group, k->links[i]->first, k->links[i]->second);
    for (int i = 0; i < k->contact_count; i++)
        if (k->contacts[i].surface) join(group, k->contacts[i].first, k->contacts[i].second);
    number_islands(k, group);
    sort_by_islands(k, group);
}

/* Of several trees. */
static void gather_bodies(workspace *w, const int *trees)
{
    const kernel *k = w->world;
    body **bodies = w->bodies = borrow(&w->memory, (size_t)w->body_count * sizeof *bodies);
    for (int i = 0; i < w->island->trees; i++) {
        const tree *t = &k->trees[trees[i]];
        memcpy(bodies, k->order + t->first_body, (size_t)t->bodies * sizeof *bodies);
        bodies += t->bodies;
    }
}

static void spread_branches(workspace *w)
{
    w->branches = borrow(&w->memory, (size_t)w->body_count * sizeof *w->branches);
    for (int i = 0; i < w->body_count; i++) {
        body *b = w->bodies[i];
        const limb *l = &b->tree;
        branch *t = b->branch = &w->branches[i];
        t->parent = l->parent ? l->parent->branch : NULL; /* which comes before it */
        t->base = l->base, t->joint = l->joint, t->lonely = l->lonely;
        t->mark = 0;
    }
}

void enter_island(workspace *w, const island *at)
{
    const kernel *k = w->world;
    w->island = at;
    w->constraint_count = w->body_count = 0;
    give_back(&w->memory);
    const int *trees = k->island_trees + at->first_tree;
    for (int i = 0; i < at->trees; i++) w->body_count += k->trees[trees[i]].bodies;
    w->bodies = k->order + k->trees[trees[0]].first_body;
    if (at->trees > 1) gather_bodies(w, trees);
    spread_branches(w);
}

void free_workspace(workspace *w)
{
    free(w->constraints), free(w->vectors), free(w->matrix);
    free_arena(&w->memory);
    for (int i = 0; i < KNOWN_ORDERS; i++) free_arena(&w->orders[i].memory);
}
