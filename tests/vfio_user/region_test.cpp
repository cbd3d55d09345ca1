// SPDX-License-Identifier: BSD-3-Clause
//
// BAR0 by messages and by mapping, the control word's two places, and programs that come through mapped SRAM.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include "abi/lanai.h"
#include "tests/nic/program.h"
#include "tests/vfio_user/served_guest.h"

using namespace vfio_test;
using namespace nic_test;
using myri::emulator::microseconds;

namespace {

constexpr uint64_t CONTROL = LANAI_BAR0_CONTROL_WORD, SPECIAL = LANAI_BAR0_SPECIAL;

class Mapped {
public:
    explicit Mapped(Client& client) {
        auto [file, size] = client.sram();
        size_ = size;
        bytes_ = static_cast<uint8_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
        REQUIRE(bytes_ != MAP_FAILED);
    }
    ~Mapped() { munmap(bytes_, size_); }
    uint8_t& operator[](size_t n) { return bytes_[n]; }
    size_t size() const { return size_; }
    void set_word(uint32_t at, uint32_t value) {
        for (uint32_t n = 0; n < 4; n++)
            bytes_[at + n] = static_cast<uint8_t>(value >> (24 - 8 * n));
    }
    void load(const Program& program) {
        for (uint32_t n = 0; n < program.size(); n++)
            set_word(4 * n, program[n]);
    }

private:
    uint8_t* bytes_;
    size_t size_;
};

// Stores `value` at 0x1000 and stays where it is.
Program storing(uint32_t value) { return {mov(6, value), st(6, 0x1000), bt(8), nop()}; }

} // namespace

TEST_CASE("SRAM is the same by mapping and by messages of every size, at every place") {
    for (const auto& [card, size] : {std::pair{"M3F-PCIXD-2", 0x200000u}, std::pair{"M3F-PCIXF-2", 0x200000u}}) {
        ServedGuest served(card);
        Client client = served.connect();
        client.greet();
        Mapped sram(client);
        CHECK(sram.size() == size);
        for (const uint32_t count : {1u, 2u, 4u, 8u, 16u, 4096u}) {
            for (const uint32_t at : {0u, 3u, 0x1000u, size / 2 - 5, size - count}) {
                Bytes bytes(count);
                for (uint32_t n = 0; n < count; n++)
                    bytes[n] = static_cast<uint8_t>(at + 7 * n + count);
                client.write(BAR0, at, bytes);
                CHECK(std::equal(bytes.begin(), bytes.end(), &sram[at]));
                sram[at] ^= 0xff;
                bytes[0] ^= 0xff;
                CHECK(client.read(BAR0, at, count) == bytes);
            }
        }
    }
}

TEST_CASE("registers are big-endian words, and parts of them are parts of the same bytes") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    CHECK(client.card_word(SPECIAL + LANAI_DMA_CONFIG) == 0x00200000); // SRAM size
    const Bytes config = {0x00, 0x20, 0x00, 0x00};
    CHECK(client.read(BAR0, SPECIAL + LANAI_DMA_CONFIG, 4) == config);
    CHECK(client.read(BAR0, SPECIAL + LANAI_DMA_CONFIG + 1, 1) == Bytes{0x20});
    CHECK(client.read(BAR0, SPECIAL + LANAI_DMA_CONFIG, 2) == Bytes{0x00, 0x20});
    client.write(BAR0, SPECIAL + LANAI_MP_LOWER, {1, 2, 3, 4, 0xaa, 0xbb, 0xcc, 0xdd}); // 8 bytes: two words
    CHECK(client.card_word(SPECIAL + LANAI_MP_LOWER) == 0x01020304);
    CHECK(client.read(BAR0, SPECIAL + LANAI_MP_LOWER, 8) == Bytes{1, 2, 3, 4, 0, 0, 0, 0}); // nothing is at +4
    client.write(BAR0, SPECIAL + LANAI_P0_SEND_FREE_LIMIT, {7}); // an 8-bit register in its lane
    CHECK(client.card_word(SPECIAL + (LANAI_P0_SEND_FREE_LIMIT & ~3u)) == 7);
    CHECK(client.read(BAR0, 0x400000, 4) == Bytes{0xff, 0xff, 0xff, 0xff}); // decodes to nothing
    client.write(BAR0, 0x400000, {1, 2, 3, 4});
    // The control window shows configuration space, as words of the card.
    CHECK(client.card_word(LANAI_BAR0_CONTROL) == 0x804314c1);
}

TEST_CASE("a read across the end of SRAM has its bytes and then nothing's") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    client.write(BAR0, 0x1ffffc, {1, 2, 3, 4});
    CHECK(client.read(BAR0, 0x1ffffc, 8) == Bytes{1, 2, 3, 4, 0xff, 0xff, 0xff, 0xff});
}

