/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits that run out: in milliseconds, after exactly so long in virtual time, with result 0 and nothing
 * touched. */
#include "tests/e2e/two_ends.h"

#include <string.h>

#define MILLISECOND UINT64_C(1000000000) /* picoseconds */

/* At the time given, and before one more look would have fitted in. Free running: in time, and not for ever.
 */
static void check_elapsed(uint64_t since, uint32_t ms) {
    const uint64_t elapsed = myri_time() - since;
    CHECK(elapsed >= ms * MILLISECOND);
    CHECK(elapsed < (myri_time_is_virtual() ? ms * MILLISECOND + MILLISECOND / 100 : ms * 20 * MILLISECOND));
}

static void every_call(uint32_t ms) {
    unsigned char byte;
    mx_status_t status, untouched;
    mx_request_t request = receive_bytes(&byte, 1, 77, MX_MATCH_MASK_NONE), same = request, none = NULL;
    uint32_t result = 9;
    uint64_t since = myri_time();
    memset(&status, 0x5a, sizeof status);
    memset(&untouched, 0x5a, sizeof untouched);
    snprintf(label, sizeof label, "mx_wait, %u ms", ms);
    CHECK_EQ(mx_wait(endpoint, &request, ms, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0);
    CHECK(request == same);
    check_elapsed(since, ms);
    snprintf(label, sizeof label, "mx_wait_any, %u ms", ms);
    since = myri_time(), result = 9;
    CHECK_EQ(mx_wait_any(endpoint, ms, 0, 0, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0);
    check_elapsed(since, ms);
    snprintf(label, sizeof label, "mx_probe, %u ms", ms);
    since = myri_time(), result = 9;
    CHECK_EQ(mx_probe(endpoint, ms, 0, NOT_MEET, &status, &result), MX_SUCCESS);
    CHECK_EQ(result, 0);
    check_elapsed(since, ms);
    snprintf(label, sizeof label, "mx_peek, %u ms", ms);
    since = myri_time(), result = 9;
    CHECK_EQ(mx_peek(endpoint, ms, &none, &result), MX_SUCCESS);
    CHECK_EQ(result, 0);
    CHECK(none == NULL);
    check_elapsed(since, ms);
    CHECK(memcmp(&status, &untouched, sizeof status) == 0);
    CHECK_EQ(mx_cancel(endpoint, &request, &result), MX_SUCCESS);
    CHECK_EQ(result, 1);
}

/* They answer 0, and though polls in vain let virtual time pass, no poll is longer than a millisecond. */
static void polls(void) {
    unsigned char byte;
    mx_status_t status;
    mx_request_t request = receive_bytes(&byte, 1, 77, MX_MATCH_MASK_NONE), none = NULL;
    uint32_t result = 9;
    const uint64_t since = myri_time();
    snprintf(label, sizeof label, "polls");
    CHECK(mx_test(endpoint, &request, &status, &result) == MX_SUCCESS && result == 0);
    CHECK(mx_test_any(endpoint, 0, 0, &status, &result) == MX_SUCCESS && result == 0);
    CHECK(mx_iprobe(endpoint, 0, NOT_MEET, &status, &result) == MX_SUCCESS && result == 0);
    CHECK(mx_ipeek(endpoint, &none, &result) == MX_SUCCESS && result == 0);
    CHECK(!myri_time_is_virtual() || myri_time() - since < 4 * MILLISECOND + MILLISECOND / 100);
    CHECK_EQ(mx_cancel(endpoint, &request, &result), MX_SUCCESS);
}

/* Events of others do not end a wait early, nor lengthen it. */
static void unrelated_traffic(void) {
    unsigned char byte;
    char bytes[100][8];
    mx_status_t status;
    uint32_t result = 9;
    snprintf(label, sizeof label, "unrelated traffic");
    if (receives) {
        mx_request_t request = receive_bytes(&byte, 1, 77, MX_MATCH_MASK_NONE);
        meet();
        const uint64_t since = myri_time();
        CHECK_EQ(mx_wait(endpoint, &request, 20, &status, &result), MX_SUCCESS);
        CHECK_EQ(result, 0);
        check_elapsed(since, 20);
        CHECK_EQ(mx_cancel(endpoint, &request, &result), MX_SUCCESS);
        for (int i = 0; i < 100; i++)
            wait_for(receive_bytes(bytes[i], 8, 5, MX_MATCH_MASK_NONE));
    } else {
        meet();
        for (int i = 0; i < 100; i++) {
            wait_for(send_bytes("traffic", 8, 5));
            myri_sleep(MILLISECOND / 10);
        }
    }
    meet();
}

/* 0 means for ever: it ends when the message comes, 200 ms from now. */
static void no_limit(void) {
    unsigned char byte = 0;
    snprintf(label, sizeof label, "no limit");
    if (sends) {
        meet();
        myri_sleep(200 * MILLISECOND);
        wait_for(send_bytes("x", 1, 6));
    } else {
        const mx_request_t request = receive_bytes(&byte, 1, 6, MX_MATCH_MASK_NONE);
        meet();
        const uint64_t since = myri_time();
        wait_for(request);
        CHECK(myri_time() - since >= (myri_time_is_virtual() ? 199 : 100) * MILLISECOND);
        CHECK_EQ(byte, 'x');
    }
}

/* The one call that reports it. Endpoint 9 of the peer's host is open to nobody: refused, not run out. */
static void connects(void) {
    uint64_t nic;
    uint32_t id;
    mx_endpoint_addr_t address;
    const uint64_t since = myri_time();
    snprintf(label, sizeof label, "mx_connect to nobody");
    CHECK_EQ(mx_decompose_endpoint_addr(peer, &nic, &id), MX_SUCCESS);
    CHECK_EQ(mx_connect(endpoint, nic, 9, FILTER, 1000, &address), MX_CONNECTION_FAILED);
    CHECK(myri_time() - since < 1000 * MILLISECOND);
    CHECK_EQ(mx_connect(endpoint, nic, 4000, FILTER, 1000, &address), MX_BAD_ENDPOINT_ID);
    CHECK_EQ(mx_connect(endpoint, nic ^ 0xffff00, 2, FILTER, 1000, &address), MX_NIC_NOT_FOUND);
    meet();
}

int main(int argc, char** argv) {
    start(argc, argv);
    if (receives) {
        every_call(1);
        every_call(50);
        if (myri_time_is_virtual())
            every_call(1000);
        polls();
    }
    meet();
    if (!sends || !receives) {
        unrelated_traffic();
        no_limit();
    }
    connects();
    return finish();
}
