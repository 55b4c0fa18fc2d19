/* Which of ODE's two solvers gets which island. */
#include <string.h>

#include "kernel.h"

/* The exact solver is cubic: so many contacts in one island take it some 0.3 ms, five times what the iterative one needs. */
enum { MOST_EXACT_CONTACTS = 40 };

static void solve_exactly(kernel *k) { dWorldStep(k->world, k->step); }

/* The shuffle of constraints starts from the seed and the frame alone, so that no history matters. */
static void solve_quickly(kernel *k)
{
    uint64_t x = k->seed * 0x9e3779b97f4a7c15u + (uint64_t)k->frame;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    lock_globals();
    dRandSetSeed((unsigned long)((x ^ x >> 31) & 0xffffffffu));
    dWorldQuickStep(k->world, k->step);
    unlock_globals();
}

static int root(int *parent, int row)
{
    while (parent[row] != row) row = parent[row] = parent[parent[row]];
    return row;
}

static void join(kernel *k, const body *a, const body *b)
{
    if (!a || !b) return; /* the static world joins nothing */
    const int one = root(k->island, a->row), other = root(k->island, b->row);
    k->island[one < other ? other : one] = one < other ? one : other;
}

/* Counts the contacts of every island at its root; returns how many islands have too many for the exact solver. */
static int weigh_islands(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) k->island[i] = i, k->island_contacts[i] = 0;
    for (int i = 0; i < k->joints.count; i++) {
        const joint *j = k->joints.items[i];
        join(k, j->first, j->second);
    }
    for (int i = 0; i < k->contact_count; i++)
        if (k->contacts[i].joint) join(k, k->contacts[i].pair->lower->body, k->contacts[i].pair->higher->body);
    int heavy = 0;
    for (int i = 0; i < k->contact_count; i++) {
        if (!k->contacts[i].joint) continue;
        const body *a = k->contacts[i].pair->lower->body, *b = k->contacts[i].pair->higher->body;
        if (++k->island_contacts[root(k->island, (a ? a : b)->row)] == MOST_EXACT_CONTACTS + 1) heavy++;
    }
    return heavy;
}

static bool is_heavy(kernel *k, int row) { return k->island_contacts[root(k->island, row)] > MOST_EXACT_CONTACTS; }

static void set_enabled(dBodyID ode, bool enabled)
{
    if (enabled)
        dBodyEnable(ode);
    else
        dBodyDisable(ode);
}

static void enable_only(kernel *k, bool heavy)
{
    for (int i = 0; i < k->bodies.count; i++) set_enabled(((body *)k->bodies.items[i])->ode, is_heavy(k, i) == heavy);
    for (int i = 0; i < k->joints.count; i++) {
        const joint *j = k->joints.items[i];
        if (j->ground) set_enabled(j->ground, is_heavy(k, (j->first ? j->first : j->second)->row) == heavy);
    }
}

void enable_all(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) dBodyEnable(((body *)k->bodies.items[i])->ode);
    for (int i = 0; i < k->joints.count; i++)
        if (((joint *)k->joints.items[i])->ground) dBodyEnable(((joint *)k->joints.items[i])->ground);
}

void solve(kernel *k)
{
    k->quick_islands = 0;
    if (k->solver == SOLVER_QUICK) return solve_quickly(k);
    if (k->solver == SOLVER_EXACT || k->contact_count <= MOST_EXACT_CONTACTS) return solve_exactly(k);
    k->quick_islands = weigh_islands(k);
    if (!k->quick_islands) return solve_exactly(k);
    /* Islands share no body and no joint, so each call advances its own and leaves the disabled ones as they are. */
    enable_only(k, false);
    solve_exactly(k);
    enable_only(k, true);
    solve_quickly(k);
    enable_all(k);
}
