// SPDX-License-Identifier: BSD-3-Clause
//
// INTx as QEMU drives it without KVM, and what SET_IRQS may ask for.
#include <doctest/doctest.h>
#include <unistd.h>

#include "abi/lanai.h"
#include "tests/nic/program.h"
#include "tests/vfio_user/served_guest.h"

using namespace vfio_test;
using namespace nic_test;
using myri::emulator::microseconds;

namespace {

constexpr uint64_t CONTROL = LANAI_BAR0_CONTROL_WORD, SPECIAL = LANAI_BAR0_SPECIAL;

// A program that raises REQ_ACK_0 each time the word at 0x1000 is set, and clears that word.
struct Line {
    Line() : client(served.connect()) {
        client.greet();
        const Program program = {
            mov_high(7, LANAI_ISR_REQ_ACK_0 >> 16), // 0
            ld(6, 0x1000),                          // 4
            nop(),                                  // 8
            cmp(6, 0),                              // 12
            beq(4),                                 // 16
            nop(),                                  // 20
            st(0, 0x1000),                          // 24
            st_special(7, LANAI_ISR),               // 28
            bt(4),                                  // 32
            nop(),
        };
        for (uint32_t n = 0; n < program.size(); n++)
            client.set_card_word(4 * n, program[n]);
        client.set_card_word(CONTROL, LANAI_CONTROL_CPU_RESET_OFF);
        client.set_card_word(CONTROL, LANAI_CONTROL_PCI_INTERRUPT_ENABLE);
    }
    void raise() {
        client.set_card_word(0x1000, 1);
        served.run(microseconds(10));
        CHECK((client.card_word(SPECIAL + LANAI_ISR) & LANAI_ISR_REQ_ACK_0) != 0);
    }
    void acknowledge() { client.set_card_word(SPECIAL + LANAI_ISR, LANAI_ISR_REQ_ACK_0); }
    void attach(const File& bell) { CHECK(client.set_irqs(0x24, INTX, 1, bell.get()) == 0); }
    void unmask() { CHECK(client.set_irqs(0x11, INTX, 1) == 0); }
    bool status_bit() { return client.config<uint16_t>(6) & 8; }

    ServedGuest served;
    Client client;
};

} // namespace

TEST_CASE("INTx fires once, and again after UNMASK only while the level is high") {
    Line line;
    const File bell = eventfd();
    line.attach(bell);
    CHECK(!line.status_bit());
    line.raise();
    CHECK(line.status_bit());
    CHECK(fired(bell) == 1);
    line.raise(); // merged with the one that nobody has handled
    CHECK(fired(bell) == 0);
    line.unmask(); // end of interrupt, but the level is still high
    CHECK(fired(bell) == 1);
    line.acknowledge();
    CHECK(!line.status_bit());
    line.raise(); // before the end of interrupt
    CHECK(fired(bell) == 0);
    line.unmask();
    CHECK(fired(bell) == 1);
    line.acknowledge();
    line.unmask();
    CHECK(fired(bell) == 0);
    line.raise();
    CHECK(fired(bell) == 1);
}

TEST_CASE("a high line fires when somebody comes to listen, and follows to a new eventfd") {
    Line line;
    line.raise();
    const File first = eventfd(), second = eventfd();
    line.attach(first);
    CHECK(fired(first) == 1);
    line.attach(second); // as after a reset of the machine: begins unmasked
    CHECK(fired(second) == 1);
    CHECK(line.client.set_irqs(0x21, INTX, 0) == 0);
    line.unmask();
    CHECK(fired(first) == 0);
    CHECK(fired(second) == 0);
}

TEST_CASE("INTx is silent while masked, disabled in the command register, or while MSI is on") {
    Line line;
    const File bell = eventfd();
    line.attach(bell);
    CHECK(line.client.set_irqs(0x09, INTX, 1) == 0);
    line.raise();
    CHECK(fired(bell) == 0);
    line.client.set_config<uint16_t>(4, 0x400);
    line.unmask();
    CHECK(fired(bell) == 0);
    line.client.set_config<uint16_t>(0x52, 0x81);
    line.client.set_config<uint16_t>(4, 0);
    CHECK(fired(bell) == 0);
    line.client.set_config<uint16_t>(0x52, 0x80);
    CHECK(fired(bell) == 1);
    // Disabled in the card itself.
    line.client.set_card_word(CONTROL, LANAI_CONTROL_PCI_INTERRUPT_DISABLE);
    line.unmask();
    CHECK(fired(bell) == 0);
}

