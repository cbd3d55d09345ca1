// SPDX-License-Identifier: BSD-3-Clause
//
// Clients that send what no QEMU would, or go in the middle of everything: the connection ends, with one line on
// stderr where somebody is to blame, and the next client finds a card as new.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <random>

#include "abi/lanai.h"
#include "tests/vfio_user/served_guest.h"

using namespace vfio_test;
using myri::emulator::vfio::MessageAssembler;
using myri::emulator::vfio::ProtocolError;

namespace {

Bytes message(uint16_t command, uint32_t size, uint32_t flags = 0, const Bytes& payload = {}) {
    return joined(pack(uint16_t{7}, command, size, flags, uint32_t{0}), payload);
}

void finish(ServedGuest& served) {
    while (served.server->connected())
        served.pump();
}

// After whatever happened before.
void check_works(ServedGuest& served) {
    finish(served);
    CHECK(served.guest.memory().ranges() == 0);
    Client next = served.connect();
    next.greet();
    CHECK(next.config<uint16_t>(0) == 0x14c1);
    CHECK(next.config<uint16_t>(4) == 0);
    CHECK(!served.guest.card().running());
    next.hang_up();
    finish(served);
}

} // namespace

TEST_CASE("what is no message ends this connection only, with one line that says why") {
    const struct {
        const char* what;
        Bytes bytes;
        bool greeted;
    } cases[] = {
        {"size below a header", message(GET_INFO, 15), true},
        {"size 0", message(GET_INFO, 0), true},
        {"a message larger than any", message(WRITE, 0x100000 + 33), true},
        {"the largest size", message(WRITE, ~0u), true},
        {"a reply", message(GET_INFO, 32, 1, Bytes(16)), true},
        {"an unknown type", message(GET_INFO, 32, 7, Bytes(16)), true},
        {"not VERSION first", message(GET_INFO, 32, 0, Bytes(16)), false},
        {"an unknown command first", message(99, 16), false},
        {"a VERSION without a version", message(VERSION, 18, 0, Bytes(2)), false},
        {"another major version", message(VERSION, 20, 0, pack(uint16_t{1}, uint16_t{0})), false},
        {"text without its end", message(VERSION, 22, 0, {0, 0, 0, 0, '{', '}'}), false},
    };
    ServedGuest served;
    const size_t before = open_descriptors();
    size_t lines = 0;
    for (const auto& c : cases) {
        INFO(c.what);
        {
            Client client = served.connect();
            if (c.greeted)
                client.greet();
            client.send_raw(c.bytes);
            CHECK(client.thrown_out());
        }
        CHECK(served.complaints.size() == ++lines);
        CHECK(served.complaints.back().starts_with("test.sock: "));
        check_works(served);
        CHECK(open_descriptors() == before);
    }
}

TEST_CASE("a stream that ends in the middle of a message is reported; one that ends between two is not") {
    ServedGuest served;
    const Bytes whole = message(READ, 32, 0, pack(uint64_t{0}, CONFIG, uint32_t{4}));
    for (size_t cut = 1; cut < whole.size(); cut++) {
        Client client = served.connect();
        client.greet();
        client.send_raw(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut)));
        client.hang_up();
        finish(served);
        CHECK(served.complaints.size() == cut);
    }
    const size_t lines = served.complaints.size();
    Client client = served.connect();
    client.greet();
    client.hang_up();
    finish(served);
    CHECK(served.complaints.size() == lines);
    check_works(served);
}

TEST_CASE("payloads of a wrong size are errors, and the next message is understood") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    const struct {
        uint16_t command;
        uint32_t right;
        bool longer; // may be
    } commands[] = {{DMA_MAP, 32, false},  {DMA_UNMAP, 24, false}, {GET_INFO, 16, false}, {REGION_INFO, 32, false},
                    {IRQ_INFO, 16, false}, {SET_IRQS, 20, true},   {READ, 16, false},     {WRITE, 16, true},
                    {RESET, 0, false}};
    for (const auto& c : commands)
        for (const uint32_t size : {0u, 1u, 15u, 17u, 19u, 23u, 31u, 33u, 64u, 4096u})
            if (size < c.right || (size > c.right && !c.longer))
                CHECK(client.error_of(c.command, Bytes(size)) == EINVAL);
    CHECK(client.error_of(VERSION, Bytes(8)) == EINVAL); // a second time
    CHECK(client.config<uint16_t>(0) == 0x14c1);
}

