/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver's device keeps what abi/driver.h promises: versions, boards, endpoints, mappings, registrations,
 * waits. Run as an ordinary user who may open the device, on a card that nobody else uses.
 */
#define _GNU_SOURCE
#include "tests/vm/guest/device.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static void begin(const char* what) {
    snprintf(label, sizeof label, "%s", what);
}

static void versions(void) {
    begin("attach");
    const int fd = open_device();
    struct utsname names;
    REQUIRE(uname(&names) == 0);
    struct myri_attach attach = {.abi = MYRI_DRIVER_ABI};
    CHECK_EQ(ASK(fd, MYRI_ATTACH, struct myri_attach, &attach), 0);
    CHECK_EQ(attach.abi, MYRI_DRIVER_ABI);
    CHECK_EQ(attach.boards, 1);
    CHECK_EQ(attach.time, MYRI_TIME_REAL);
    CHECK(strcmp(attach.host, names.nodename) == 0);
    CHECK(attach.hosts[0] == 0 && attach.clock_bytes == 0 && attach.costs.poll == 0);
    const uint64_t first = attach.seed;
    memset(&attach, 0x55, sizeof attach);
    attach.abi = MYRI_DRIVER_ABI;
    CHECK_EQ(ASK(fd, MYRI_ATTACH, struct myri_attach, &attach), 0);
    CHECK(attach.seed != first);
    attach.abi = MYRI_DRIVER_ABI + 1;
    CHECK_EQ(ASK(fd, MYRI_ATTACH, struct myri_attach, &attach), -EPROTO);
    CHECK_EQ(attach.abi, MYRI_DRIVER_ABI);
    CHECK_EQ(device_ioctl(fd, _IOWR(0xb9, MYRI_ATTACH, uint64_t), &attach), -ENOTTY);
    CHECK_EQ(device_ioctl(fd, _IOR(0xb9, MYRI_ATTACH, struct myri_attach), &attach), -ENOTTY);
    CHECK_EQ(device_ioctl(fd, _IOWR('x', MYRI_ATTACH, struct myri_attach), &attach), -ENOTTY);
    CHECK_EQ(device_ioctl(fd, _IOWR(0xb9, 99, struct myri_attach), &attach), -ENOTTY);
    CHECK_EQ(ASK(fd, MYRI_ATTACH, struct myri_attach, NULL), -EFAULT);
    close(fd);
}

static void boards(void) {
    begin("board");
    const int fd = open_device();
    struct myri_board_info info = {.board = 0};
    CHECK_EQ(ASK(fd, MYRI_BOARD_INFO, struct myri_board_info, &info), 0);
    CHECK_EQ(info.mac >> 24, 0x0060dd);
    CHECK_EQ(info.endpoints, FW_ENDPOINTS);
    CHECK_EQ(info.endpoints_open, 0);
    CHECK_EQ(info.dead, 0);
    CHECK_EQ(info.link_up, 1);
    CHECK_EQ(info.sram_bytes, 2 << 20);
    CHECK(memchr(info.hostname, 0, sizeof info.hostname) && memchr(info.firmware, 0, sizeof info.firmware));
    for (uint32_t wrong = 1; wrong; wrong <<= 1) {
        info.board = wrong;
        CHECK_EQ(ASK(fd, MYRI_BOARD_INFO, struct myri_board_info, &info), -ENODEV);
    }
    struct myri_peers peers = {.first = 0};
    CHECK_EQ(ASK(fd, MYRI_PEERS, struct myri_peers, &peers), 0);
    CHECK(peers.total >= 1 && peers.count >= 1);
    peers.first = 0xffffffff;
    CHECK_EQ(ASK(fd, MYRI_PEERS, struct myri_peers, &peers), 0);
    CHECK_EQ(peers.count, 0);
    memset(&peers, 0, sizeof peers);
    peers.count = peers.total = 1;
    CHECK_EQ(ASK(fd, MYRI_SET_PEERS, struct myri_peers, &peers), -EPERM);
    struct myri_counters counters = {.board = 0};
    CHECK_EQ(ASK(fd, MYRI_COUNTERS, struct myri_counters, &counters), 0);
    CHECK_EQ(counters.count, FW_COUNTER_COUNT);
    struct myri_dmabench bench = {.direction = FW_DMABENCH_READ, .bytes = 4096, .count = 4};
    CHECK_EQ(ASK(fd, MYRI_DMABENCH, struct myri_dmabench, &bench), 0);
    CHECK(bench.cycles > 0 && bench.core_khz > 0);
    const struct myri_dmabench bad[] = {
        {.direction = 0, .bytes = 64, .count = 1},
        {.direction = 4, .bytes = 64, .count = 1},
        {.direction = FW_DMABENCH_READ, .bytes = 0, .count = 1},
        {.direction = FW_DMABENCH_READ, .bytes = FW_DMABENCH_MAX + 1, .count = 1},
        {.direction = FW_DMABENCH_READ, .bytes = 64, .count = 0},
        {.direction = FW_DMABENCH_READ, .bytes = 64, .count = 65536},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(label, sizeof label, "dmabench %zu", i);
        bench = bad[i];
        CHECK_EQ(ASK(fd, MYRI_DMABENCH, struct myri_dmabench, &bench), -EINVAL);
    }
    close(fd);
}