TEST_CASE("reset lowers the line and forgets the mask; the eventfd that follows works") {
    Line line;
    const File before = eventfd(), after = eventfd();
    line.attach(before);
    line.raise();
    CHECK(fired(before) == 1);
    CHECK(line.client.set_irqs(0x21, INTX, 0) == 0);
    CHECK(line.client.error_of(RESET, {}) == 0);
    CHECK(!line.status_bit());
    line.attach(after);
    CHECK(fired(after) == 0);
}

TEST_CASE("the client can trigger interrupts itself") {
    Line line;
    const File bell = eventfd();
    line.attach(bell);
    CHECK(line.client.set_irqs(0x21, INTX, 1) == 0);
    CHECK(fired(bell) == 1);
    line.unmask();
    CHECK(line.client.error_of(SET_IRQS, joined(pack(20u, 0x22u, INTX, 0u, 1u), Bytes{0})) == 0);
    CHECK(fired(bell) == 0);
    CHECK(line.client.error_of(SET_IRQS, joined(pack(20u, 0x22u, INTX, 0u, 1u), Bytes{1})) == 0);
    CHECK(fired(bell) == 1);
}

TEST_CASE("INTx and MSI have one vector each, and other indexes are refused in silence") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    CHECK(client.ask(IRQ_INFO, pack(16u, 0u, INTX, 0u)).payload == pack(16u, 7u, INTX, 1u));
    CHECK(client.ask(IRQ_INFO, pack(16u, 0u, MSI, 0u)).payload == pack(16u, 9u, MSI, 1u));
    for (const uint32_t index : {2u, 3u, 4u, 5u, ~0u})
        CHECK(client.error_of(IRQ_INFO, pack(16u, 0u, index, 0u)) == EINVAL);
}

TEST_CASE("SET_IRQS that makes no sense is refused, and its descriptors are closed") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    const File bell = eventfd(), ram = memfd(4096);
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const File from(ends[0]), to(ends[1]);
    const size_t before = open_descriptors();
    const auto error = [&](uint32_t flags, uint32_t index, uint32_t start, uint32_t count, std::vector<int> files,
                           size_t data = 0) {
        return client.error_of(SET_IRQS, joined(pack(20u, flags, index, start, count), Bytes(data)), files);
    };
    CHECK(error(0x24, INTX, 0, 1, {ram.get()}) == EINVAL); // not an eventfd: writing to it could do anything
    CHECK(error(0x24, MSI, 0, 1, {to.get()}) == EINVAL);
    CHECK(error(0x24, INTX, 0, 2, {bell.get()}) == EINVAL); // two vectors, or one that is not there
    CHECK(error(0x24, INTX, 1, 1, {bell.get()}) == EINVAL);
    CHECK(error(0x24, INTX, ~0u, 2, {bell.get()}) == EINVAL);
    CHECK(error(0x24, INTX, 0, 0, {bell.get()}) == EINVAL);
    CHECK(error(0x24, 2, 0, 1, {bell.get()}) == EINVAL);
    CHECK(error(0x24, ~0u, 0, 1, {bell.get()}) == EINVAL);
    CHECK(error(0x24, INTX, 0, 1, {bell.get(), bell.get()}) == EINVAL);
    CHECK(error(0x21, INTX, 0, 1, {bell.get()}) == EINVAL); // a descriptor where none belongs
    CHECK(error(0x14, INTX, 0, 1, {bell.get()}) == EOPNOTSUPP);
    CHECK(error(0x11, MSI, 0, 1, {}) == EINVAL); // cannot be masked
    CHECK(error(0x22, INTX, 0, 1, {}) == EINVAL); // data missing
    CHECK(error(0x21, INTX, 0, 1, {}, 1) == EINVAL); // data too many
    for (const uint32_t flags : {0u, 1u, 0x20u, 0x23u, 0x31u, 0x25u, 0x121u, ~0u})
        CHECK(error(flags, INTX, 0, 1, {}) == EINVAL);
    CHECK(open_descriptors() == before);
    CHECK(error(0x24, INTX, 0, 1, {bell.get()}) == 0);
    CHECK(open_descriptors() == before + 1);
    CHECK(error(0x24, INTX, 0, 1, {}) == 0); // none: detached
    CHECK(open_descriptors() == before);
}
