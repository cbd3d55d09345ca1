/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two users on one card: what one has granted to another peer, the other cannot read or write, whatever it
 * writes into its own SRAM window and asks of the driver.
 *
 *   protection VICTIM ATTACKER   (user ids; started by root)
 *
 * The victim has a grant that its own second endpoint pulls: that shows that the attacker, who is told every
 * number but does not own that endpoint, is refused for who it is and not because nothing works.
 */
#define _GNU_SOURCE
#include "tests/vm/guest/device.h"

#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 2, LENGTH = BLOCKS * WIRE_BLOCK_SIZE, MYRI_GROUP = 900, UNTOUCHED = 0xee };

/* All that there is to know of the victim. */
struct knowledge {
    uint32_t card, peer;
    uint32_t endpoint, session, window, window_generation;
    uint32_t friend_endpoint, friend_session;
    uint32_t grant, grant_generation;
};

static void become(uid_t user) {
    const gid_t groups[] = {MYRI_GROUP};
    REQUIRE(setgroups(1, groups) == 0 && setgid(user) == 0 && setuid(user) == 0);
}

static void grant(struct end* end, uint32_t index, uint32_t generation, const struct myri_unregister* window,
                  uint32_t card, uint32_t endpoint, uint32_t session) {
    volatile struct fw_grant* g = &end->window->grants[index];
    g->window.raw = MYRI_SWAP16((uint16_t)window->window);
    g->window_generation.raw = MYRI_SWAP16((uint16_t)window->generation);
    g->peer_endpoint = (uint8_t)endpoint;
    g->offset.raw = 0;
    g->length.raw = MYRI_SWAP32(LENGTH);
    g->peer_card.raw = MYRI_SWAP32(card);
    g->peer_session.raw = MYRI_SWAP32(session);
    for (uint32_t block = 0; block < BLOCKS; block++) {
        g->crcs[block].crc.raw = MYRI_SWAP32(block);
        g->crcs[block].tag.raw = MYRI_SWAP32(generation << 16 | block);
    }
    __builtin_ia32_sfence();
    g->generation.raw = MYRI_SWAP16((uint16_t)generation);
    __builtin_ia32_sfence();
}

enum outcome { PULLED, FAILED, REFUSED, NOTHING };

static uint32_t pulls;

static struct fw_pull_request pull_request(uint32_t index, uint32_t generation,
                                           const struct myri_unregister* window) {
    struct fw_pull_request request;
    memset(&request, 0, sizeof request);
    request.pull = cpu_to_be16((uint16_t)(pulls % FW_PULLS));
    request.pull_generation = cpu_to_be16((uint16_t)(1 + pulls));
    pulls++;
    request.grant = cpu_to_be16((uint16_t)index);
    request.grant_generation = cpu_to_be16((uint16_t)generation);
    request.window = cpu_to_be16((uint16_t)window->window);
    request.window_generation = cpu_to_be16((uint16_t)window->generation);
    request.block_count = cpu_to_be16(BLOCKS);
    request.length = cpu_to_be32(LENGTH);
    request.deadline_ms = cpu_to_be32(100);
    return request;
}

static enum outcome pull(struct end* end, struct destination from, const struct fw_pull_request* request) {
    post(end, from, FW_SLOT_PULL, request, sizeof *request);
    const struct fw_event* event;
    for (uint32_t blocks = 0; (event = next_event(end, 5000));) {
        if (event->type == FW_EVENT_BAD_SLOT)
            return REFUSED;
        if (event->type == FW_EVENT_PULL_FAILED)
            return FAILED;
        if (event->type == FW_EVENT_BLOCK && ++blocks == BLOCKS)
            return PULLED;
    }
    return NOTHING;
}

static int all_are(const unsigned char* bytes, unsigned value) {
    for (size_t i = 0; i < LENGTH; i++)
        if (bytes[i] != value)
            return 0;
    return 1;
}

static unsigned char secret(size_t i) {
    return (unsigned char)(i * 7 % 241);
}

static void friend_pulls(struct end* friend, const struct knowledge* k, unsigned char* copy,
                         const struct myri_unregister* to) {
    memset(copy, 0, LENGTH);
    const struct destination owner = {k->peer, k->endpoint, k->session};
    const struct fw_pull_request request = pull_request(k->grant, k->grant_generation, to);
    CHECK_EQ(pull(friend, owner, &request), PULLED);
    size_t right = 0;
    while (right < LENGTH && copy[right] == secret(right))
        right++;
    CHECK_EQ(right, LENGTH);
}