TEST_CASE("descriptors where none belong are closed and refused; too many end the connection") {
    ServedGuest served;
    const File ram = memfd(4096);
    const size_t before = open_descriptors();
    {
        Client client = served.connect();
        client.greet();
        const std::vector<int> one(1, ram.get()), two(2, ram.get());
        const Bytes read = pack(uint64_t{0}, CONFIG, uint32_t{4});
        CHECK(client.error_of(READ, read, one) == EINVAL);
        CHECK(client.error_of(GET_INFO, pack(16u, 0u, 0u, 0u), one) == EINVAL);
        CHECK(client.error_of(RESET, {}, one) == EINVAL);
        CHECK(client.error_of(99, {}, one) == EOPNOTSUPP);
        CHECK(client.error_of(DMA_MAP, pack(32u, 3u, uint64_t{0}, uint64_t{0}, uint64_t{4096}), two) == EINVAL);
        CHECK(client.error_of(READ, read) == 0);
    }
    finish(served);
    CHECK(open_descriptors() == before);
    for (const size_t count : {9u, 32u, 33u, 64u}) {
        Client client = served.connect();
        client.greet();
        client.send_raw(message(READ, 32, 0, pack(uint64_t{0}, CONFIG, uint32_t{4})), std::vector<int>(count, ram.get()));
        CHECK(client.thrown_out());
        client.hang_up();
        finish(served);
        CHECK(open_descriptors() == before);
    }
    // One with each byte of one message.
    Client client = served.connect();
    client.greet();
    const int fd = ram.get();
    for (int n = 0; n < 8; n++)
        client.send_raw(Bytes{0x10}, {&fd, 1});
    served.pump();
    client.hang_up();
    finish(served);
    CHECK(open_descriptors() == before);
    check_works(served);
}

TEST_CASE("a client that goes in the middle of anything leaves nothing behind") {
    std::mt19937 random(5);
    ServedGuest served;
    const File ram = memfd(64 * 4096), bell = eventfd();
    const size_t before = open_descriptors();
    for (int round = 0; round < 200; round++) {
        {
            Client client = served.connect();
            client.greet();
            client.map(0, 0x10000, ram.get());
            client.set_config<uint16_t>(4, 6);
            client.set_irqs(0x24, INTX, 1, bell.get());
            // A transfer under way, SRAM held open, and requests of which some are never read.
            auto sram = client.sram();
            client.set_card_word(LANAI_BAR0_SPECIAL + LANAI_DMA_CONFIG, LANAI_DMA_ENABLE);
            const uint32_t descriptor[] = {0x8000, 0, 0x10000, 0, 0, 0};
            for (uint32_t n = 0; n < 6; n++)
                client.set_card_word(0x8000 + 4 * n, descriptor[n]);
            client.set_card_word(LANAI_BAR0_SPECIAL + LANAI_DMA0_POINTER, 0x8000);
            client.write(BAR0, LANAI_BAR0_SPECIAL + LANAI_DMA0_COUNT, {1});
            const int fd = ram.get();
            for (auto n = static_cast<uint32_t>(random() % 20); n > 0; n--)
                client.send(DMA_MAP, pack(32u, 3u, uint64_t{0}, uint64_t{0x100000 + n * 4096}, uint64_t{4096}), {&fd, 1});
            for (uint32_t n = random() % 4; n > 0; n--)
                served.pump();
        }
        finish(served);
        served.run(myri::emulator::microseconds(100)); // what was under way meets nothing
        REQUIRE(open_descriptors() == before);
        REQUIRE(served.guest.memory().files() == 0);
        REQUIRE(fired(bell) == 0);
    }
    check_works(served);
    CHECK(served.complaints.empty());
}

TEST_CASE("a second client waits until the first has gone") {
    ServedGuest served;
    Client first = served.connect();
    first.greet();
    Client second = served.connect();
    second.send(GET_INFO, {}); // would be thrown out
    for (int n = 0; n < 20; n++)
        served.pump();
    CHECK(served.complaints.empty());
    CHECK(first.config<uint16_t>(0) == 0x14c1);
    first.hang_up();
    CHECK(second.thrown_out());
    CHECK(served.complaints.size() == 1);
}