static void opening(void) {
    begin("open");
    struct end end;
    REQUIRE(open_end(&end, MYRI_ANY) == 0);
    CHECK(end.open.endpoint < FW_ENDPOINTS);
    CHECK(end.open.session != 0);
    CHECK_EQ(end.open.page_offset % PAGE, 0);
    CHECK_EQ(end.page->dead, 0);
    CHECK_EQ(end.page->card_asleep, 0);
    struct myri_endpoint_open again = {.endpoint = MYRI_ANY};
    CHECK_EQ(ASK(end.fd, MYRI_ENDPOINT_OPEN, struct myri_endpoint_open, &again),
             -EBUSY); /* one per open file */

    begin("open: an id in use");
    struct end other;
    CHECK_EQ(open_end(&other, end.open.endpoint), -EBUSY);
    begin("open: out of range");
    const int fd = open_device();
    const struct myri_endpoint_open bad[] = {
        {.endpoint = FW_ENDPOINTS},
        {.endpoint = 0x7fffffff},
        {.endpoint = MYRI_ANY, .event_entries = 63},
        {.endpoint = MYRI_ANY, .event_entries = 32},
        {.endpoint = MYRI_ANY, .event_entries = 32768},
        {.endpoint = MYRI_ANY, .event_entries = 96},
        {.endpoint = MYRI_ANY, .receive_bytes = 8192},
        {.endpoint = MYRI_ANY, .receive_bytes = 32 << 20},
        {.endpoint = MYRI_ANY, .receive_bytes = 20000},
        {.endpoint = MYRI_ANY, .send_bytes = 8192},
        {.endpoint = MYRI_ANY, .send_bytes = 0x80000000u},
        {.endpoint = MYRI_ANY, .send_bytes = 65537},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(label, sizeof label, "open: out of range, %zu", i);
        struct myri_endpoint_open ask = bad[i];
        CHECK_EQ(ASK(fd, MYRI_ENDPOINT_OPEN, struct myri_endpoint_open, &ask), -EINVAL);
    }
    begin("open: another board");
    struct myri_endpoint_open elsewhere = {.board = 1, .endpoint = MYRI_ANY};
    CHECK_EQ(ASK(fd, MYRI_ENDPOINT_OPEN, struct myri_endpoint_open, &elsewhere), -ENODEV);

    begin("open: requests without an endpoint, or for another");
    struct myri_endpoint_ref ref = {.endpoint = end.open.endpoint};
    struct myri_wait wait = {.endpoint = end.open.endpoint, .timeout_us = 1000};
    struct myri_unregister gone = {.endpoint = end.open.endpoint};
    CHECK(ASK(fd, MYRI_ENDPOINT_CLOSE, struct myri_endpoint_ref, &ref) != 0);
    CHECK(ASK(fd, MYRI_ENDPOINT_RESUME, struct myri_endpoint_ref, &ref) != 0);
    CHECK(ASK(fd, MYRI_WAIT, struct myri_wait, &wait) != 0);
    CHECK(ASK(fd, MYRI_UNREGISTER, struct myri_unregister, &gone) != 0);
    ref.endpoint = (end.open.endpoint + 1) % FW_ENDPOINTS;
    CHECK(ASK(end.fd, MYRI_ENDPOINT_CLOSE, struct myri_endpoint_ref, &ref) != 0);
    ref.endpoint = end.open.endpoint;
    CHECK_EQ(ASK(end.fd, MYRI_ENDPOINT_CLOSE, struct myri_endpoint_ref, &ref), 0);
    CHECK(ASK(end.fd, MYRI_ENDPOINT_CLOSE, struct myri_endpoint_ref, &ref) != 0);
    close_end(&end);
    close(fd);

    begin("open: all of them");
    struct end* all = calloc(FW_ENDPOINTS, sizeof *all);
    uint32_t opened = 0;
    while (opened < FW_ENDPOINTS) {
        all[opened].fd = open_device();
        all[opened].open = (struct myri_endpoint_open){
            .endpoint = MYRI_ANY, .event_entries = 64, .receive_bytes = 16384, .send_bytes = 16384};
        const int answer =
            ASK(all[opened].fd, MYRI_ENDPOINT_OPEN, struct myri_endpoint_open, &all[opened].open);
        if (answer != 0) {
            close(all[opened].fd);
            break;
        }
        opened++;
    }
    printf("one user can have %u endpoints\n", opened);
    CHECK(opened >= 8); /* a limit for each user is allowed */
    CHECK(open_end(&other, MYRI_ANY) < 0);
    for (uint32_t i = 0; i < opened; i++) {
        for (uint32_t j = 0; j < i; j++)
            CHECK(all[i].open.endpoint != all[j].open.endpoint && all[i].open.session != all[j].open.session);
        close(all[i].fd);
    }
    free(all);
    CHECK_EQ(open_end(&other, MYRI_ANY), 0);
    close_end(&other);
}

