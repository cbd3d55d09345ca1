/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tests/vm/guest/device.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

char label[128];
static unsigned checks, failures;

void check(int good, const char* file, int line, const char* text, const char* got) {
    checks++;
    if (good)
        return;
    failures++;
    printf("%s:%d: %s: FAILED: %s%s\n", file, line, label, text, got);
    fflush(stdout);
}

void check_equal(int64_t got, int64_t wanted, const char* file, int line, const char* text) {
    char values[80];
    snprintf(values, sizeof values, " is %" PRId64 ", wanted %" PRId64, got, wanted);
    check(got == wanted, file, line, text, values);
}

void require(int good, const char* file, int line, const char* text) {
    check(good, file, line, text, "; cannot go on");
    if (!good)
        exit(report());
}

int report(void) {
    printf("%u checks, %u failed\n", checks, failures);
    fflush(stdout);
    return failures || !checks;
}

int device_ioctl(int fd, unsigned long number, void* structure) {
    return ioctl(fd, number, structure) == 0 ? 0 : -errno;
}

int open_device(void) {
    const int fd = open("/dev/myri0", O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0);
    return fd;
}

static void* map(int fd, uint64_t length, uint64_t offset) {
    void* place = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
    REQUIRE(place != MAP_FAILED);
    return place;
}

int open_end(struct end* end, uint32_t id) {
    memset(end, 0, sizeof *end);
    end->fd = open_device();
    end->open.endpoint = id;
    const int answer = ASK(end->fd, MYRI_ENDPOINT_OPEN, struct myri_endpoint_open, &end->open);
    if (answer != 0) {
        close(end->fd);
        return answer;
    }
    const struct myri_endpoint_open* o = &end->open;
    end->window = map(end->fd, FW_ENDPOINT_WINDOW_SIZE, MYRI_MMAP_WINDOW);
    end->events = map(end->fd, o->event_entries * FW_EVENT_SIZE, MYRI_MMAP_RINGS + o->event_offset);
    end->receive = map(end->fd, o->receive_bytes, MYRI_MMAP_RINGS + o->receive_offset);
    end->send = map(end->fd, o->send_bytes, MYRI_MMAP_RINGS + o->send_offset);
    end->page = map(end->fd, PAGE, MYRI_MMAP_RINGS + o->page_offset);
    if (o->bounce_bytes)
        end->bounce = map(end->fd, o->bounce_bytes, MYRI_MMAP_RINGS + o->bounce_offset);
    return 0;
}

void close_end(struct end* end) {
    const struct myri_endpoint_open* o = &end->open;
    munmap((void*)(uintptr_t)end->window, FW_ENDPOINT_WINDOW_SIZE);
    munmap(end->events, o->event_entries * FW_EVENT_SIZE);
    munmap(end->receive, o->receive_bytes);
    munmap(end->send, o->send_bytes);
    munmap((void*)(uintptr_t)end->page, PAGE);
    if (end->bounce)
        munmap(end->bounce, o->bounce_bytes);
    close(end->fd);
}

uint32_t own_peer(int fd) {
    struct myri_board_info info = {.board = 0};
    struct myri_peers peers;
    REQUIRE(ASK(fd, MYRI_BOARD_INFO, struct myri_board_info, &info) == 0);
    uint32_t first = 0;
    do {
        memset(&peers, 0, sizeof peers);
        peers.first = first;
        REQUIRE(ASK(fd, MYRI_PEERS, struct myri_peers, &peers) == 0);
        REQUIRE(peers.count <= MYRI_PEERS_AT_ONCE);
        for (uint32_t i = 0; i < peers.count; i++)
            if (peers.peer[i].mac == info.mac)
                return first + i;
        first += peers.count;
    } while (peers.count && first < peers.total);
    snprintf(label, sizeof label, "the card is not in its own peer table of %u", peers.total);
    REQUIRE(0);
    return 0;
}

static void flush_stores(void) {
    __builtin_ia32_sfence();
}

void post(struct end* end, struct destination to, enum fw_slot_type type, const void* body, uint32_t length) {
    volatile struct fw_slot* slot = &end->window->slots[end->slots % FW_SLOTS];
    struct fw_slot made;
    uint64_t words[sizeof made / 8];
    memset(&made, 0, sizeof made);
    if (length)
        memcpy(made.body + FW_SLOT_BODY - (length + 7) / 8 * 8, body, length);
    made.dst_session = cpu_to_be32(to.session);
    made.peer = cpu_to_be16((uint16_t)to.peer);
    made.dst_endpoint = (uint8_t)to.endpoint;
    made.type = (uint8_t)type;
    made.length = cpu_to_be16((uint16_t)length);
    made.generation = cpu_to_be16((uint16_t)FW_GENERATION(end->slots, FW_SLOTS));
    memcpy(words, &made, sizeof words);
    volatile uint64_t* there = (volatile uint64_t*)slot;
    for (size_t i = 0; i + 1 < sizeof made / 8; i++)
        there[i] = words[i];
    flush_stores();
    there[sizeof made / 8 - 1] = words[sizeof made / 8 - 1];
    flush_stores();
    end->slots++;
}

const struct fw_event* next_event(struct end* end, unsigned timeout_ms) {
    const uint64_t limit = milliseconds() + timeout_ms;
    for (;;) {
        const uint32_t entries = end->open.event_entries;
        const struct fw_event* event =
            (const struct fw_event*)(end->events + end->seen % entries * FW_EVENT_SIZE);
        const volatile be16* generation = &event->generation;
        if (MYRI_SWAP16(generation->raw) == FW_GENERATION(end->seen, entries)) {
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            end->seen++;
            end->window->events_consumed.raw = MYRI_SWAP32(end->seen);
            flush_stores();
            if (event->type != FW_EVENT_SLOTS)
                return event;
        } else if (milliseconds() > limit) {
            return NULL;
        }
    }
}

int register_memory(struct end* end, const void* address, uint64_t length, uint32_t flags,
                    struct myri_unregister* window) {
    struct myri_register ask = {.endpoint = end->open.endpoint, .flags = flags, .count = 1};
    ask.segment[0].address = (uintptr_t)address;
    ask.segment[0].length = length;
    const int answer = ASK(end->fd, MYRI_REGISTER, struct myri_register, &ask);
    window->board = 0;
    window->endpoint = end->open.endpoint;
    window->window = ask.window;
    window->generation = ask.generation;
    return answer;
}

int unregister(struct end* end, struct myri_unregister* window) {
    return ASK(end->fd, MYRI_UNREGISTER, struct myri_unregister, window);
}

void* pages(size_t count) {
    void* place = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(place != MAP_FAILED);
    return place;
}

static uint64_t random_state = 20000901;
void seed_random(uint64_t seed) {
    random_state = seed * 2 + 1;
}
uint32_t random_word(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

uint64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void sleep_ms(unsigned ms) {
    const struct timespec rest = {ms / 1000, (long)(ms % 1000) * 1000000};
    nanosleep(&rest, NULL);
}
