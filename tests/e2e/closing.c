/* SPDX-License-Identifier: BSD-3-Clause */
/* What was sent arrives although the sender closes at once and ends; and the sender does end. */
#include "tests/e2e/two_ends.h"

enum { COUNT = 100, TAG = 5 };
#define SECOND UINT64_C(1000000000000)

int main(int argc, char** argv) {
    unsigned char bytes[COUNT];
    mx_request_t requests[COUNT];
    start(argc, argv);
    for (int i = 0; receives && i < COUNT; i++)
        requests[i] = receive_bytes(&bytes[i], 1, TAG, MX_MATCH_MASK_NONE);
    meet();
    if (sends) {
        for (int i = 0; i < COUNT; i++) {
            bytes[i] = (unsigned char)(i + 1);
            requests[i] = send_bytes(&bytes[i], 1, TAG);
        }
        for (int i = 0; i < COUNT; i++)
            CHECK_EQ(wait_for(requests[i]).code, MX_STATUS_SUCCESS);
        const uint64_t since = myri_time();
        CHECK_EQ(mx_close_endpoint(endpoint), MX_SUCCESS);
        CHECK(myri_time() - since < 10 * SECOND); /* it lingers while it gets on, and 2 s when it does not */
        CHECK_EQ(mx_finalize(), MX_SUCCESS);
        return report();
    }
    for (int i = 0; i < COUNT; i++) {
        mx_status_t status;
        uint32_t result = 0;
        snprintf(label, sizeof label, "message %d", i);
        CHECK(mx_wait(endpoint, &requests[i], 20000, &status, &result) == MX_SUCCESS);
        REQUIRE(result == 1);
        CHECK_EQ(status.code, MX_STATUS_SUCCESS);
        CHECK_EQ(bytes[i], i + 1);
    }
    /* The address leads nowhere now: a send ends, with a status that says so. */
    mx_request_t late = NULL;
    snprintf(label, sizeof label, "a send afterwards");
    CHECK_EQ(mx_issend(endpoint, NULL, 0, peer, TAG, NULL, &late), MX_SUCCESS);
    CHECK_EQ(wait_for(late).code, MX_STATUS_ENDPOINT_CLOSED);
    myri_sleep(SECOND); /* a run ends with its last command: let the sender come to its end */
    CHECK_EQ(mx_close_endpoint(endpoint), MX_SUCCESS);
    CHECK_EQ(mx_finalize(), MX_SUCCESS);
    return report();
}