static int maps(int fd, uint64_t length, uint64_t offset, int protection, int flags) {
    void* place = mmap(NULL, length, protection, flags, fd, (off_t)offset);
    if (place == MAP_FAILED)
        return 0;
    munmap(place, length);
    return 1;
}

static void mappings(void) {
    enum { BOTH = PROT_READ | PROT_WRITE };
    begin("mmap before open");
    const int fd = open_device();
    CHECK(!maps(fd, FW_ENDPOINT_WINDOW_SIZE, MYRI_MMAP_WINDOW, BOTH, MAP_SHARED));
    CHECK(!maps(fd, PAGE, MYRI_MMAP_RINGS, BOTH, MAP_SHARED));
    close(fd);

    begin("mmap");
    struct end end;
    REQUIRE(open_end(&end, MYRI_ANY) == 0);
    const struct myri_endpoint_open* o = &end.open;
    const uint64_t window = FW_ENDPOINT_WINDOW_SIZE, rings = MYRI_MMAP_RINGS;
    CHECK(maps(end.fd, window, MYRI_MMAP_WINDOW, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, window + PAGE, MYRI_MMAP_WINDOW, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, 2 * window, MYRI_MMAP_WINDOW, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, 1 << 20, MYRI_MMAP_WINDOW, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, window, MYRI_MMAP_WINDOW, BOTH, MAP_PRIVATE));
    for (uint64_t at = PAGE; at < MYRI_MMAP_RINGS; at *= 2)
        CHECK(!maps(end.fd, PAGE, at, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, o->ring_bytes + PAGE, rings, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, PAGE, rings + o->ring_bytes, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, o->receive_bytes + PAGE, rings + o->receive_offset, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, o->receive_bytes, rings + o->receive_offset, BOTH, MAP_PRIVATE));
    for (int bit = 29; bit < 63; bit++)
        CHECK(!maps(end.fd, PAGE, UINT64_C(1) << bit, BOTH, MAP_SHARED));
    CHECK(!maps(end.fd, PAGE, UINT64_C(0x7ffffffffffff000), BOTH, MAP_SHARED));

    begin("mappings do not grow or split");
    void* grown = mremap((void*)(uintptr_t)end.window, window, 2 * window, MREMAP_MAYMOVE);
    CHECK(grown == MAP_FAILED);
    grown = mremap(end.events, o->event_entries * FW_EVENT_SIZE, 4 * o->event_entries * FW_EVENT_SIZE,
                   MREMAP_MAYMOVE);
    CHECK(grown == MAP_FAILED);
    CHECK(munmap((char*)(uintptr_t)end.window + PAGE, PAGE) != 0);
    CHECK(munmap(end.receive, PAGE) != 0);

    begin("a child does not inherit mappings or endpoint");
    const pid_t child = fork();
    if (child == 0) {
        struct myri_endpoint_ref ref = {.endpoint = o->endpoint};
        struct myri_wait wait = {.endpoint = o->endpoint, .timeout_us = 0};
        struct myri_unregister none = {.endpoint = o->endpoint};
        unsigned char resident;
        int wrong = ASK(end.fd, MYRI_ENDPOINT_CLOSE, struct myri_endpoint_ref, &ref) != -EPERM;
        wrong |= (ASK(end.fd, MYRI_WAIT, struct myri_wait, &wait) != -EPERM) << 1;
        wrong |= (ASK(end.fd, MYRI_UNREGISTER, struct myri_unregister, &none) != -EPERM) << 2;
        wrong |= (mincore((void*)(uintptr_t)end.window, PAGE, &resident) == 0) << 3;
        wrong |= (mincore(end.send, PAGE, &resident) == 0) << 4;
        wrong |= maps(end.fd, window, MYRI_MMAP_WINDOW, BOTH, MAP_SHARED) << 5;
        _exit(wrong);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
    struct myri_wait wait = {.endpoint = o->endpoint, .timeout_us = 1000};
    CHECK_EQ(ASK(end.fd, MYRI_WAIT, struct myri_wait, &wait), -ETIMEDOUT); /* the parent's is still there */
    close_end(&end);

    begin("read-only open file");
    const int reader = open("/dev/myri0", O_RDONLY | O_CLOEXEC);
    if (reader >= 0) {
        CHECK(!maps(reader, window, MYRI_MMAP_WINDOW, BOTH, MAP_SHARED));
        close(reader);
    }
}

static void stale_bits(struct end* end) {
    enum { COUNT = 4 };
    struct myri_unregister window;
    for (int kind = 0; kind < 3; kind++) {
        snprintf(label, sizeof label, "stale registrations: %s",
                 (const char*[]){"munmap", "mmap over it", "mremap"}[kind]);
        unsigned char* memory = pages(COUNT);
        memset(memory, 7, COUNT * PAGE);
        REQUIRE(register_memory(end, memory, COUNT * PAGE, MYRI_REGISTER_WRITABLE, &window) == 0);
        const volatile uint32_t* word = &end->page->stale[window.window / 32];
        const uint32_t bit = 1u << window.window % 32;
        CHECK(!(*word & bit));
        if (kind == 0) {
            CHECK_EQ(munmap(memory + PAGE, PAGE), 0);
        } else if (kind == 1) {
            CHECK(mmap(memory, COUNT * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                       -1, 0) == memory);
        } else {
            unsigned char* target = pages(COUNT);
            CHECK(mremap(memory, COUNT * PAGE, COUNT * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, target) ==
                  target);
            memory = target;
        }
        CHECK((*word & bit) != 0);
        CHECK_EQ(unregister(end, &window), 0);
        munmap(memory, COUNT * PAGE);

        memory = pages(COUNT);
        struct myri_unregister next;
        REQUIRE(register_memory(end, memory, COUNT * PAGE, 0, &next) == 0);
        CHECK(!(end->page->stale[next.window / 32] & 1u << next.window % 32));
        if (next.window == window.window)
            CHECK(next.generation != window.generation);
        CHECK(unregister(end, &window) != 0); /* the old name */
        CHECK_EQ(unregister(end, &next), 0);
        munmap(memory, COUNT * PAGE);
    }
}

static void refused_memory(struct end* end) {
    struct myri_unregister window;
    unsigned char* memory = pages(2048); /* 8 MiB */

    begin("register: what is not memory");
    CHECK_EQ(register_memory(end, NULL, PAGE, 0, &window), -EFAULT);
    CHECK_EQ(register_memory(end, (void*)UINTPTR_MAX, PAGE, 0, &window), -EFAULT);
    CHECK_EQ(register_memory(end, (void*)(uintptr_t)0xffff888000000000u, PAGE, 0, &window), -EFAULT);
    CHECK_EQ(register_memory(end, memory, 64, 0x80, &window), -EINVAL); /* an unknown flag */
    REQUIRE(munmap(memory + 4 * PAGE, PAGE) == 0);
    CHECK_EQ(register_memory(end, memory, 8 * PAGE, 0, &window), -EFAULT);
    CHECK_EQ(register_memory(end, memory + 3 * PAGE, PAGE + 1, 0, &window), -EFAULT);
    CHECK_EQ(register_memory(end, memory + 3 * PAGE, PAGE, 0, &window), 0);
    CHECK_EQ(unregister(end, &window), 0);
    REQUIRE(mprotect(memory, PAGE, PROT_READ) == 0);
    CHECK_EQ(register_memory(end, memory, PAGE, MYRI_REGISTER_WRITABLE, &window), -EFAULT);
    CHECK_EQ(register_memory(end, memory, PAGE, 0, &window), 0);
    CHECK_EQ(unregister(end, &window), 0);
    REQUIRE(mprotect(memory, PAGE, PROT_NONE) == 0);
    CHECK_EQ(register_memory(end, memory, PAGE, 0, &window), -EFAULT);
    begin("register: the device's own mappings");
    CHECK(register_memory(end, (void*)(uintptr_t)end->window, PAGE, 0, &window) != 0);

    begin("register: sizes and counts");
    CHECK(register_memory(end, memory + 8 * PAGE, 0, 0, &window) != 0);
    unsigned char* large = pages(2049);
    CHECK_EQ(register_memory(end, large, FW_WINDOW_MAX + 1, 0, &window), -E2BIG);
    CHECK(register_memory(end, large, UINT64_MAX, 0, &window) != 0);
    CHECK(register_memory(end, large, UINT64_MAX - (uintptr_t)large + 1, 0, &window) != 0);
    munmap(large, 2049 * PAGE);
    static struct myri_register many;
    for (uint32_t i = 0; i < MYRI_SEGMENTS_MAX; i++) {
        many.segment[i].address = (uintptr_t)memory + (16 + i) * PAGE;
        many.segment[i].length = PAGE;
    }
    const uint32_t counts[] = {0, MYRI_SEGMENTS_MAX + 1, 0x7fffffff, 0xffffffff};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        many.endpoint = end->open.endpoint;
        many.count = counts[i];
        CHECK(ASK(end->fd, MYRI_REGISTER, struct myri_register, &many) != 0);
    }
    many.count = MYRI_SEGMENTS_MAX;
    CHECK_EQ(ASK(end->fd, MYRI_REGISTER, struct myri_register, &many), 0);
    struct myri_unregister segments = {0, end->open.endpoint, many.window, many.generation};
    CHECK_EQ(unregister(end, &segments), 0);
    many.segment[255].length = UINT64_MAX; /* the sum overflows */
    CHECK(ASK(end->fd, MYRI_REGISTER, struct myri_register, &many) != 0);

    begin("register: too many pieces in a block");
    for (uint32_t i = 0; i < 64; i++) {
        many.segment[i].address = (uintptr_t)memory + (16 + 2 * i) * PAGE;
        many.segment[i].length = 64;
    }
    many.count = 64;
    CHECK_EQ(ASK(end->fd, MYRI_REGISTER, struct myri_register, &many), -E2BIG);

    begin("unregister: what is not registered");
    struct myri_unregister forged = {0, end->open.endpoint, 0, 1};
    for (uint32_t i = 0; i < 70; i++) {
        forged.window = i;
        CHECK(unregister(end, &forged) != 0);
    }
    forged.window = 0xffffffff;
    CHECK(unregister(end, &forged) != 0);
    munmap(memory, 4 * PAGE);
    munmap(memory + 5 * PAGE, 2043 * PAGE);
}