TEST_CASE("a client that reads no replies is not read from either, and gets them all in the end") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    constexpr uint32_t BYTES = 0x80000;
    uint16_t first = 0;
    for (int n = 0; n < 10; n++) {
        const uint16_t id = client.send(READ, pack(uint64_t{0}, BAR0, BYTES));
        first = n == 0 ? id : first;
    }
    for (int n = 0; n < 100; n++)
        served.pump();
    CHECK(served.server->connected());
    for (uint16_t n = 0; n < 10; n++) {
        const Reply reply = client.receive();
        CHECK(reply.id == first + n);
        CHECK(reply.payload.size() == 16 + BYTES);
    }
    CHECK(client.config<uint16_t>(0) == 0x14c1);
}

TEST_CASE("messages cut anywhere are put together; random bytes end in an error or wait for more") {
    std::mt19937 random(3);
    // Ten messages in pieces of all sizes.
    Bytes stream;
    for (uint8_t n = 0; n < 10; n++)
        stream = joined(stream, message(WRITE, 16 + n * 7, 0, Bytes(n * 7u, n)));
    for (size_t piece = 1; piece <= 40; piece++) {
        MessageAssembler assembler;
        size_t at = 0, found = 0;
        while (at < stream.size()) {
            const size_t bytes = std::min({piece, assembler.wanted(), stream.size() - at});
            REQUIRE(bytes > 0);
            assembler.add(std::span(stream).subspan(at, bytes), {});
            at += bytes;
            if (const auto whole = assembler.take()) {
                CHECK(whole->payload == Bytes(found * 7, static_cast<uint8_t>(found)));
                found++;
                CHECK(!assembler.midway());
            }
        }
        CHECK(found == 10);
    }
    unsigned errors = 0, messages = 0;
    for (int round = 0; round < 20000; round++) {
        MessageAssembler assembler;
        try {
            for (int step = 0; step < 8; step++) {
                Bytes bytes(std::min<size_t>(assembler.wanted(), 1 + random() % 64));
                for (uint8_t& b : bytes)
                    b = static_cast<uint8_t>(random() % 4 ? 0 : random());
                assembler.add(bytes, {});
                messages += assembler.take().has_value();
            }
        } catch (const ProtocolError&) {
            errors++;
        }
    }
    CHECK(errors > 1000);
    CHECK(messages > 100);
}

TEST_CASE("random requests of the right shape never stop the server") {
    std::mt19937 random(17);
    ServedGuest served;
    const File ram = memfd(64 * 4096), bell = eventfd();
    const size_t before = open_descriptors();
    const uint64_t numbers[] = {0,    1,      2,      4,          8,          0x20,       0x24,      0x100,
                                4096, 0x8000, 0x1000, 0x200000,   0xfffc00,   0xffffff,   0x800040,  0x1000000,
                                ~0u,  ~0ull,  1u << 31, 1ull << 63, 0x1fffff, 0xfffffff0, 0xfee00000, 3};
    const auto number = [&] { return numbers[random() % std::size(numbers)]; };
    {
        Client client = served.connect();
        client.greet();
        unsigned done = 0;
        for (int round = 0; round < 20000; round++) {
            const auto word = [&] { return static_cast<uint32_t>(number()); };
            const int fds[] = {ram.get(), bell.get()};
            const std::span<const int> file = std::span(fds).subspan(random() % 2, random() % 3 == 0);
            const Bytes data(random() % 3 ? random() % 16 : 0, static_cast<uint8_t>(random()));
            Reply reply;
            switch (random() % 6) {
            case 0:
                reply = client.ask(DMA_MAP, pack(32u, word(), number(), number(), number()), file);
                break;
            case 1:
                reply = client.ask(DMA_UNMAP, pack(24u, word(), number(), number()));
                break;
            case 2:
                reply = client.ask(SET_IRQS, joined(pack(20u, word(), word(), word(), word()), data), file);
                break;
            case 3: {
                const uint32_t count = random() % 2 ? word() : 4;
                reply = client.ask(READ, pack(number(), random() % 2 ? 0u : 7u, count));
                break;
            }
            case 4:
                reply = client.ask(WRITE, joined(pack(number(), random() % 2 ? 0u : 7u,
                                                      static_cast<uint32_t>(data.size())), data));
                break;
            default:
                reply = client.ask(REGION_INFO, pack(word(), word(), word(), word(), number(), number()));
            }
            done += reply.error == 0;
        }
        CHECK(done > 2000);
    }
    finish(served);
    CHECK(open_descriptors() == before);
    check_works(served);
    CHECK(served.complaints.empty());
}
