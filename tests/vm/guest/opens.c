/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens and closes endpoints: opens ROUNDS AT_ONCE. Every second round ends by closing the file, without a
 * word.
 */
#define _GNU_SOURCE
#include "tests/vm/guest/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 32, LENGTH = 64 * PAGE };

int main(int argc, char** argv) {
    static struct end ends[MOST];
    REQUIRE(argc == 3);
    const int rounds = atoi(argv[1]), at_once = atoi(argv[2]);
    REQUIRE(at_once >= 1 && at_once <= MOST);
    unsigned char* memory = pages(LENGTH / PAGE);
    for (int round = 0; round < rounds; round++) {
        snprintf(label, sizeof label, "round %d", round);
        for (int i = 0; i < at_once; i++) {
            struct myri_unregister window;
            struct end* end = &ends[i];
            REQUIRE(open_end(end, MYRI_ANY) == 0);
            const uint32_t flags = end->bounce ? MYRI_REGISTER_BOUNCE : MYRI_REGISTER_WRITABLE;
            CHECK_EQ(register_memory(end, end->bounce ? NULL : memory, LENGTH, flags, &window), 0);
            const struct destination self = {own_peer(end->fd), end->open.endpoint, end->open.session};
            post(end, self, FW_SLOT_SEND, &round, sizeof round);
            const struct fw_event* event = next_event(end, 5000);
            REQUIRE(event != NULL);
            CHECK(event->type == FW_EVENT_PACKET && memcmp(event->u.packet.body, &round, sizeof round) == 0);
        }
        for (int i = 0; i < at_once; i++) {
            struct myri_endpoint_ref ref = {.endpoint = ends[i].open.endpoint};
            if (round % 2)
                CHECK_EQ(ASK(ends[i].fd, MYRI_ENDPOINT_CLOSE, struct myri_endpoint_ref, &ref), 0);
            close_end(&ends[i]);
        }
    }
    return report();
}