static long pinned_kib(void) {
    char line[128];
    long sum = 0, value;
    FILE* status = fopen("/proc/self/status", "r");
    REQUIRE(status != NULL);
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmPin: %ld", &value) == 1 || sscanf(line, "VmLck: %ld", &value) == 1)
            sum += value;
    fclose(status);
    return sum;
}

static void limits(struct end* end) {
    struct myri_unregister windows[FW_WINDOWS + 1];
    unsigned char* memory = pages(512);
    begin("register: all windows");
    const long before = pinned_kib();
    uint32_t count = 0;
    int answer = 0;
    while (count <= FW_WINDOWS &&
           (answer = register_memory(end, memory + count * PAGE, PAGE, 0, &windows[count])) == 0)
        count++;
    CHECK_EQ(count, FW_WINDOWS);
    CHECK_EQ(answer, -ENOSPC);
    CHECK_EQ(pinned_kib() - before, 4 * FW_WINDOWS);
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ(unregister(end, &windows[i]), 0);
    CHECK_EQ(pinned_kib(), before);

    begin("register: RLIMIT_MEMLOCK");
    const struct rlimit small = {128 << 10, 128 << 10};
    REQUIRE(setrlimit(RLIMIT_MEMLOCK, &small) == 0);
    CHECK_EQ(register_memory(end, memory, 1 << 20, 0, &windows[0]), -ENOMEM);
    for (int i = 0; i < 100; i++) { /* what is given back counts no more */
        CHECK_EQ(register_memory(end, memory, 64 << 10, 0, &windows[0]), 0);
        CHECK_EQ(unregister(end, &windows[0]), 0);
    }
    CHECK_EQ(register_memory(end, memory, 64 << 10, 0, &windows[0]), 0);
    CHECK_EQ(register_memory(end, memory + (64 << 10), 128 << 10, 0, &windows[1]), -ENOMEM);
    CHECK_EQ(unregister(end, &windows[0]), 0);
    munmap(memory, 512 * PAGE);
}

