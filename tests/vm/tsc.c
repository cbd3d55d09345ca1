/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the rate of the time-stamp counter in kHz. A guest's counter is the host's, and a guest that
 * calibrates it on a busy machine can be wrong by a factor: it is told instead (tsc_early_khz).
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct moment {
    uint64_t ticks, nanoseconds;
};

/* Of several tries the one that was disturbed least. */
static struct moment now(void) {
    struct moment best = {0, 0};
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        struct timespec t;
        const uint64_t before = __rdtsc();
        clock_gettime(CLOCK_MONOTONIC, &t);
        const uint64_t took = __rdtsc() - before;
        if (took < shortest) {
            shortest = took;
            best.ticks = before + took / 2;
            best.nanoseconds = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
        }
    }
    return best;
}

int main(void) {
    const struct timespec rest = {0, 200000000};
    const struct moment first = now();
    nanosleep(&rest, NULL);
    const struct moment last = now();
    printf("%" PRIu64 "\n", (last.ticks - first.ticks) * 1000000 / (last.nanoseconds - first.nanoseconds));
    return 0;
}