static void be_victim(int tell, int done) {
    struct end end, friend;
    struct myri_unregister window, to;
    snprintf(label, sizeof label, "victim");
    REQUIRE(open_end(&end, MYRI_ANY) == 0 && open_end(&friend, MYRI_ANY) == 0);
    if (end.bounce) {
        printf("a bounce area: not this test\n");
        exit(77);
    }
    unsigned char *memory = pages(LENGTH / PAGE), *copy = pages(LENGTH / PAGE);
    /* Registered before anything was written there: the card must still read what is there later. */
    REQUIRE(register_memory(&end, memory, LENGTH, 0, &window) == 0);
    for (size_t i = 0; i < LENGTH; i++)
        memory[i] = secret(i);
    REQUIRE(register_memory(&friend, copy, LENGTH, MYRI_REGISTER_WRITABLE, &to) == 0);
    struct myri_board_info board = {.board = 0};
    REQUIRE(ASK(end.fd, MYRI_BOARD_INFO, struct myri_board_info, &board) == 0);
    struct knowledge k = {(uint32_t)board.mac,
                          own_peer(end.fd),
                          end.open.endpoint,
                          end.open.session,
                          window.window,
                          window.generation,
                          friend.open.endpoint,
                          friend.open.session,
                          3,
                          0x1234};
    grant(&end, k.grant, k.grant_generation, &window, k.card, k.friend_endpoint, k.friend_session);
    friend_pulls(&friend, &k, copy, &to);
    REQUIRE(write(tell, &k, sizeof k) == sizeof k);
    char end_of_attack;
    REQUIRE(read(done, &end_of_attack, 1) == 0);

    snprintf(label, sizeof label, "victim, after the attack");
    for (size_t i = 0; i < LENGTH; i++)
        if (memory[i] != secret(i)) {
            CHECK_EQ(i, LENGTH);
            break;
        }
    const struct fw_event* event;
    while ((event = next_event(&end, 200))) /* messages may come; they name who sent them */
        CHECK(event->type != FW_EVENT_PACKET || event->u.packet.header.src_endpoint != friend.open.endpoint);
    friend_pulls(&friend, &k, copy, &to);
    CHECK_EQ(unregister(&end, &window), 0);
    exit(report());
}