static void registrations(void) {
    struct end end;
    begin("register");
    REQUIRE(open_end(&end, MYRI_ANY) == 0);
    if (end.bounce) {
        struct myri_unregister window;
        unsigned char* memory = pages(1);
        begin("register: bounce area");
        CHECK_EQ(register_memory(&end, memory, PAGE, 0, &window), -EOPNOTSUPP);
        CHECK_EQ(register_memory(&end, NULL, PAGE, MYRI_REGISTER_BOUNCE, &window), 0);
        CHECK_EQ(unregister(&end, &window), 0);
        CHECK(register_memory(&end, (void*)(uintptr_t)end.open.bounce_bytes, PAGE, MYRI_REGISTER_BOUNCE,
                              &window) != 0);
        CHECK(register_memory(&end, (void*)(uintptr_t)(end.open.bounce_bytes - 64), PAGE,
                              MYRI_REGISTER_BOUNCE, &window) != 0);
        munmap(memory, PAGE);
    } else {
        stale_bits(&end);
        refused_memory(&end);
        limits(&end); /* last: it lowers a limit */
    }
    close_end(&end);
}

struct late_send {
    struct end* from;
    struct destination to;
    unsigned after_ms;
};
static void* send_later(void* argument) {
    struct late_send* send = argument;
    sleep_ms(send->after_ms);
    post(send->from, send->to, FW_SLOT_SEND, "late message", 12);
    return NULL;
}

