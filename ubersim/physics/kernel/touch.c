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

bool contact_on(const contact_record *contact, const body *b, body_touch *touch)
{
    if (contact->first != b && contact->second != b) return false;
    const double sign = contact->first == b ? 1 : -1;
    touch->other = (int64_t)(contact->first == b ? contact->key & 0xffffffffu : contact->key >> 32);
    touch->position = contact->position;
    for (int n = 0; n < 3; n++) touch->force[n] = sign * contact->force[n];
    return true;
}

int body_contacts(kernel *k, body *b, int capacity, int64_t *others, double *positions, double *forces)
{
    int count = 0;
    for (int i = 0; i < k->contact_count; i++) {
        body_touch touch;
        if (!contact_on(&k->contacts[i], b, &touch)) continue;
        if (count < capacity) {
            others[count] = touch.other;
            memcpy(positions + 3 * count, touch.position, 3 * sizeof(double));
            memcpy(forces + 3 * count, touch.force, sizeof touch.force);
        }
        count++;
    }
    return count;
}