TEST_CASE("accesses outside a region, to regions that are not there, or of impossible sizes are errors") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    const auto read = [&](uint32_t region, uint64_t offset, uint32_t count) {
        return client.error_of(READ, pack(offset, region, count));
    };
    CHECK(read(BAR0, 0x1000000, 1) == EINVAL);
    CHECK(read(BAR0, 0xffffff, 2) == EINVAL);
    CHECK(read(BAR0, ~0ull, 2) == EINVAL);
    CHECK(read(BAR0, 0, 0) == EINVAL);
    CHECK(read(BAR0, 0, 0x100001) == EINVAL);
    CHECK(read(BAR0, 0, ~0u) == EINVAL);
    CHECK(read(CONFIG, 256, 1) == EINVAL);
    CHECK(read(CONFIG, 254, 4) == EINVAL);
    for (const uint32_t region : {1u, 5u, 6u, 8u, 9u, ~0u})
        CHECK(read(region, 0, 4) == EINVAL);
    CHECK(client.read(BAR0, 0, 0x100000).size() == 0x100000); // as much as was agreed
    // The count says one thing, the data another.
    for (const uint32_t count : {0u, 3u, 5u, ~0u})
        CHECK(client.error_of(WRITE, joined(pack(uint64_t{0}, BAR0, count), Bytes(4))) == EINVAL);
    CHECK(client.error_of(REGION_INFO, pack(32u, 0u, 9u, 0u, uint64_t{0}, uint64_t{0})) == EINVAL);
    CHECK(client.error_of(REGION_INFO, pack(31u, 0u, 0u, 0u, uint64_t{0}, uint64_t{0})) == EINVAL);
}

TEST_CASE("a program that came through mapped SRAM runs, and so does the next one at the same place") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    Mapped sram(client);
    // The control word through BAR0 and through configuration space alike.
    const auto control_bar = [&](uint32_t bits) { client.set_card_word(CONTROL, bits); };
    const auto control_config = [&](uint32_t bits) { client.set_config<uint32_t>(0x40, bits); };
    uint32_t value = 0x11111;
    for (const std::function<void(uint32_t)>& control : {std::function<void(uint32_t)>(control_bar),
                                                         std::function<void(uint32_t)>(control_config)}) {
        for (int round = 0; round < 2; round++) {
            value += 0x11;
            control(LANAI_CONTROL_CPU_RESET_ON);
            sram.load(storing(value)); // nobody is told
            served.run(microseconds(10));
            CHECK(client.card_word(0x1000) != value);
            control(LANAI_CONTROL_CPU_RESET_OFF);
            served.run(microseconds(10));
            CHECK(client.card_word(0x1000) == value);
        }
    }
    CHECK(client.config<uint32_t>(0x40) == 0); // write only
    // Anything but the whole word does nothing.
    client.set_config<uint16_t>(0x42, 0xffff);
    client.write(BAR0, CONTROL, {0xff, 0xff});
    CHECK(served.guest.card().running());
}

TEST_CASE("reset: the processor is held, registers and configuration are as at power-on, SRAM keeps its bytes") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    const Bytes power_on = client.read(CONFIG, 0, 256);
    Mapped sram(client);
    sram.load(storing(0x12345));
    client.set_card_word(CONTROL, LANAI_CONTROL_CPU_RESET_OFF);
    client.set_card_word(SPECIAL + LANAI_MP_LOWER, 0x55);
    for (uint32_t offset = 4; offset < 256; offset += 4)
        if (offset != 0x40)
            client.set_config<uint32_t>(offset, 0xffffffff);
    served.run(microseconds(10));
    CHECK(client.read(CONFIG, 0, 256) != power_on);

    CHECK(client.error_of(RESET, {}) == 0);
    CHECK(!served.guest.card().running());
    CHECK(client.read(CONFIG, 0, 256) == power_on);
    CHECK(client.card_word(SPECIAL + LANAI_MP_LOWER) == 0);
    CHECK(client.card_word(0x1000) == 0x12345);
    const Bytes serial = {'S', 'N', '=', '1', '2', '3', '4', '5', '6', 0};
    CHECK(client.read(BAR0, 0x200000 - 256, 10) == serial);
}

TEST_CASE("configuration space keeps what is read-only, and clears what is cleared by one") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    Bytes expected = client.read(CONFIG, 0, 256);
    for (uint32_t offset = 0; offset < 256; offset++) {
        if (offset < 0x40 || offset >= 0x44)
            client.set_config<uint8_t>(offset, 0xff);
    }
    // What a program may set, from the PCI and PCI-X specifications and the card's description.
    const auto set = [&](uint32_t offset, Bytes bytes) {
        std::copy(bytes.begin(), bytes.end(), expected.begin() + offset);
    };
    set(0x04, {0x56, 0x05}); // memory, master, invalidate, parity, SERR, INTx disable
    set(0x0c, {0xff, 0xff}); // cache line, latency
    set(0x10, {0x08, 0x00, 0x00, 0xff});
    set(0x3c, {0xff});
    set(0x4a, {0x7f, 0x00});
    set(0x52, {0x81, 0x00});
    set(0x54, {0xfc, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
    CHECK(client.read(CONFIG, 0, 256) == expected);
}
