/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads of each end share its endpoint: one sends while the other receives, each blocking. */
#include "tests/e2e/two_ends.h"

#include <pthread.h>
#include <stdlib.h>

#define MESSAGES 150
#define LONGEST  100000

/* Of each class of messages some. */
static uint32_t length_of(int n) {
    static const uint32_t lengths[] = {0, 17, 128, 129, 4096, 20000, 32769, LONGEST};
    return lengths[n % 8];
}
static unsigned char byte_of(int n, uint32_t at) { return (unsigned char)(n * 7 + (int)at * 13 + (int)(at >> 8)); }

/* Results, looked at when both have ended: the checks' own counts are not for threads. */
struct work {
    unsigned char* bytes;
    int wrong;
};

static int complete(mx_request_t* request, mx_status_t* status) {
    uint32_t result = 0;
    return mx_wait(endpoint, request, MX_INFINITE, status, &result) == MX_SUCCESS && result == 1 &&
           status->code == MX_STATUS_SUCCESS;
}

static void* send_all(void* argument) {
    struct work* work = argument;
    for (int n = 0; n < MESSAGES; n++) {
        mx_request_t request;
        mx_status_t status;
        mx_segment_t segment = {work->bytes, length_of(n)};
        for (uint32_t i = 0; i < length_of(n); i++)
            work->bytes[i] = byte_of(n, i);
        if (mx_isend(endpoint, &segment, 1, peer, (uint64_t)n, NULL, &request) != MX_SUCCESS ||
            !complete(&request, &status))
            work->wrong++;
    }
    return NULL;
}

static void* receive_all(void* argument) {
    struct work* work = argument;
    for (int n = 0; n < MESSAGES; n++) {
        mx_request_t request;
        mx_status_t status;
        mx_segment_t segment = {work->bytes, LONGEST};
        if (mx_irecv(endpoint, &segment, 1, (uint64_t)n, MX_MATCH_MASK_NONE, NULL, &request) != MX_SUCCESS ||
            !complete(&request, &status) || status.xfer_length != length_of(n)) {
            work->wrong++;
            continue;
        }
        for (uint32_t i = 0; i < length_of(n); i++)
            if (work->bytes[i] != byte_of(n, i)) {
                work->wrong++;
                break;
            }
    }
    return NULL;
}

int main(int argc, char** argv) {
    struct work out = {malloc(LONGEST), 0}, in = {malloc(LONGEST), 0};
    pthread_t sender, receiver;
    start(argc, argv);
    REQUIRE(out.bytes && in.bytes);
    REQUIRE(pthread_create(&receiver, NULL, receive_all, &in) == 0);
    REQUIRE(pthread_create(&sender, NULL, send_all, &out) == 0);
    REQUIRE(pthread_join(sender, NULL) == 0 && pthread_join(receiver, NULL) == 0);
    CHECK_EQ(out.wrong, 0);
    CHECK_EQ(in.wrong, 0);
    free(out.bytes);
    free(in.bytes);
    return finish();
}
