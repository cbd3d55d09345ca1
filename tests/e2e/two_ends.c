/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tests/e2e/two_ends.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEET UINT64_C(0xfeed000000000000) /* no test sends this */

#define SECOND UINT64_C(1000000000000)

int sends, receives;
mx_endpoint_t endpoint;
mx_endpoint_addr_t peer;
char label[128] = "";

static int failures;
static const char* role = "";

void check(int good, const char* file, int line, const char* text) {
    if (good)
        return;
    failures++;
    printf("%s:%d: %s: %s: not %s\n", file, line, role, label, text);
    fflush(stdout);
}

void check_equal(uint64_t got, uint64_t wanted, const char* file, int line, const char* text) {
    if (got == wanted)
        return;
    failures++;
    printf("%s:%d: %s: %s: %s is %" PRIu64 ", wanted %" PRIu64 "\n", file, line, role, label, text, got,
           wanted);
    fflush(stdout);
}

void require(int good, const char* file, int line, const char* text) {
    check(good, file, line, text);
    if (!good)
        exit(1);
}

void start(int argc, char** argv) {
    uint64_t nic;
    role = argc > 1 ? argv[1] : "";
    sends = strcmp(role, "receiver") != 0;
    receives = strcmp(role, "sender") != 0;
    REQUIRE((sends && receives) ? argc == 2 && strcmp(role, "self") == 0 : argc == 3);
    mx_set_error_handler(MX_ERRORS_RETURN);
    REQUIRE(mx_init() == MX_SUCCESS);
    REQUIRE(mx_open_endpoint(0, receives ? 2 : 1, FILTER, NULL, 0, &endpoint) == MX_SUCCESS);
    if (sends && receives) {
        REQUIRE(mx_get_endpoint_addr(endpoint, &peer) == MX_SUCCESS);
        return;
    }
    REQUIRE(mx_hostname_to_nic_id(argv[2], &nic) == MX_SUCCESS);
    const uint64_t since = myri_time();
    for (;;) {
        const mx_return_t code = mx_connect(endpoint, nic, receives ? 1 : 2, FILTER, 1000, &peer);
        if (code == MX_SUCCESS)
            break;
        REQUIRE(myri_time() - since < 60 * SECOND && (code == MX_CONNECTION_FAILED || code == MX_TIMEOUT));
        myri_sleep(SECOND / 1000);
    }
    meet();
}

int finish(void) {
    meet();
    if (!sends)
        myri_sleep(SECOND); /* a run ends with its last command: let the sender come to its end */
    CHECK_EQ(mx_close_endpoint(endpoint), MX_SUCCESS);
    CHECK_EQ(mx_finalize(), MX_SUCCESS);
    return report();
}

int report(void) {
    if (failures == 0)
        printf("%s: all as expected\n", role);
    fflush(stdout);
    return failures != 0;
}

void meet(void) {
    if (sends && receives)
        return;
    const mx_request_t in = receive_bytes(NULL, 0, MEET, MX_MATCH_MASK_NONE);
    const mx_request_t out = send_bytes(NULL, 0, MEET);
    REQUIRE(wait_for(out).code == MX_STATUS_SUCCESS);
    REQUIRE(wait_for(in).code == MX_STATUS_SUCCESS);
}

mx_request_t send_bytes(const void* bytes, uint32_t length, uint64_t match) {
    mx_segment_t segment = {(void*)(uintptr_t)bytes, length};
    mx_request_t request = NULL;
    REQUIRE(mx_isend(endpoint, &segment, 1, peer, match, NULL, &request) == MX_SUCCESS);
    return request;
}

mx_request_t receive_bytes(void* bytes, uint32_t length, uint64_t match, uint64_t mask) {
    mx_segment_t segment = {bytes, length};
    mx_request_t request = NULL;
    REQUIRE(mx_irecv(endpoint, &segment, 1, match, mask, NULL, &request) == MX_SUCCESS);
    return request;
}

mx_status_t wait_for(mx_request_t request) {
    mx_status_t status;
    uint32_t result = 0;
    memset(&status, 0xee, sizeof status);
    REQUIRE(mx_wait(endpoint, &request, MX_INFINITE, &status, &result) == MX_SUCCESS && result == 1);
    return status;
}

static size_t whole_pages(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

unsigned char* pages_before_a_wall(size_t bytes) {
    const size_t size = whole_pages(bytes), page = whole_pages(1);
    unsigned char* pages =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    REQUIRE(mprotect(pages + size, page, PROT_NONE) == 0);
    return pages;
}

int wall_stands(unsigned char* pages, size_t bytes) {
    const size_t size = whole_pages(bytes), page = whole_pages(1);
    int stands = 1;
    REQUIRE(mprotect(pages + size, page, PROT_READ) == 0);
    for (size_t i = 0; i < page; i++)
        stands = stands && pages[size + i] == 0;
    REQUIRE(munmap(pages, size + page) == 0);
    return stands;
}

/* 251 is prime, so that no block of a power of two repeats the one before. */
void fill(unsigned char* bytes, size_t length, unsigned number) {
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)((i + number * 89) % 251 + 1);
}

int filled(const unsigned char* bytes, size_t length, unsigned number) {
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != (unsigned char)((i + number * 89) % 251 + 1))
            return 0;
    return 1;
}

uint32_t next_random(void) {
    static uint64_t state = 20000901;
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}
