/* What bodies feel: the velocities from which a step changed them, and the forces of the contacts in it. */
#include <string.h>

#include "kernel.h"

/* Before a step's export, while the caller's arrays hold what was. */
void remember_velocities(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) {
        body *b = k->bodies.items[i];
        memcpy(b->before, k->linear + 3 * i, 3 * sizeof(double));
        memcpy(b->before + 3, k->angular + 3 * i, 3 * sizeof(double));
    }
}

void body_velocities_before(body *b, double *linear_and_angular) { memcpy(linear_and_angular, b->before, sizeof b->before); }

void body_feel(body *b) { b->feels = true; }

static bool felt(const contact_record *contact)
{
    return (contact->first && contact->first->feels) || (contact->second && contact->second->feels);
}

/* Tells ODE where to write the forces of contacts that somebody feels; their memory must not move until it has. */
void watch_contacts(kernel *k)
{
    int count = 0;
    for (int i = 0; i < k->contact_count; i++) count += felt(&k->contacts[i]);
    if (!count) return;
    k->touches = grown(k->touches, &k->touch_capacity, count, sizeof *k->touches);
    memset(k->touches, 0, (size_t)count * sizeof *k->touches);
    count = 0;
    for (int i = 0; i < k->contact_count; i++) {
        contact_record *contact = &k->contacts[i];
        if (!felt(contact)) continue;
        contact->touch = count++;
        if (contact->joint) dJointSetFeedback(contact->joint, &k->touches[contact->touch]);
    }
}

int body_contacts(kernel *k, body *b, int capacity, int64_t *others, double *positions, double *forces)
{
    int count = 0;
    for (int i = 0; i < k->contact_count; i++) {
        const contact_record *contact = &k->contacts[i];
        if (contact->touch < 0 || (contact->first != b && contact->second != b)) continue;
        if (count < capacity) {
            const dJointFeedback *touch = &k->touches[contact->touch];
            /* Where the first body is static, ODE takes the second for the first. */
            const double *force = contact->first == b || !contact->first ? touch->f1 : touch->f2;
            others[count] = (int64_t)(contact->first == b ? contact->key & 0xffffffffu : contact->key >> 32);
            memcpy(positions + 3 * count, contact->position, 3 * sizeof(double));
            memcpy(forces + 3 * count, force, 3 * sizeof(double));
        }
        count++;
    }
    return count;
}
