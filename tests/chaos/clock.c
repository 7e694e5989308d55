/* A clock of one's own: loaded before a process, it adds what the file named by CHAOS_CLOCK holds (nanoseconds, as text) to
   the time of day, looked up each time. Time that only measures how long something took is left alone, as by a person who
   sets a machine's clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long offset(void) {
    static int file = -2;
    char text[32] = {0};
    if (file == -2) {
        const char *name = getenv("CHAOS_CLOCK");
        file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    }
    return file >= 0 && pread(file, text, sizeof text - 1, 0) > 0 ? atoll(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, at);
    if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        long long now = at->tv_sec * 1000000000LL + at->tv_nsec + offset();
        at->tv_sec = now / 1000000000LL;
        at->tv_nsec = now % 1000000000LL;
    }
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
