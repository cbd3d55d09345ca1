/* SPDX-License-Identifier: BSD-3-Clause */
/* A blocked thread: another thread's mx_wakeup ends its wait at once, signals do not. */
#define _DEFAULT_SOURCE
#include "tests/e2e/two_ends.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define MILLISECOND UINT64_C(1000000000) /* picoseconds */

static volatile sig_atomic_t alarms;
static void on_alarm(int number) {
    (void)number;
    alarms++;
}

static void* wake(void* ignored) {
    usleep(200000);
    CHECK_EQ(mx_wakeup(endpoint), MX_SUCCESS);
    return ignored;
}

int main(int argc, char** argv) {
    pthread_t thread;
    mx_status_t status;
    uint32_t result = 9;
    unsigned char byte = 0;
    struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    struct sigaction action;
    start(argc, argv);
    mx_request_t request = receive_bytes(&byte, 1, 1, MX_MATCH_MASK_NONE);

    snprintf(label, sizeof label, "mx_wakeup");
    uint64_t since = myri_time();
    REQUIRE(pthread_create(&thread, NULL, wake, NULL) == 0);
    CHECK_EQ(mx_wait(endpoint, &request, MX_INFINITE, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0);
    CHECK(myri_time() - since >= 150 * MILLISECOND);
    REQUIRE(pthread_join(thread, NULL) == 0);

    snprintf(label, sizeof label, "signals");
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    since = myri_time();
    CHECK_EQ(mx_wait(endpoint, &request, 300, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0);
    CHECK(myri_time() - since >= 300 * MILLISECOND);
    CHECK(alarms > 5);
    REQUIRE(setitimer(ITIMER_REAL, &never, NULL) == 0);

    CHECK(mx_cancel(endpoint, &request, &result) == MX_SUCCESS && result == 1);
    return finish();
}
