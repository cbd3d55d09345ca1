/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * all_to_all INDEX COUNT HOSTS: process INDEX of COUNT; process i runs on host i % HOSTS, on endpoint i /
 * HOSTS. All connect to all at once, themselves too, and each sends to each one small and one large message.
 */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 64, LARGE = 40000, SMALL_TAG = 1, LARGE_TAG = 2, READY = 3 };
#define SECOND UINT64_C(1000000000000)

static unsigned self, count, hosts;
static mx_endpoint_addr_t all[MOST];

static void connect_to(unsigned other) {
    char name[16];
    uint64_t nic;
    snprintf(name, sizeof name, "n%u", other % hosts);
    REQUIRE(mx_hostname_to_nic_id(name, &nic) == MX_SUCCESS);
    for (int tries = 0;; tries++) {
        const mx_return_t code = mx_connect(endpoint, nic, other / hosts, FILTER, 1000, &all[other]);
        if (code == MX_SUCCESS)
            return;
        REQUIRE(tries < 1000 && (code == MX_CONNECTION_FAILED || code == MX_TIMEOUT)); /* not there yet */
        myri_sleep(SECOND / 1000);
    }
}

static mx_request_t send_to(unsigned other, void* bytes, uint32_t length, uint64_t match) {
    peer = all[other];
    return send_bytes(bytes, length, match);
}

int main(int argc, char** argv) {
    static unsigned char large_out[LARGE], *large_in[MOST];
    mx_request_t requests[4 * MOST];
    unsigned got[MOST], out, posted = 0;
    REQUIRE(argc == 4);
    self = (unsigned)atoi(argv[1]);
    count = (unsigned)atoi(argv[2]);
    hosts = (unsigned)atoi(argv[3]);
    REQUIRE(self < count && count <= MOST && hosts >= 1);
    snprintf(label, sizeof label, "process %u of %u", self, count);
    mx_set_error_handler(MX_ERRORS_RETURN);
    REQUIRE(mx_init() == MX_SUCCESS);
    REQUIRE(mx_open_endpoint(0, self / hosts, FILTER, NULL, 0, &endpoint) == MX_SUCCESS);
    const uint64_t since = myri_time();
    for (unsigned i = 0; i < count; i++)
        connect_to((self + i) % count); /* each in another order */
    CHECK(!myri_time_is_virtual() || myri_time() - since < 2 * SECOND);

    out = self;
    fill(large_out, LARGE, self);
    for (unsigned i = 0; i < count; i++) {
        REQUIRE((large_in[i] = malloc(LARGE)) != NULL);
        requests[posted++] =
            receive_bytes(large_in[i], LARGE, LARGE_TAG + ((uint64_t)i << 32), MX_MATCH_MASK_NONE);
        requests[posted++] =
            receive_bytes(&got[i], sizeof got[i], SMALL_TAG + ((uint64_t)i << 32), MX_MATCH_MASK_NONE);
    }
    for (unsigned i = 0; i < count; i++) {
        requests[posted++] = send_to(i, &out, sizeof out, SMALL_TAG + ((uint64_t)self << 32));
        requests[posted++] = send_to(i, large_out, LARGE, LARGE_TAG + ((uint64_t)self << 32));
    }
    for (unsigned i = 0; i < posted; i++)
        CHECK_EQ(wait_for(requests[i]).code, MX_STATUS_SUCCESS);
    for (unsigned i = 0; i < count; i++) {
        CHECK_EQ(got[i], i);
        CHECK(filled(large_in[i], LARGE, i));
        free(large_in[i]);
    }
    /* Nobody goes before process 0 has heard of all: its command is the last one. */
    if (self != 0) {
        CHECK_EQ(wait_for(send_to(0, NULL, 0, READY)).code, MX_STATUS_SUCCESS);
    } else {
        for (unsigned i = 1; i < count; i++)
            wait_for(receive_bytes(NULL, 0, READY, MX_MATCH_MASK_NONE));
        myri_sleep(SECOND);
    }
    CHECK_EQ(mx_close_endpoint(endpoint), MX_SUCCESS);
    CHECK_EQ(mx_finalize(), MX_SUCCESS);
    return report();
}
