/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* kill */
/*
 * A process that is killed while messages are under way, and the peer that survives it.
 *
 *   killed survivor [COUNT]      serves victims on endpoint 2 of its host until the last one, or so many
 *   killed victim HOST N US      victim number N: opens endpoint 1, exchanges 4 MiB with the survivor on HOST
 * (it sends if N is even, receives if odd), and kills itself after US microseconds of its clock killed last
 * HOST             ends the survivor
 *
 * Each victim opens the endpoint of the one before, which nobody has closed: at the first try or not at all.
 */
#include "tests/e2e/two_ends.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HELLO = 1, EXTRA = 3, NEVER_SENT = 4, EXTRAS = 13, LENGTH = 4 << 20, LAST = 1 << 30 };
#define DATA(victim) (2 | (uint64_t)(victim) << 32)
#define SECOND       UINT64_C(1000000000000)

static unsigned char bytes[LENGTH], medium[20000], large[200000], other[4];

static void open_and_hail(const char* host, uint32_t number) {
    uint64_t nic;
    mx_return_t code = mx_open_endpoint(0, 1, FILTER, NULL, 0, &endpoint);
    snprintf(label, sizeof label, "victim %u", number);
    CHECK_EQ(code, MX_SUCCESS);
    REQUIRE(code == MX_SUCCESS);
    REQUIRE(mx_hostname_to_nic_id((char*)(uintptr_t)host, &nic) == MX_SUCCESS);
    for (int tries = 0; (code = mx_connect(endpoint, nic, 2, FILTER, 1000, &peer)) != MX_SUCCESS; tries++) {
        REQUIRE(tries < 100 && (code == MX_CONNECTION_FAILED || code == MX_TIMEOUT));
        myri_sleep(SECOND / 1000);
    }
    CHECK_EQ(wait_for(send_bytes(&number, sizeof number, HELLO)).code, MX_STATUS_SUCCESS);
}

static int be_victim(const char* host, uint32_t number, uint64_t us) {
    open_and_hail(host, number);
    fill(bytes, LENGTH, number);
    if (number % 2)
        receive_bytes(bytes, LENGTH, DATA(number), MX_MATCH_MASK_NONE);
    else
        send_bytes(bytes, LENGTH, DATA(number));
    myri_sleep(us * 1000000);
    kill(getpid(), SIGKILL);
    return 1;
}

static int over(mx_status_code_t code) {
    return code == MX_STATUS_SUCCESS || code == MX_STATUS_ENDPOINT_CLOSED ||
           code == MX_STATUS_ENDPOINT_UNREACHABLE ||
           code == MX_STATUS_BAD_SESSION; /* the next victim was quicker */
}

/* Whether the 4 MiB went through. All else that has to do with the victim must end as well, and once. */
static int survive(uint32_t number, const mx_status_t* hello, mx_status_code_t* late_code) {
    mx_request_t all[EXTRAS], data;
    mx_status_t status;
    uint32_t result;
    mx_segment_t four = {other, sizeof other};
    snprintf(label, sizeof label, "victim %u", number);
    peer = hello->source;
    if (number % 2) {
        fill(bytes, LENGTH, number);
        data = send_bytes(bytes, LENGTH, DATA(number));
    } else {
        memset(bytes, 0, LENGTH);
        data = receive_bytes(bytes, LENGTH, DATA(number), MX_MATCH_MASK_NONE);
    }
    /* Nobody takes these. */
    for (int i = 0; i < 5; i++)
        all[i] = send_bytes(other, sizeof other, EXTRA);
    for (int i = 5; i < 10; i++)
        all[i] = send_bytes(medium, sizeof medium, EXTRA);
    all[10] = send_bytes(large, sizeof large, EXTRA);
    REQUIRE(mx_issend(endpoint, &four, 1, peer, EXTRA, NULL, &all[11]) == MX_SUCCESS);
    REQUIRE(mx_issend(endpoint, &four, 1, peer, EXTRA, NULL, &all[12]) == MX_SUCCESS);

    const uint64_t since = myri_time();
    for (int i = 0; i < EXTRAS; i++) {
        CHECK(mx_wait(endpoint, &all[i], 30000, &status, &result) == MX_SUCCESS &&
              result == 1); /* must not hang */
        REQUIRE(result == 1);
        CHECK(over(status.code));
        CHECK(i < 10 || status.code != MX_STATUS_SUCCESS); /* not taken, so not done */
    }
    CHECK(mx_wait(endpoint, &data, 500, &status, &result) == MX_SUCCESS);
    if (!result) {
        /* Killed before it could send: then the receive is not matched, and ours. */
        CHECK_EQ(number % 2, 0);
        CHECK(mx_cancel(endpoint, &data, &result) == MX_SUCCESS && result == 1);
        status.code = MX_STATUS_ENDPOINT_CLOSED;
    }
    CHECK(over(status.code));
    const int done = status.code == MX_STATUS_SUCCESS;
    CHECK(!done || number % 2 || filled(bytes, LENGTH, number));
    CHECK(!myri_time_is_virtual() || myri_time() - since < 5 * SECOND);
    CHECK(mx_test_any(endpoint, EXTRA, MX_MATCH_MASK_NONE, &status, &result) == MX_SUCCESS && result == 0);

    /* A send to who is gone ends too. */
    mx_request_t late = NULL;
    CHECK_EQ(mx_isend(endpoint, &four, 1, peer, EXTRA, NULL, &late), MX_SUCCESS);
    CHECK(mx_wait(endpoint, &late, 30000, &status, &result) == MX_SUCCESS && result == 1 &&
          over(status.code));
    *late_code = status.code;
    return done;
}

static int be_survivor(unsigned count) {
    mx_status_code_t late = MX_STATUS_SUCCESS;
    unsigned victims = 0, done = 0;
    mx_status_t status;
    uint32_t result;
    unsigned char none;
    REQUIRE(mx_open_endpoint(0, 2, FILTER, NULL, 0, &endpoint) == MX_SUCCESS);
    mx_request_t unmatched = receive_bytes(&none, 1, NEVER_SENT, MX_MATCH_MASK_NONE);
    while (victims < count) {
        uint32_t number = 0;
        status = wait_for(receive_bytes(&number, sizeof number, HELLO, MX_MATCH_MASK_NONE));
        if (number == LAST)
            break;
        victims++;
        done += (unsigned)survive(number, &status, &late);
    }
    snprintf(label, sizeof label, "at the end");
    CHECK(mx_test(endpoint, &unmatched, &status, &result) == MX_SUCCESS && result == 0); /* still posted */
    CHECK_EQ(mx_cancel(endpoint, &unmatched, &result), MX_SUCCESS);
    CHECK_EQ(mx_close_endpoint(endpoint), MX_SUCCESS);
    printf("%u victims, %u had exchanged all; at last: %s\n", victims, done, mx_strstatus(late));
    return report();
}

int main(int argc, char** argv) {
    mx_set_error_handler(MX_ERRORS_RETURN);
    REQUIRE(mx_init() == MX_SUCCESS);
    if (argc >= 2 && strcmp(argv[1], "survivor") == 0)
        return be_survivor(argc > 2 ? (unsigned)atoi(argv[2]) : LAST);
    if (argc == 5 && strcmp(argv[1], "victim") == 0)
        return be_victim(argv[2], (uint32_t)atoi(argv[3]), (uint64_t)atoi(argv[4]));
    REQUIRE(argc == 3 && strcmp(argv[1], "last") == 0);
    open_and_hail(argv[2], LAST);
    CHECK_EQ(mx_close_endpoint(endpoint), MX_SUCCESS);
    return report();
}
