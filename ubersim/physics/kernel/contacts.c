/* From geoms that are near each other to contact joints, in an order that depends on nothing but the geoms' ids. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

/* What ODE needs to know of a pair of materials, worked out once. */
pair_surface prepare_surface(const surface *s)
{
    const double mu2 = isnan(s->mu2) ? s->mu : s->mu2;
    pair_surface pair = {.anisotropic = mu2 != s->mu || s->slip2 != s->slip, .rolling = s->rolling > 0 || s->spinning > 0};
    dSurfaceParameters *p = &pair.parameters;
    p->mode = dContactApprox1 | dContactAxisDep | dContactFDir1;
    p->mu = s->mu, p->mu2 = mu2;
    if (s->bounce > 0) p->mode |= dContactBounce, p->bounce = s->bounce, p->bounce_vel = s->bounce_velocity;
    if (!isnan(s->soft_erp)) p->mode |= dContactSoftERP, p->soft_erp = s->soft_erp;
    if (!isnan(s->soft_cfm)) p->mode |= dContactSoftCFM, p->soft_cfm = s->soft_cfm;
    if (s->slip > 0) p->mode |= dContactSlip1, p->slip1 = s->slip;
    if (s->slip2 > 0) p->mode |= dContactSlip2, p->slip2 = s->slip2;
    if (pair.rolling) {
        /* ODE reserves all three rows and leaves those undefined whose coefficient is 0: a limit of next to nothing instead. */
        p->mode |= dContactRolling;
        p->rho = p->rho2 = fmax(s->rolling, 1e-15);
        p->rhoN = fmax(s->spinning, 1e-15);
    }
    return pair;
}

static bool may_collide(const geom *a, const geom *b)
{
    if (a->owner == b->owner && !(a->self_collides && b->self_collides)) return false;
    if (!a->body || !b->body || !a->body->has_joints || !b->body->has_joints) return true;
    return !dAreConnected(a->body->ode, b->body->ode);
}

static void note_pair(void *data, dGeomID first, dGeomID second)
{
    kernel *k = data;
    geom *lower = dGeomGetData(first), *higher = dGeomGetData(second);
    if (!may_collide(lower, higher)) return;
    if (lower->id > higher->id) {
        geom *swapped = lower;
        lower = higher, higher = swapped;
    }
    if (k->pair_count == k->pair_capacity) {
        int capacity = k->pair_capacity;
        k->pairs = grown(k->pairs, &capacity, k->pair_count + 1, sizeof *k->pairs);
        k->pairs_scratch = grown(k->pairs_scratch, &k->pair_capacity, k->pair_count + 1, sizeof *k->pairs);
    }
    k->pairs[k->pair_count++] = (near_pair){(uint64_t)lower->id << 32 | higher->id, lower, higher};
}

/* Merge sort from runs of 8: the keys are distinct, and hundreds of pairs must cost little. */
static void sort_pairs(kernel *k)
{
    const int n = k->pair_count;
    near_pair *from = k->pairs, *to = k->pairs_scratch;
    for (int start = 0; start < n; start += 8) {
        const int end = start + 8 < n ? start + 8 : n;
        for (int i = start + 1; i < end; i++) {
            const near_pair pair = from[i];
            int place = i;
            for (; place > start && from[place - 1].key > pair.key; place--) from[place] = from[place - 1];
            from[place] = pair;
        }
    }
    for (int width = 8; width < n; width *= 2) {
        for (int start = 0; start < n; start += 2 * width) {
            const int middle = start + width < n ? start + width : n, end = middle + width < n ? middle + width : n;
            int left = start, right = middle;
            for (int i = start; i < end; i++)
                to[i] = left < middle && (right >= end || from[left].key < from[right].key) ? from[left++] : from[right++];
        }
        near_pair *swapped = from;
        from = to, to = swapped;
    }
    k->pairs = from, k->pairs_scratch = to;
}

void find_pairs(kernel *k)
{
    k->pair_count = 0;
    if (k->mesh_count) lock_globals();
    dSpaceCollide(k->space, k, note_pair);
    if (k->mesh_count) unlock_globals();
    sort_pairs(k);
}

static void record(kernel *k, const near_pair *pair, const dContactGeom *at, dJointID joint)
{
    contact_record *kept = &k->contacts[k->contact_count++];
    kept->pair = pair;
    kept->key = pair->key;
    memcpy(kept->position, at->pos, sizeof kept->position);
    memcpy(kept->normal, at->normal, sizeof kept->normal);
    kept->depth = at->depth;
    kept->first = pair->lower->body, kept->second = pair->higher->body;
    kept->joint = joint;
    kept->touch = -1;
}

static bool immovable(const geom *g) { return !g->body || g->body->kinematic; }

static dBodyID ode_body(const geom *g) { return g->body ? g->body->ode : NULL; }

void make_contacts(kernel *k)
{
    dContact found[MAX_CONTACTS_PER_PAIR];
    k->contact_count = 0;
    for (int i = 0; i < k->pair_count; i++) {
        const near_pair *pair = k->current = &k->pairs[i];
        const geom *lower = pair->lower, *higher = pair->higher;
        const bool mesh = lower->mesh || higher->mesh;
        if (mesh) lock_globals();
        const int count = dCollide(lower->ode, higher->ode, MAX_CONTACTS_PER_PAIR, &found[0].geom, sizeof(dContact));
        if (mesh) unlock_globals();
        if (!count) continue;
        const bool solved = !(immovable(lower) && immovable(higher)); /* else they touch, and nobody gives way */
        const pair_surface *surface = &k->surfaces[lower->material * k->materials + higher->material];
        k->contacts = grown(k->contacts, &k->contact_capacity, k->contact_count + count, sizeof *k->contacts);
        for (int j = 0; j < count; j++) {
            if (!solved) {
                record(k, pair, &found[j].geom, NULL);
                continue;
            }
            found[j].surface = surface->parameters;
            friction_direction(k, surface, lower, higher, &found[j]);
            dJointID joint = dJointCreateContact(k->world, k->contact_joints, &found[j]);
            dJointAttach(joint, ode_body(lower), ode_body(higher));
            record(k, pair, &found[j].geom, joint);
        }
    }
    watch_contacts(k);
}

int kernel_contact_count(kernel *k) { return k->contact_count; }

void kernel_contacts(kernel *k, int64_t *ids, double *positions, double *normals, double *depths)
{
    for (int i = 0; i < k->contact_count; i++) {
        const contact_record *kept = &k->contacts[i];
        ids[2 * i] = (int64_t)(kept->key >> 32);
        ids[2 * i + 1] = (int64_t)(kept->key & 0xffffffffu);
        memcpy(positions + 3 * i, kept->position, sizeof kept->position);
        memcpy(normals + 3 * i, kept->normal, sizeof kept->normal);
        depths[i] = kept->depth;
    }
}
