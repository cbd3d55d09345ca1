/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /dev/myri0 without the library: what abi/driver.h and abi/firmware.h promise, asked for directly. Written
 * from those two alone.
 *
 * Checks count failures and go on; what the rest depends on is REQUIREd and ends the program.
 */
#ifndef TESTS_VM_DEVICE_H
#define TESTS_VM_DEVICE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "abi/driver.h"
#include "abi/firmware.h"

enum { PAGE = 4096 };

void check(int good, const char* file, int line, const char* text, const char* got);
void check_equal(int64_t got, int64_t wanted, const char* file, int line, const char* text);
#define CHECK(condition)      check((condition), __FILE__, __LINE__, #condition, "")
#define CHECK_EQ(got, wanted) check_equal((int64_t)(got), (int64_t)(wanted), __FILE__, __LINE__, #got)
#define REQUIRE(condition)    require((condition), __FILE__, __LINE__, #condition)
void require(int good, const char* file, int line, const char* text);
extern char label[128]; /* which case is at hand; printed with a failure */
int report(void);       /* prints the sum; exit status of the program */

/* 0 or a negative errno. */
int device_ioctl(int fd, unsigned long number, void* structure);
#define ASK(fd, request, type, structure) device_ioctl((fd), MYRI_IOCTL(request, type), (structure))

int open_device(void); /* a new open file of /dev/myri0 */

/* An open endpoint with all its mappings. */
struct end {
    int fd;
    struct myri_endpoint_open open;
    volatile struct fw_endpoint_window* window;
    unsigned char *events, *receive, *send, *bounce; /* bounce: NULL if there is none */
    volatile struct myri_host_page* page;
    uint32_t slots; /* posted so far */
    uint32_t seen;  /* events read so far */
};
int open_end(struct end* end, uint32_t id); /* 0 or a negative errno of the open; mappings are REQUIREd */
void close_end(struct end* end);

uint32_t own_peer(int fd); /* index of this card in its own peer table */

/* Posts a slot; the bytes of `body` end up right-aligned as the contract demands. */
struct destination {
    uint32_t peer, endpoint, session;
};
void post(struct end* end, struct destination to, enum fw_slot_type type, const void* body, uint32_t length);
/* The next event other than FW_EVENT_SLOTS, or NULL after so many ms. */
const struct fw_event* next_event(struct end* end, unsigned timeout_ms);

/* 0 or a negative errno; *window and its generation are filled in. */
int register_memory(struct end* end, const void* address, uint64_t length, uint32_t flags,
                    struct myri_unregister* window);
int unregister(struct end* end, struct myri_unregister* window);

void* pages(size_t count);  /* zeroed, private; REQUIREd */
uint32_t random_word(void); /* a sequence that is the same each time */
void seed_random(uint64_t seed);
uint64_t milliseconds(void); /* CLOCK_MONOTONIC */
void sleep_ms(unsigned ms);

#endif
