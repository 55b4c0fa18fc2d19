/* The native lane: sensors of what touches. components/sensors/contact.py and bumper.py are the specification. */
#include <math.h>

#include "lane.h"

/* Where the sensor's own frame is: its place and turn on the body are the first numbers. */
void lane_see_frame(const kernel *k, const lane_sensor *s, double *position, double *rotation)
{
    const double *at = k->positions + 3 * s->body->row, *r = k->rotations + 9 * s->body->row, *place = s->numbers, *turn = s->numbers + 3;
    for (int i = 0; i < 3; i++) {
        position[i] = at[i] + (r[3 * i] * place[0] + r[3 * i + 1] * place[1] + r[3 * i + 2] * place[2]);
        for (int n = 0; n < 3; n++)
            rotation[3 * i + n] = r[3 * i] * turn[n] + r[3 * i + 1] * turn[3 + n] + r[3 * i + 2] * turn[6 + n];
    }
}

/* The place of a geom among the partners; -1: it is not known. */
static int find_partner(const lane_sensor *s, int64_t geom)
{
    int low = 0, high = s->partner_count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (s->partners[middle] < geom) low = middle + 1;
        else high = middle;
    }
    return low < s->partner_count && s->partners[low] == geom ? low : -1;
}

bool lane_knows_partners(const kernel *k, const lane_sensor *s)
{
    body_touch touch;
    for (int i = 0; i < k->contact_count; i++)
        if (contact_on(&k->contacts[i], s->body, &touch) && find_partner(s, touch.other) < 0) return false;
    return true;
}

void lane_feel(const lane *l, const lane_sensor *s, double *values)
{
    const kernel *k = l->k;
    double position[3], rotation[9], force[3] = {0}, away[3], strongest = -1;
    body_touch touch;
    values[0] = values[4] = 0;
    lane_see_frame(k, s, position, rotation);
    for (int i = 0; i < k->contact_count; i++) {
        if (!contact_on(&k->contacts[i], s->body, &touch)) continue;
        const double number = s->partner_numbers[find_partner(s, touch.other)], *push = touch.force;
        for (int n = 0; n < 3; n++) away[n] = touch.position[n] - position[n];
        if (number < 0 || sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]) > s->numbers[12]) continue;
        const double squared = push[0] * push[0] + push[1] * push[1] + push[2] * push[2];
        if (squared > strongest) strongest = squared, values[4] = number;
        for (int n = 0; n < 3; n++) force[n] += push[n];
        values[0]++;
    }
    lane_turn_back(rotation, force, values + 1);
    lane_err(l, &s->errors[0], values + 1, 3);
}

double lane_bump(const kernel *k, const lane_sensor *s)
{
    double position[3], rotation[9], away[3], place[3], push[3], total = 0;
    body_touch touch;
    bool seen = false;
    for (int i = 0; i < k->contact_count; i++) {
        if (!contact_on(&k->contacts[i], s->body, &touch)) continue;
        if (!seen) lane_see_frame(k, s, position, rotation);
        seen = true;
        for (int n = 0; n < 3; n++) away[n] = touch.position[n] - position[n];
        lane_turn_back(rotation, away, place);
        lane_turn_back(rotation, touch.force, push);
        const double x = place[0], y = place[1], distance = sqrt(x * x + y * y);
        if (!distance || fabs(atan2(x, y)) > s->numbers[12]) continue;
        const double inwards = -(push[0] * x + push[1] * y) / distance;
        if (inwards > fabs(push[2])) total += inwards;
    }
    return total > 0 && total >= s->numbers[13];
}
