/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Anything at all, thrown at the driver's device: every ioctl with random sizes and arguments, mmap of random
 * places, random words in the SRAM window. The process that does it may die of SIGBUS or SIGSEGV; the card
 * and the kernel must go on, and others must notice nothing (the caller looks at that).
 *
 *   hostile SEED ROUNDS
 */
#define _GNU_SOURCE
#include "tests/vm/guest/device.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 200, HANGS_MS = 20000 };

static void ignore(int signal) {
    (void)signal;
}

/* Random, but near what means something. */
static uint32_t telling_word(const struct end* end) {
    switch (random_word() % 10) {
    case 0:
        return 0;
    case 1:
        return random_word() % 4;
    case 2:
        return random_word() % 70;
    case 3:
        return 1u << random_word() % 32;
    case 4:
        return (1u << random_word() % 32) - 1;
    case 5:
        return 0u - random_word() % 8;
    case 6:
        return end->open.endpoint;
    case 7:
        return (uint32_t)(uintptr_t)end->send;
    case 8:
        return (uint32_t)((uintptr_t)end->send >> 32);
    default:
        return random_word();
    }
}

static void fill(uint32_t* words, size_t count, const struct end* end) {
    for (size_t i = 0; i < count; i++)
        words[i] = telling_word(end);
}

/* A place for an argument: good memory, its end, no memory, the kernel's. */
static void* place(unsigned char* good, size_t length) {
    switch (random_word() % 8) {
    case 0:
        return NULL;
    case 1:
        return (void*)(uintptr_t)(0xffff888000000000u + random_word());
    case 2:
        return good + length - random_word() % 64; /* the page behind is not there */
    case 3:
        return good + random_word() % 64;
    default:
        return good;
    }
}

static void ask_anything(struct end* end, unsigned char* memory, size_t length) {
    static const uint16_t sizes[] = {
        sizeof(struct myri_attach),   sizeof(struct myri_board_info),    sizeof(struct myri_peers),
        sizeof(struct myri_counters), sizeof(struct myri_endpoint_open), sizeof(struct myri_endpoint_ref),
        sizeof(struct myri_register), sizeof(struct myri_unregister),    sizeof(struct myri_wait),
        sizeof(struct myri_dmabench), sizeof(struct myri_clock),         sizeof(struct myri_inject),
    };
    static const uint16_t size_of[] = {
        [MYRI_ATTACH] = sizeof(struct myri_attach),
        [MYRI_BOARD_INFO] = sizeof(struct myri_board_info),
        [MYRI_PEERS] = sizeof(struct myri_peers),
        [MYRI_COUNTERS] = sizeof(struct myri_counters),
        [MYRI_ENDPOINT_OPEN] = sizeof(struct myri_endpoint_open),
        [MYRI_ENDPOINT_CLOSE] = sizeof(struct myri_endpoint_ref),
        [MYRI_REGISTER] = sizeof(struct myri_register),
        [MYRI_UNREGISTER] = sizeof(struct myri_unregister),
        [MYRI_WAIT] = sizeof(struct myri_wait),
        [MYRI_WAKE] = sizeof(struct myri_endpoint_ref),
        [MYRI_DMABENCH] = sizeof(struct myri_dmabench),
        [MYRI_SET_PEERS] = sizeof(struct myri_peers),
        [MYRI_CLOCK] = sizeof(struct myri_clock),
        [MYRI_ENDPOINT_RESUME] = sizeof(struct myri_endpoint_ref),
        [MYRI_INJECT] = sizeof(struct myri_inject),
    };
    const uint32_t request = random_word() % (sizeof size_of / sizeof *size_of);
    unsigned long number = random_word();
    uint32_t size = size_of[request];
    if (random_word() % 16 == 0)
        size = sizes[random_word() % (sizeof sizes / sizeof *sizes)];
    if (random_word() % 16)
        number = _IOC(random_word() % 16 ? _IOC_READ | _IOC_WRITE : random_word() % 4, 0xb9, request, size);
    uint32_t* words = (uint32_t*)memory;
    fill(words, length / 4, end);
    if (random_word() % 4)
        words[0] = 0; /* the board */
    if (random_word() % 2)
        words[1] = end->open.endpoint;
    if (request == MYRI_DMABENCH)
        words[3] %= 8; /* it may waste the card's time, but not the test's */
    if (request == MYRI_REGISTER && random_word() % 2) {
        struct myri_register* ask = (struct myri_register*)memory;
        ask->flags &= 1;
        ask->count = random_word() % 20;
        for (uint32_t i = 0; i < ask->count; i++) {
            ask->segment[i].address = (uintptr_t)memory + random_word() % 100000;
            ask->segment[i].length = random_word() % 5000;
        }
    }
    device_ioctl(end->fd, number, place(memory, length));
}