static void ignore(int signal) {
    (void)signal;
}

static void waiting(void) {
    struct end a, b;
    begin("message");
    REQUIRE(open_end(&a, MYRI_ANY) == 0 && open_end(&b, MYRI_ANY) == 0);
    const struct destination to_b = {own_peer(a.fd), b.open.endpoint, b.open.session};
    post(&a, to_b, FW_SLOT_SEND, "0123456789abcdef", 16);
    const struct fw_event* event = next_event(&b, 5000);
    REQUIRE(event != NULL);
    CHECK_EQ(event->type, FW_EVENT_PACKET);
    CHECK_EQ(event->u.packet.header.kind, WIRE_MESSAGE);
    CHECK_EQ(event->u.packet.header.src_endpoint, a.open.endpoint);
    CHECK(memcmp(event->u.packet.body, "0123456789abcdef", 16) == 0);

    begin("wait: nothing comes");
    struct myri_wait wait = {.endpoint = b.open.endpoint, .events_seen = b.seen, .timeout_us = 50000};
    uint64_t since = milliseconds();
    CHECK_EQ(ASK(b.fd, MYRI_WAIT, struct myri_wait, &wait), -ETIMEDOUT);
    CHECK(milliseconds() - since >= 50);
    CHECK(milliseconds() - since < 2000);

    begin("wait: something comes");
    b.window->wake_after_us.raw = MYRI_SWAP32(0);
    struct late_send late = {&a, to_b, 200};
    pthread_t thread;
    for (int round = 0; round < 2; round++) {
        REQUIRE(pthread_create(&thread, NULL, send_later, &late) == 0);
        wait.events_seen = b.seen;
        wait.timeout_us = 5000000;
        since = milliseconds();
        if (round == 0) {
            CHECK_EQ(ASK(b.fd, MYRI_WAIT, struct myri_wait, &wait), 0);
        } else {
            begin("poll");
            struct pollfd news = {b.fd, POLLIN, 0};
            wait.timeout_us = 0;
            CHECK_EQ(ASK(b.fd, MYRI_WAIT, struct myri_wait, &wait), -ETIMEDOUT);
            CHECK_EQ(poll(&news, 1, 5000), 1);
            CHECK_EQ(news.revents, POLLIN);
        }
        CHECK(milliseconds() - since >= 100);
        CHECK(milliseconds() - since < 4000);
        pthread_join(thread, NULL);
        CHECK(next_event(&b, 1000) != NULL);
    }
    begin("wait: it is there already");
    post(&a, to_b, FW_SLOT_SEND, "early", 5);
    sleep_ms(200);
    wait.events_seen = b.seen;
    wait.timeout_us = MYRI_ANY;
    CHECK_EQ(ASK(b.fd, MYRI_WAIT, struct myri_wait, &wait), 0);
    CHECK(next_event(&b, 1000) != NULL);

    begin("wait: a signal");
    struct sigaction action = {.sa_handler = ignore};
    REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
    alarm(1);
    wait.events_seen = b.seen;
    CHECK_EQ(ASK(b.fd, MYRI_WAIT, struct myri_wait, &wait), -EINTR);

    begin("wait: bad slots wake too");
    const struct destination nowhere = {65535, 0, 0};
    post(&b, nowhere, FW_SLOT_SEND, "x", 1);
    event = next_event(&b, 5000);
    REQUIRE(event != NULL);
    CHECK_EQ(event->type, FW_EVENT_BAD_SLOT);
    CHECK_EQ(be32_to_cpu(event->u.brief.b), FW_SLOT_BAD_PEER);
    close_end(&a);
    close_end(&b);
}

int main(void) {
    versions();
    boards();
    opening();
    mappings();
    waiting();
    registrations();
    return report();
}
