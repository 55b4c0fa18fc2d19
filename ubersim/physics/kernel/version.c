/* Which ODE this is: bits depend on it, so that logs name it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <ode/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

const char *ode_version(void)
{
    static char text[1024];
    Dl_info where;
    char *file = dladdr((void *)(uintptr_t)dWorldCreate, &where) ? realpath(where.dli_fname, NULL) : NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    snprintf(text, sizeof text, "%s (%s; %s)", dODE_VERSION, slash ? slash + 1 : "linked statically", dGetConfiguration());
    free(file);
    return text;
}