static void map_anything(struct end* end) {
    static const int protections[] = {PROT_READ, PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC,
                                      PROT_NONE};
    const uint64_t bases[] = {0, MYRI_MMAP_WINDOW, MYRI_MMAP_RINGS, MYRI_MMAP_RINGS + end->open.page_offset,
                              1ull << 32};
    uint64_t offset = bases[random_word() % 5] + (uint64_t)(random_word() % 64) * PAGE;
    if (random_word() % 4 == 0)
        offset = (uint64_t)random_word() << (random_word() % 32) & ~(uint64_t)(PAGE - 1) & INT64_MAX;
    const size_t length = (1 + random_word() % (random_word() % 4 ? 16 : 100000)) * (size_t)PAGE;
    volatile unsigned char* mapped =
        mmap(NULL, length, protections[random_word() % 5], random_word() % 4 ? MAP_SHARED : MAP_PRIVATE,
             end->fd, (off_t)offset);
    if (mapped == MAP_FAILED)
        return;
    switch (random_word() % 4) {
    case 0:
        mapped[random_word() % length] = (unsigned char)random_word();
        break;
    case 1:
        (void)mapped[random_word() % length];
        break;
    case 2:
        mprotect((void*)(uintptr_t)mapped, length, PROT_READ | PROT_WRITE);
        break;
    default:
        madvise((void*)(uintptr_t)mapped, length, (int)(random_word() % 26));
        break;
    }
    if (random_word() % 2)
        munmap((void*)(uintptr_t)mapped, length);
}

/* Slots that look new, with random contents; grants, counts and checksums at random. */
static void write_anything(struct end* end) {
    uint32_t body[FW_SLOT_BODY / 4];
    fill(body, sizeof body / 4, end);
    for (int i = 0; i < 4; i++) {
        const struct destination to = {random_word() % 4 ? random_word() % 4 : telling_word(end),
                                       telling_word(end) % 256,
                                       random_word() % 2 ? end->open.session : telling_word(end)};
        post(end, to, (enum fw_slot_type)(random_word() % 7), body, random_word() % (FW_SLOT_BODY + 1));
    }
    volatile uint32_t* words = (volatile uint32_t*)end->window;
    for (int i = 0; i < 64; i++)
        words[random_word() % (FW_ENDPOINT_WINDOW_SIZE / 4)] = telling_word(end);
    end->slots += random_word() % 2 * (random_word() % 3);
}

static void be_hostile(uint64_t seed) {
    struct end end;
    const struct itimerval tick = {{0, 20000}, {0, 20000}};
    const struct sigaction action = {.sa_handler = ignore};
    seed_random(seed);
    sigaction(SIGALRM, &action, NULL); /* waits without end are cut short */
    setitimer(ITIMER_REAL, &tick, NULL);
    CHECK_EQ(open_end(&end, MYRI_ANY), 0);
    if (!end.window)
        exit(2);
    const size_t length = 4 * PAGE;
    unsigned char* memory = pages(5);
    munmap(memory + length, PAGE);
    for (int i = 0; i < CALLS; i++) {
        switch (random_word() % 4) {
        case 0:
            map_anything(&end);
            break;
        case 1:
            write_anything(&end);
            break;
        default:
            ask_anything(&end, memory, length);
        }
    }
    if (random_word() % 2)
        raise(SIGKILL);
    exit(0);
}

static void card_still_works(void) {
    struct end end;
    REQUIRE(open_end(&end, MYRI_ANY) == 0);
    const struct destination self = {own_peer(end.fd), end.open.endpoint, end.open.session};
    post(&end, self, FW_SLOT_SEND, "still here", 10);
    const struct fw_event* event = next_event(&end, 5000);
    CHECK(event != NULL && event->type == FW_EVENT_PACKET);
    close_end(&end);
}

int main(int argc, char** argv) {
    REQUIRE(argc == 3);
    const uint64_t seed = strtoull(argv[1], NULL, 0);
    const unsigned rounds = (unsigned)atoi(argv[2]);
    unsigned killed = 0, faults = 0;
    for (unsigned round = 0; round < rounds; round++) {
        snprintf(label, sizeof label, "seed %llu", (unsigned long long)(seed + round));
        int status = -1;
        const pid_t child = fork();
        if (child == 0)
            be_hostile(seed + round);
        const uint64_t limit = milliseconds() + HANGS_MS;
        while (waitpid(child, &status, WNOHANG) == 0) {
            if (milliseconds() > limit) {
                CHECK(!"it hangs in the driver");
                kill(child, SIGKILL);
                waitpid(child, &status, 0);
                break;
            }
            sleep_ms(5);
        }
        const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        killed += by == SIGKILL;
        faults += by == SIGBUS || by == SIGSEGV;
        if (!by)
            CHECK_EQ(WEXITSTATUS(status), 0);
        else
            CHECK(by == SIGKILL || by == SIGBUS || by == SIGSEGV);
        card_still_works();
    }
    printf("%u rounds: %u ended by SIGKILL, %u by SIGBUS or SIGSEGV\n", rounds, killed, faults);
    return report();
}