static void attack(const struct knowledge* k) {
    struct end end;
    struct myri_unregister window, readable;
    snprintf(label, sizeof label, "attacker");
    REQUIRE(open_end(&end, MYRI_ANY) == 0);
    unsigned char *loot = pages(LENGTH / PAGE), *fixed = pages(LENGTH / PAGE);
    memset(loot, UNTOUCHED, LENGTH);
    memset(fixed, UNTOUCHED, LENGTH);
    /* Its windows have other numbers than the victim's, so that those are never its own. */
    struct myri_unregister filler[FW_WINDOWS];
    uint32_t fillers = 0;
    do {
        REQUIRE(fillers < FW_WINDOWS && register_memory(&end, fixed, PAGE, 0, &filler[fillers++]) == 0);
    } while (filler[fillers - 1].window != k->window);
    REQUIRE(register_memory(&end, loot, LENGTH, MYRI_REGISTER_WRITABLE, &window) == 0);
    REQUIRE(register_memory(&end, fixed, LENGTH, 0, &readable) == 0);
    for (uint32_t i = 0; i < fillers; i++)
        REQUIRE(unregister(&end, &filler[i]) == 0);
    const struct destination victim = {k->peer, k->endpoint, k->session},
                             self = {k->peer, end.open.endpoint, end.open.session};

    /* What works for the friend, from here. */
    struct fw_pull_request request = pull_request(k->grant, k->grant_generation, &window);
    CHECK_EQ(pull(&end, victim, &request), FAILED);
    for (uint32_t index = 0; index < FW_GRANTS; index += 5) {
        request = pull_request(index, k->grant_generation + index % 2, &window);
        CHECK_EQ(pull(&end, victim, &request), FAILED);
    }
    request = pull_request(0xffff, 0xffff, &window);
    CHECK(pull(&end, victim, &request) != PULLED);
    /* From the friend's endpoint, in its name: the slot cannot say whose it is. */
    const struct destination in_name = {k->peer, k->endpoint, k->friend_session};
    request = pull_request(k->grant, k->grant_generation, &window);
    CHECK_EQ(pull(&end, in_name, &request), FAILED);
    CHECK(all_are(loot, UNTOUCHED));

    snprintf(label, sizeof label, "attacker: own grants of the victim's window");
    const struct myri_unregister theirs = {0, end.open.endpoint, k->window, k->window_generation};
    for (uint32_t i = 0; i < 4; i++) {
        struct myri_unregister guess = theirs;
        guess.generation += i;
        grant(&end, i, 0x77, &guess, k->card, end.open.endpoint, end.open.session);
        request = pull_request(i, 0x77, &window);
        CHECK_EQ(pull(&end, self, &request), FAILED);
    }
    CHECK(all_are(loot, UNTOUCHED));

    snprintf(label, sizeof label, "attacker: pulls into what is not its own");
    grant(&end, 0, 0x78, &readable, k->card, end.open.endpoint, end.open.session); /* a good one */
    request = pull_request(0, 0x78, &theirs);
    CHECK_EQ(pull(&end, self, &request), REFUSED);
    request = pull_request(0, 0x78, &readable); /* not registered for writing */
    CHECK_EQ(pull(&end, self, &request), REFUSED);
    struct myri_unregister beyond = window;
    for (uint32_t index = FW_WINDOWS; index <= 0xffff; index = index * 2 + 1) {
        beyond.window = index;
        request = pull_request(0, 0x78, &beyond);
        CHECK_EQ(pull(&end, self, &request), REFUSED);
    }
    const uint32_t offsets[] = {1, LENGTH, 0x7fff0000, 0xfffff000, 0xffffffff};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        request = pull_request(0, 0x78, &window);
        request.window_offset = cpu_to_be32(offsets[i]);
        CHECK_EQ(pull(&end, self, &request), REFUSED);
        request = pull_request(0, 0x78, &window);
        request.length = cpu_to_be32(offsets[i] < 0x80000000u ? LENGTH + offsets[i] : offsets[i]);
        CHECK_EQ(pull(&end, self, &request), REFUSED);
    }
    CHECK(all_are(loot, UNTOUCHED) && all_are(fixed, UNTOUCHED));

    snprintf(label, sizeof label, "attacker: send ring and slots");
    for (uint32_t type = 0; type < 256; type += 17) {
        post(&end, victim, (enum fw_slot_type)type, &request, sizeof request);
        next_event(&end, 50);
    }
    for (uint32_t id = 0; id < FW_ENDPOINTS; id++) {
        if (id == end.open.endpoint)
            continue;
        struct myri_endpoint_ref ref = {.endpoint = id};
        struct myri_unregister other = {0, id, k->window, k->window_generation};
        struct myri_wait wait = {.endpoint = id, .timeout_us = 0};
        CHECK(ASK(end.fd, MYRI_ENDPOINT_CLOSE, struct myri_endpoint_ref, &ref) != 0);
        CHECK(ASK(end.fd, MYRI_ENDPOINT_RESUME, struct myri_endpoint_ref, &ref) != 0);
        CHECK(ASK(end.fd, MYRI_UNREGISTER, struct myri_unregister, &other) != 0);
        CHECK(ASK(end.fd, MYRI_WAIT, struct myri_wait, &wait) != 0);
    }
    exit(report());
}

int main(int argc, char** argv) {
    int tell[2], done[2], status = 1, worst = 0;
    REQUIRE(argc == 3 && pipe(tell) == 0 && pipe(done) == 0);
    const pid_t victim = fork();
    if (victim == 0) {
        close(done[1]);
        become((uid_t)atoi(argv[1]));
        be_victim(tell[1], done[0]);
    }
    const pid_t attacker = fork();
    if (attacker == 0) {
        struct knowledge k;
        close(tell[1]);
        become((uid_t)atoi(argv[2]));
        if (read(tell[0], &k, sizeof k) != sizeof k)
            exit(77); /* the victim says why */
        attack(&k);
    }
    close(done[0]);
    close(done[1]);
    close(tell[0]);
    close(tell[1]);
    for (int i = 0; i < 2; i++) {
        REQUIRE(wait(&status) > 0);
        if (status != 0)
            worst = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    }
    return worst;
}
