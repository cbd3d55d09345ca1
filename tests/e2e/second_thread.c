/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads that use the library, under the default error handler: an error in virtual time, fine
 * elsewhere. */
#include "tests/e2e/two_ends.h"

#include <pthread.h>

static void* second(void* ignored) {
    (void)ignored;
    CHECK_EQ(mx_progress(endpoint), MX_SUCCESS);
    return NULL;
}

int main(void) {
    pthread_t thread;
    REQUIRE(mx_init() == MX_SUCCESS);
    REQUIRE(mx_open_endpoint(0, 3, FILTER, NULL, 0, &endpoint) == MX_SUCCESS);
    CHECK_EQ(mx_progress(endpoint), MX_SUCCESS);
    REQUIRE(pthread_create(&thread, NULL, second, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    CHECK_EQ(mx_progress(endpoint), MX_SUCCESS);
    CHECK_EQ(mx_close_endpoint(endpoint), MX_SUCCESS);
    return report();
}
