/* Which bodies hang together with the static world, by joints and by what touched in the last step. */
#include "kernel.h"

/* Union-find: the static world is one more row, behind those of the bodies. */
static int root_of(int *parents, int row)
{
    while (parents[row] != row) row = parents[row] = parents[parents[row]];
    return row;
}

static void join(kernel *k, const body *one, const body *other)
{
    const int ground = k->bodies.count;
    const int first = root_of(k->supports, one && !one->kinematic ? one->row : ground);
    const int second = root_of(k->supports, other && !other->kinematic ? other->row : ground);
    k->supports[first] = second;
}

static void find_supports(kernel *k)
{
    for (int row = 0; row <= k->bodies.count; row++) k->supports[row] = row;
    for (int i = 0; i < k->bodies.count; i++) {
        const body *const b = k->bodies.items[i];
        if (b->kinematic) k->supports[b->row] = k->bodies.count; /* held by whatever moves it */
    }
    for (int i = 0; i < k->joints.count; i++) {
        const joint *const j = k->joints.items[i];
        join(k, j->first, j->second);
    }
    for (int i = 0; i < k->contact_count; i++) join(k, k->contacts[i].first, k->contacts[i].second);
    k->supported_frame = k->frame;
    k->supported_bodies = k->bodies.count;
}

int body_supported(kernel *k, body *b)
{
    if (k->supported_frame != k->frame || k->supported_bodies != k->bodies.count) find_supports(k);
    return root_of(k->supports, b->row) == root_of(k->supports, k->bodies.count);
}
