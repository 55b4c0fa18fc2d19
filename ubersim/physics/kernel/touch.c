/* What bodies feel: the velocities from which a step changed them, and the forces of the contacts in it. */
#include <string.h>

#include "kernel.h"

void body_velocities_before(body *b, double *linear_and_angular) { memcpy(linear_and_angular, b->before, sizeof b->before); }

double body_acceleration_age(body *b) { return b->age; }

void body_feel(body *b) { b->feels = true; }

static void count_unsolved(kernel *k, bool set)
{
    for (int i = 0; i < k->contact_count; i++) {
        contact_record *contact = &k->contacts[i];
        if (contact->surface) continue;
        body *presses = (body *)(contact->first && contact->first->kinematic ? contact->first : contact->second);
        if (!presses) continue;
        if (!set) {
            presses->pressing++;
            continue;
        }
        const double force = 9.81 * presses->mass / presses->pressing;
        for (int n = 0; n < 3; n++) contact->force[n] = force * contact->normal[n];
    }
}

/* What is told how to move meets what does not give way with a force that nobody knows: its weight, spread evenly over its
   contacts of that sort, stands for it. */
void press_unsolved(kernel *k)
{
    for (int i = 0; i < k->bodies.count; i++) ((body *)k->bodies.items[i])->pressing = 0;
    count_unsolved(k, false);
    count_unsolved(k, true);
}

int body_contacts(kernel *k, body *b, int capacity, int64_t *others, double *positions, double *forces)
{
    int count = 0;
    for (int i = 0; i < k->contact_count; i++) {
        const contact_record *contact = &k->contacts[i];
        if (contact->first != b && contact->second != b) continue;
        if (count < capacity) {
            const double sign = contact->first == b ? 1 : -1;
            others[count] = (int64_t)(contact->first == b ? contact->key & 0xffffffffu : contact->key >> 32);
            memcpy(positions + 3 * count, contact->position, 3 * sizeof(double));
            for (int n = 0; n < 3; n++) forces[3 * count + n] = sign * contact->force[n];
        }
        count++;
    }
    return count;
}
