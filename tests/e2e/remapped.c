/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is given back and mapped anew between messages, while its registration may be kept
 * (MX_RCACHE=1): what is sent and received is always what is there now.
 */
#define _GNU_SOURCE
#include "tests/e2e/two_ends.h"

#include <string.h>
#include <sys/mman.h>

enum { LENGTH = 300000, ROOM = 1 << 19, TAG = 6, ROUNDS = 3 };

static unsigned char* map(void* where, int flags) {
    unsigned char* place =
        mmap(where, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    REQUIRE(place != MAP_FAILED);
    return place;
}

static void exchange(unsigned char* bytes, unsigned number, const char* what) {
    snprintf(label, sizeof label, "message %u, %s", number, what);
    if (sends) {
        fill(bytes, LENGTH, number);
        CHECK_EQ(wait_for(send_bytes(bytes, LENGTH, TAG)).code, MX_STATUS_SUCCESS);
    } else {
        const mx_request_t request = receive_bytes(bytes, LENGTH, TAG, MX_MATCH_MASK_NONE);
        CHECK_EQ(wait_for(request).code, MX_STATUS_SUCCESS);
        CHECK(filled(bytes, LENGTH, number));
    }
}

int main(int argc, char** argv) {
    unsigned number = 0;
    start(argc, argv);
    unsigned char *bytes = map(NULL, 0), *other = map(NULL, 0), *const place = bytes;
    exchange(bytes, ++number, "first");
    exchange(bytes, ++number, "again");
    for (int round = 0; round < ROUNDS; round++) {
        REQUIRE(munmap(bytes, ROOM) == 0);
        REQUIRE(map(place, MAP_FIXED) == place);
        exchange(bytes, ++number, "unmapped and mapped");

        REQUIRE(map(place, MAP_FIXED) == place);
        exchange(bytes, ++number, "mapped over it");

        /* Half of it only. */
        REQUIRE(munmap(bytes + ROOM / 2, ROOM / 2) == 0);
        REQUIRE(mmap(bytes + ROOM / 2, ROOM / 2, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == bytes + ROOM / 2);
        exchange(bytes, ++number, "half of it mapped anew");

        /* Pages with other contents move here, and the old ones away. */
        exchange(other, ++number, "elsewhere");
        REQUIRE(mremap(other, ROOM, ROOM, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place);
        exchange(bytes, ++number, "moved over it");
        other = map(NULL, 0);

        REQUIRE(madvise(bytes, ROOM, MADV_DONTNEED) == 0);
        exchange(bytes, ++number, "thrown away");
    }
    const int status = finish();
    munmap(bytes, ROOM);
    munmap(other, ROOM);
    return status;
}
