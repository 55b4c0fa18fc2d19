/* ODE calls abort() or exit() when its debug or error handler returns. Ours never return: they jump out. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

enum { MOST_ITEMS = 1 << 30 };

_Thread_local jmp_buf guard_jump;
_Thread_local bool guard_set;
_Thread_local char guard_message[256];
static pthread_mutex_t globals = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool globals_held;

static void jump_out(int number, const char *format, va_list arguments)
{
    (void)number;
    vsnprintf(guard_message, sizeof guard_message, format, arguments);
    jump_to_guard();
}

/* Does nothing where no guard is set. */
void jump_to_guard(void)
{
    if (!guard_set) return;
    guard_set = false;
    longjmp(guard_jump, 1);
}

/* Memory that is not to be had ends a call as ODE's own errors do. */
void out_of_memory(void)
{
    snprintf(guard_message, sizeof guard_message, "out of memory");
    jump_to_guard();
}

void *cleared(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory) out_of_memory();
    return memory;
}

void *grown(void *memory, int *capacity, int needed, size_t size)
{
    if (needed <= *capacity) return memory;
    int wanted = *capacity ? *capacity : 64;
    while (wanted < needed && wanted <= MOST_ITEMS / 2) wanted *= 2;
    void *moved = wanted < needed ? NULL : realloc(memory, (size_t)wanted * size);
    if (!moved) {
        out_of_memory();
        return memory;
    }
    *capacity = wanted;
    return moved;
}

/* ODE's remarks, e.g. about an ill-conditioned system, would go to the terminal; what matters of them shows in the state. */
static void ignore(int number, const char *format, va_list arguments)
{
    (void)number, (void)format, (void)arguments;
}

static void install(void)
{
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dSetErrorHandler(jump_out);
    dSetDebugHandler(jump_out);
    dSetMessageHandler(ignore);
}

void guard_install(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}

void guard_clear(void)
{
    guard_set = false;
}

void guard_report(kernel *k)
{
    snprintf(k->message, sizeof k->message, "%s", guard_message);
}

void lock_globals(void)
{
    static _Thread_local bool thread_prepared; /* an ODE with thread-local caches wants to be told of every thread */
    if (!thread_prepared) thread_prepared = dAllocateODEDataForThread(dAllocateMaskAll);
    pthread_mutex_lock(&globals);
    globals_held = true;
}

/* Also called after a jump, when nobody knows whether the lock was held. */
void unlock_globals(void)
{
    if (!globals_held) return;
    globals_held = false;
    pthread_mutex_unlock(&globals);
}
