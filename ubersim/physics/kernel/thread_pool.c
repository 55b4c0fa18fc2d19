/* Threads that solve islands. An island's solution depends on that island alone, so that it makes no difference to any bit which of them solves it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"

enum { FEWEST_BODIES = 64 }; /* with fewer, waking a thread takes longer than what it is woken for */

struct pool {
    kernel *world;
    pid_t process; /* a child of it has no threads but its own */
    int count;
    pthread_t *threads;
    workspace *spaces;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    int64_t round;
    int busy;
    bool leaving, failed;
    char message[256];
    atomic_int next; /* island that nobody has taken yet */
};

/* Takes islands until there are none left. What fails stays in here: the others are still at work. */
static void take_islands(pool *p, workspace *w)
{
    const kernel *k = p->world;
    jmp_buf outer;
    const bool guarded = guard_set;
    memcpy(&outer, &guard_jump, sizeof outer);
    if (ODE_FAILED()) {
        pthread_mutex_lock(&p->lock);
        p->failed = true;
        memcpy(p->message, guard_message, sizeof p->message);
        pthread_mutex_unlock(&p->lock);
    } else {
        for (int i; (i = atomic_fetch_add(&p->next, 1)) < k->island_count;) solve_island(w, &k->islands[i]);
        guard_clear();
    }
    memcpy(&guard_jump, &outer, sizeof outer);
    guard_set = guarded;
}

typedef struct {
    pool *pool;
    workspace *space;
} duty;

static void *work(void *data)
{
    const duty d = *(duty *)data;
    pool *p = d.pool;
    free(data);
    int64_t done = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == done && !p->leaving) pthread_cond_wait(&p->begin, &p->lock);
        if (p->leaving) break;
        done = p->round;
        pthread_mutex_unlock(&p->lock);
        take_islands(p, d.space);
        pthread_mutex_lock(&p->lock);
        if (!--p->busy) pthread_cond_signal(&p->end);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Whether they did; else there is too little to do for more than one, or nobody to do it. */
bool solve_together(kernel *k)
{
    pool *p = k->pool;
    if (!p || k->island_count < 2 || k->ordered < FEWEST_BODIES || p->process != getpid()) return false;
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->next, 0);
    p->failed = false;
    p->busy = p->count;
    p->round++;
    for (int i = 0; i < p->count; i++) p->spaces[i].quick_islands = p->spaces[i].failed_solves = 0, p->spaces[i].exploded = false;
    pthread_cond_broadcast(&p->begin);
    pthread_mutex_unlock(&p->lock);
    take_islands(p, &k->space);
    pthread_mutex_lock(&p->lock);
    while (p->busy) pthread_cond_wait(&p->end, &p->lock);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->count; i++) {
        k->space.quick_islands += p->spaces[i].quick_islands;
        k->space.failed_solves += p->spaces[i].failed_solves;
        k->space.exploded |= p->spaces[i].exploded;
    }
    if (p->failed) {
        memcpy(guard_message, p->message, sizeof guard_message);
        jump_to_guard();
    }
    return true;
}

void dismiss_pool(kernel *k)
{
    pool *p = k->pool;
    if (!p) return;
    k->pool = NULL;
    if (p->process == getpid()) {
        pthread_mutex_lock(&p->lock);
        p->leaving = true;
        pthread_cond_broadcast(&p->begin);
        pthread_mutex_unlock(&p->lock);
        for (int i = 0; i < p->count; i++) pthread_join(p->threads[i], NULL);
    }
    for (int i = 0; i < p->count; i++) free_workspace(&p->spaces[i]);
    free(p->threads), free(p->spaces), free(p);
}

int kernel_set_threads(kernel *k, int threads)
{
    dismiss_pool(k);
    if (threads < 2) return KERNEL_FINE;
    pool *p = k->pool = calloc(1, sizeof *p);
    if (!p) return KERNEL_REFUSED;
    p->world = k, p->process = getpid();
    p->threads = calloc((size_t)threads, sizeof *p->threads);
    p->spaces = calloc((size_t)threads, sizeof *p->spaces);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begin, NULL), pthread_cond_init(&p->end, NULL);
    while (p->threads && p->spaces && p->count < threads - 1) {
        duty *d = malloc(sizeof *d);
        if (!d) break;
        *d = (duty){p, &p->spaces[p->count]};
        d->space->world = k;
        if (pthread_create(&p->threads[p->count], NULL, work, d)) {
            free(d);
            break;
        }
        p->count++;
    }
    if (p->count == threads - 1) return KERNEL_FINE;
    dismiss_pool(k);
    snprintf(k->message, sizeof k->message, "no %d threads are to be had", threads);
    return KERNEL_REFUSED;
}
