/* Where geoms live: what an owner brought along are two spaces of its own in the world's space, one for geoms that may collide with each other and
   one for the others. So the broad phase sees a robot as two boxes until something comes near. */
#include <stdlib.h>

#include "kernel.h"

enum { WORLD_OWNER = 0 };

static dSpaceID settled(dSpaceID space, owner_space *own)
{
    dSpaceSetCleanup(space, 0);
    dGeomSetData((dGeomID)space, own); /* by which the two of one owner know each other */
    return space;
}

/* Geoms of one owner come one after the other: the last owner is asked first. */
static owner_space *find_space(kernel *k, int32_t owner)
{
    for (int i = k->spaces.count - 1; i >= 0; i--) {
        owner_space *own = k->spaces.items[i];
        if (own->owner == owner) return own;
    }
    owner_space *own = cleared(sizeof *own);
    list_append(&k->spaces, own);
    own->owner = owner;
    own->colliding = settled(dSweepAndPruneSpaceCreate(k->space, dSAP_AXES_XYZ), own);
    own->aloof = settled(dSimpleSpaceCreate(k->space), own);
    return own;
}

/* Puts a geom where it belongs, when it is new or has changed its mind about colliding with its own kind. */
void settle_geom(kernel *k, geom *g)
{
    dSpaceID wanted = k->space, now = dGeomGetSpace(g->ode);
    if (g->owner != WORLD_OWNER) {
        const owner_space *own = find_space(k, g->owner);
        wanted = g->self_collides ? own->colliding : own->aloof;
    }
    if (now == wanted) return;
    if (now) dSpaceRemove(now, g->ode);
    dSpaceAdd(wanted, g->ode);
}

static void destroy(owner_space *own)
{
    dSpaceDestroy(own->colliding);
    dSpaceDestroy(own->aloof);
    free(own);
}

/* After its geoms have gone. */
void remove_space(kernel *k, int32_t owner)
{
    int kept = 0;
    for (int i = 0; i < k->spaces.count; i++) {
        owner_space *own = k->spaces.items[i];
        if (own->owner == owner)
            destroy(own);
        else
            k->spaces.items[kept++] = own;
    }
    k->spaces.count = kept;
}

void destroy_spaces(kernel *k)
{
    for (int i = 0; i < k->spaces.count; i++) destroy(k->spaces.items[i]);
    free(k->spaces.items);
}

void collide_inside(kernel *k, dNearCallback *note)
{
    for (int i = 0; i < k->spaces.count; i++) {
        const owner_space *own = k->spaces.items[i];
        if (dSpaceGetNumGeoms(own->colliding) > 1) dSpaceCollide(own->colliding, k, note);
    }
}
