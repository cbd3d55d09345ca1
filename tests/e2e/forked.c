/* SPDX-License-Identifier: BSD-3-Clause */
/* fork() in the middle: the parent goes on as if nothing had happened, the child has nothing of it and can
 * begin anew. */
#define _DEFAULT_SOURCE
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 1000001, TAG = 4 };

static void exchange(unsigned char* bytes, unsigned number) {
    mx_request_t request;
    snprintf(label, sizeof label, "message %u", number);
    if (sends) {
        fill(bytes, LENGTH, number);
        CHECK_EQ(wait_for(send_bytes(bytes, LENGTH, TAG)).code, MX_STATUS_SUCCESS);
    } else {
        memset(bytes, 0, LENGTH);
        request = receive_bytes(bytes, LENGTH, TAG, MX_MATCH_MASK_NONE);
        CHECK_EQ(wait_for(request).code, MX_STATUS_SUCCESS);
        CHECK(filled(bytes, LENGTH, number));
    }
}

static int child_ends(pid_t child) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
}

int main(int argc, char** argv) {
    unsigned char *all = malloc(LENGTH + 100), *bytes = all + 77; /* not a page of its own at either end */
    const mx_endpoint_t* parents = &endpoint;
    start(argc, argv);
    REQUIRE(all != NULL);
    exchange(bytes, 1);

    /* The child keeps its copy of the pages; what the parent writes now must be what is sent. */
    pid_t child = fork();
    if (child == 0) {
        sleep(1);
        _exit(0);
    }
    exchange(bytes, 2);
    CHECK_EQ(child_ends(child), 0);

    /* A child that ends in the ordinary way ends nothing of its parent's. */
    fflush(stdout);
    child = fork();
    if (child == 0)
        exit(0);
    CHECK_EQ(child_ends(child), 0);
    exchange(bytes, 3);

    /* It cannot use the parent's endpoint, and can open one of its own. */
    child = fork();
    if (child == 0) {
        mx_endpoint_t own = NULL;
        const mx_return_t answer = mx_progress(*parents);
        const int refused = answer == MX_NOT_INITIALIZED || answer == MX_BAD_ENDPOINT;
        const int begins = mx_init() == MX_SUCCESS &&
                           mx_open_endpoint(0, 7, FILTER, NULL, 0, &own) == MX_SUCCESS &&
                           mx_progress(*parents) == MX_BAD_ENDPOINT && mx_close_endpoint(own) == MX_SUCCESS;
        _exit(refused && begins ? 0 : 1);
    }
    exchange(bytes, 4);
    CHECK_EQ(child_ends(child), 0);
    CHECK_EQ(system("true"), 0);
    exchange(bytes, 5);
    const int status = finish();
    free(all);
    return status;
}
