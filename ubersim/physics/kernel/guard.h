/* Against what ODE does to a whole process: it ends it when something fails, and its worlds share memory. */
#ifndef UBERSIM_GUARD_H
#define UBERSIM_GUARD_H

#include <setjmp.h>
#include <stdbool.h>

#include "api.h"

/* ODE's debug and error handlers must not return, or it ends the process: they jump back to the guard of the calling thread.
   A guard is set in the frame of the function that talks to ODE and is cleared before that function returns. */
extern _Thread_local jmp_buf guard_jump;
extern _Thread_local bool guard_set;
extern _Thread_local char guard_message[256];
#define ODE_FAILED() (guard_set = true, _setjmp(guard_jump) != 0)
void guard_install(void);
void guard_clear(void);
void jump_to_guard(void);
void guard_report(kernel *k);

/* ODE's random seed and trimesh caches are one per process; worlds in other threads must wait for them. */
void lock_globals(void);
void unlock_globals(void);

#endif
