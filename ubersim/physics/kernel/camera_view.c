/* Whether a camera's picture shows a point: the formulas of ubersim/render/projections.py, and a test holds the two together. */
#include <math.h>

#include "kernel.h"

/* Where a point is seen on the ideal image plane, in units of the focal length; false if nowhere. */
static bool on_plane(const picture *p, const double *point, double *x, double *y)
{
    const double right = point[0], ahead = point[1], up = point[2];
    switch (p->projection) {
    case PINHOLE: *x = right / ahead, *y = -up / ahead; return ahead > 0;
    case ISOMETRIC_MIRROR: *x = right / -ahead, *y = -up / -ahead; return ahead < 0;
    case FACETTE: *x = atan2(right, ahead), *y = -atan2(up, sqrt(right * right + ahead * ahead)); return true;
    case FISHEYE: {
        const double across = sqrt(right * right + up * up), factor = across > 0 ? atan2(across, ahead) / across : 0;
        *x = right * factor, *y = -up * factor;
        return true;
    }
    default: { /* where the ray to the inner focus meets the mirror, seen from the far one */
        const double a = p->mirror_a, b = p->mirror_b, c = sqrt(a * a + b * b), distance = sqrt(dCalcVectorDot3(point, point));
        const double reach = b * b / (a * distance - c * ahead);
        const double met = ahead * reach + 2 * c;
        *x = right * reach / met, *y = -up * reach / met;
        return reach > 0 && (right * right + up * up) * reach * reach <= p->mirror_rim * p->mirror_rim;
    }
    }
}

static void distort(const picture *p, double *x, double *y)
{
    const double a = *x, b = *y, square = a * a + b * b;
    const double radial = 1 + square * (p->k1 + square * (p->k2 + square * p->k3));
    *x = a * radial + 2 * p->p1 * a * b + p->p2 * (square + 2 * a * a);
    *y = b * radial + p->p1 * (square + 2 * b * b) + 2 * p->p2 * a * b;
}

int picture_shows(const picture *p, const double *point)
{
    double x, y;
    const double depth = p->projection == PINHOLE ? point[1] : sqrt(dCalcVectorDot3(point, point));
    if (!(depth >= p->nearest && depth <= p->farthest) || !on_plane(p, point, &x, &y)) return false;
    distort(p, &x, &y);
    return fabs(x) * p->focal <= p->width / 2 && fabs(y) * p->focal <= p->height / 2;
}
