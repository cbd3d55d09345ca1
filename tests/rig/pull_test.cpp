// SPDX-License-Identifier: BSD-3-Clause
//
// What a serving card sends of a granted block before its checksum is there: nothing, or, if the data stands in place,
// all but the frame that carries it.
#include <cstring>
#include <doctest/doctest.h>

#include "tests/rig/test_endpoint.h"

using namespace myri::rig;

namespace {

constexpr uint32_t BLOCK = 32768, CRC = 0xcafe1234;

void append(Bytes& to, uint32_t value) {
    for (int shift : {24, 16, 8, 0})
        to.push_back(static_cast<uint8_t>(value >> shift));
}

// Host 0 grants `length` bytes to host 1, which is the test.
struct Granted {
    Granted(uint32_t length, uint8_t flags) : data(pattern(length, 7)), list(16 * 16) {
        const uint64_t bus = map(data);
        Bytes piece;
        append(piece, static_cast<uint32_t>(bus >> 32));
        append(piece, static_cast<uint32_t>(bus));
        append(piece, length);
        append(piece, 0);
        std::copy(piece.begin(), piece.end(), list.begin());
        REQUIRE(board_window_set(rig.board(0), 5, 0, 1, map(list), length, false) == 0);
        Bytes grant;
        append(grant, 3u << 16); // generation 3, window 0
        append(grant, 1u << 16 | 9u << 8 | flags);
        for (uint32_t value : {0u, length, static_cast<uint32_t>(Rig::mac(1)), 0x600dcafeu})
            append(grant, value);
        store(offsetof(fw_endpoint_window, grants), grant);
    }
    uint64_t map(Bytes& memory) {
        return rig.host(0).memory().add(memory.size(), std::make_shared<myri::emulator::PlainRange>(memory));
    }
    void store(size_t offset, const Bytes& bytes) {
        rig.host(0).card().sram_write(rig.now(),
                                      static_cast<uint32_t>(FW_SRAM_ENDPOINT_WINDOWS + 5 * FW_ENDPOINT_WINDOW_SIZE + offset),
                                      bytes);
    }
    void write_checksum() {
        Bytes entry;
        append(entry, 3u << 16); // of generation 3, block 0
        append(entry, CRC);
        store(offsetof(fw_endpoint_window, grants) + offsetof(fw_grant, crcs), entry);
    }
    void ask(uint8_t frames) {
        Bytes pull{0x4d, 0x59, 1, WIRE_PULL, 5, 9, 0, sizeof(wire_pull)};
        append(pull, owner.session());
        append(pull, static_cast<uint32_t>(Rig::mac(1)));
        for (uint32_t value : {0x600dcafeu, 3u, 0x00020011u, uint32_t{13} << 8 | frames})
            append(pull, value);
        rig.raw(1).send(rig.now(), pull);
    }
    // Frame numbers in the order of arrival; checks what they carry.
    std::vector<unsigned> frames() {
        rig.run_for(milliseconds(1));
        std::vector<unsigned> numbers;
        for (const Bytes& p : rig.raw(1).received) {
            REQUIRE(p.size() > 28);
            CHECK(p[3] == WIRE_FRAME);
            const unsigned number = p[22];
            const bool last = (number + 1) * 8192 >= data.size();
            CHECK(p[23] == (last ? WIRE_FRAME_CRC : 0));
            if (last)
                CHECK(Bytes(p.begin() + 24, p.begin() + 28) == Bytes{0xca, 0xfe, 0x12, 0x34});
            CHECK(std::equal(p.begin() + 28, p.end(), data.begin() + number * 8192));
            numbers.push_back(number);
        }
        rig.raw(1).received.clear();
        return numbers;
    }
    using Numbers = std::vector<unsigned>;

    Bytes data, list;
    Rig rig{Options{.hosts = 2, .raw = {1}}};
    TestEndpoint owner{rig, 0, 5};
};

using Numbers = Granted::Numbers;

} // namespace

TEST_CASE("a block that the process still has to write waits whole for its checksum") {
    Granted g(BLOCK, 0);
    g.ask(0xf);
    CHECK(g.frames().empty());
    CHECK(g.owner.next().type == FW_EVENT_GRANT_ASKED);
    g.write_checksum();
    CHECK(g.frames() == Numbers{0, 1, 2, 3});
}

TEST_CASE("of a block in place only the frame with the checksum waits for it") {
    Granted g(BLOCK, FW_GRANT_IN_PLACE);
    g.ask(0xf);
    CHECK(g.frames() == Numbers{0, 1, 2});
    g.ask(0x2); // a lost one is repeated meanwhile
    CHECK(g.frames() == Numbers{1});
    g.write_checksum();
    CHECK(g.frames() == Numbers{3});
    g.ask(0x8);
    CHECK(g.frames() == Numbers{3});
}

TEST_CASE("the last frame of a short block is the one that waits") {
    Granted g(8193, FW_GRANT_IN_PLACE);
    g.ask(0xf);
    CHECK(g.frames() == Numbers{0});
    g.write_checksum();
    CHECK(g.frames() == Numbers{1});
    Granted small(100, FW_GRANT_IN_PLACE);
    small.ask(0x1);
    CHECK(small.frames().empty());
    small.write_checksum();
    CHECK(small.frames() == Numbers{0});
}
