// SPDX-License-Identifier: BSD-3-Clause
//
// What QEMU 11.1.3 was seen to send while it realizes the device, resets it and runs the firmware: message by message.
#include <doctest/doctest.h>

#include "tests/vfio_user/served_guest.h"

using namespace vfio_test;

namespace {

Bytes region_request(uint32_t argsz, uint32_t index) {
    return pack(argsz, uint32_t{0}, index, uint32_t{0}, uint64_t{0}, uint64_t{0});
}

} // namespace

TEST_CASE("QEMU's start-up: each message gets the answer that QEMU needs") {
    ServedGuest served;
    const File ram = memfd(0x10000000);
    const size_t before = open_descriptors();
    {
        Client qemu = served.connect();
        qemu.greet();
        CHECK(qemu.map(0, 0x10000000, ram.get()) == 0);
        CHECK(qemu.map(0xfffc0000, 0x40000, -1, 0, 1) == 0);

        const Reply info = qemu.ask(GET_INFO, pack(16u, 0u, 0u, 0u));
        CHECK(info.payload == pack(16u, 3u, 9u, 5u));

        Reply bar = qemu.ask(REGION_INFO, region_request(32, 0));
        CHECK(bar.payload == pack(64u, 7u, 0u, 0u, uint64_t{0x1000000}, uint64_t{0}));
        CHECK(bar.files.empty());
        {
            bar = qemu.ask(REGION_INFO, region_request(64, 0));
            CHECK(bar.id == 5); // as in the recorded message
            const Bytes expected = {0x40, 0, 0, 0,    0x0f, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, // argsz, flags, caps
                                    0,    0, 0, 0x01, 0,    0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, // 16 MiB at 0
                                    0x01, 0, 0x01, 0, 0,    0, 0, 0, 1, 0, 0, 0, 0,    0, 0, 0, // sparse, one area
                                    0,    0, 0, 0,    0,    0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0}; // 0, 2 MiB
            CHECK(bar.payload == expected);
            CHECK(bar.files.size() == 1);
            bar.files.clear();
        }
        for (const uint32_t index : {1u, 2u, 3u, 4u, 5u})
            CHECK(qemu.ask(REGION_INFO, region_request(32, index)).payload ==
                  pack(32u, 0u, index, 0u, uint64_t{0}, uint64_t{0}));
        CHECK(qemu.ask(REGION_INFO, region_request(32, 7)).payload ==
              pack(32u, 3u, 7u, 0u, uint64_t{256}, uint64_t{0}));
        CHECK(qemu.error_of(IRQ_INFO, pack(16u, 0u, 3u, 0u)) == EINVAL);

        const Bytes image = qemu.read(CONFIG, 0, 256);
        const Bytes head = {0xc1, 0x14, 0x43, 0x80, 0, 0};
        CHECK(Bytes(image.begin(), image.begin() + 6) == head);
        CHECK((image[6] & 0x10) != 0); // a capability list
        CHECK(image[8] == 4);
        CHECK(Bytes(image.begin() + 9, image.begin() + 12) == Bytes{0x00, 0x80, 0x02});
        CHECK(image[0x0e] == 0);
        CHECK(Bytes(image.begin() + 0x2c, image.begin() + 0x30) == Bytes{0xc1, 0x14, 0x43, 0x80});
        const size_t first_capability = image[0x34], next_capability = image[first_capability + 1];
        CHECK(image[first_capability] == 7); // PCI-X ...
        CHECK(image[next_capability] == 5);  // ... and MSI
        CHECK(image[next_capability + 1] == 0);

        CHECK(qemu.config<uint32_t>(0x30) == 0);
        qemu.set_config<uint32_t>(0x30, 0xfffff800);
        CHECK(qemu.config<uint32_t>(0x30) == 0); // no ROM
        qemu.set_config<uint32_t>(0x30, 0);
        CHECK(qemu.config<uint32_t>(0x10) == 8);
        CHECK(qemu.config<uint16_t>(0x52) == 0x80);
        CHECK(qemu.config<uint8_t>(0x3d) == 1);
        CHECK(qemu.config<uint8_t>(0x3d) == 1);
        File first = eventfd(), second = eventfd();
        CHECK(qemu.set_irqs(0x24, INTX, 1, first.get()) == 0);

        CHECK(qemu.set_irqs(0x21, INTX, 0) == 0); // reset begins
        qemu.set_config<uint16_t>(4, static_cast<uint16_t>(qemu.config<uint16_t>(4) & ~0x407));
        CHECK(qemu.error_of(RESET, {}) == 0);
        CHECK(qemu.config<uint8_t>(0x3d) == 1);
        CHECK(qemu.set_irqs(0x24, INTX, 1, second.get()) == 0);
        for (uint32_t offset = 0x10; offset <= 0x24; offset += 4)
            qemu.set_config<uint32_t>(offset, 0);

        // RAM comes and goes in pieces, pipelined.
        struct Piece {
            uint64_t address, size;
        };
        const Piece pieces[] = {{0, 0xc0000}, {0xc0000, 0x40000}, {0x100000, 0xff00000}};
        for (int round = 0; round < 8; round++) {
            qemu.send(DMA_UNMAP, pack(24u, 0u, uint64_t{0}, uint64_t{0x10000000}));
            for (const Piece& p : pieces) {
                const int fd = ram.get();
                qemu.send(DMA_MAP, pack(32u, 3u, p.address, p.address, p.size), {&fd, 1});
            }
            for (const Piece& p : pieces)
                qemu.send(DMA_UNMAP, pack(24u, 0u, p.address, p.size));
            const int fd = ram.get();
            const uint16_t last = qemu.send(DMA_MAP, pack(32u, 3u, uint64_t{0}, uint64_t{0}, uint64_t{0x10000000}), {&fd, 1});
            for (uint16_t id = static_cast<uint16_t>(last - 7); id != static_cast<uint16_t>(last + 1); id++) {
                const Reply reply = qemu.receive();
                CHECK(reply.id == id); // in order
                CHECK(reply.error == 0);
            }
        }

        // The firmware finds the card, its size and a place for it.
        for (uint32_t offset = 0x10; offset <= 0x24; offset += 4) {
            qemu.set_config<uint32_t>(offset, 0xffffffff);
            CHECK(qemu.config<uint32_t>(offset) == (offset == 0x10 ? 0xff000008 : 0));
            qemu.set_config<uint32_t>(offset, 0);
        }
        qemu.set_config<uint32_t>(0x10, 0xfd000000);
        CHECK(qemu.config<uint32_t>(0x10) == 0xfd000008);
        qemu.set_config<uint8_t>(0x3c, 0x0a);
        CHECK(qemu.config<uint8_t>(0x3c) == 0x0a);
        qemu.set_config<uint16_t>(4, 0x0103);
        CHECK(qemu.config<uint16_t>(4) == 0x0102); // there is no I/O to decode
        CHECK(qemu.map(0xfd000000, 0x200000) == 0); // our own SRAM

        // A driver switches to MSI.
        qemu.set_config<uint32_t>(0x54, 0xfee01004);
        qemu.set_config<uint32_t>(0x58, 0);
        qemu.set_config<uint16_t>(0x5c, 0x4021);
        qemu.set_config<uint16_t>(0x52, 0x0081);
        CHECK(qemu.config<uint16_t>(0x52) == 0x0081);
        CHECK(qemu.set_irqs(0x21, INTX, 0) == 0);
        CHECK(qemu.set_irqs(0x24, MSI, 1, first.get()) == 0);
    }
    while (served.server->connected())
        served.pump();
    CHECK(served.guest.memory().ranges() == 0);
    CHECK(served.guest.memory().files() == 0);
    CHECK(open_descriptors() == before);
    CHECK(served.complaints.empty());
}

TEST_CASE("commands that QEMU never sends, and ones that do not exist, are refused") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    for (const int command : {6, 11, 12, 14, 15, 16, 17, 18, 0, 19, 0xffff})
        CHECK(client.error_of(static_cast<uint16_t>(command), Bytes(24)) == EOPNOTSUPP);
    CHECK(client.config<uint16_t>(0) == 0x14c1); // and nothing is the worse for it
}

TEST_CASE("a request that wants no reply gets none, not even for an error") {
    ServedGuest served;
    Client client = served.connect();
    client.greet();
    client.send(WRITE, joined(pack(uint64_t{0x3c}, CONFIG, 1u), Bytes{0x55}), {}, 0x10);
    client.send(WRITE, joined(pack(uint64_t{0x1000}, CONFIG, 1u), Bytes{0x55}), {}, 0x10); // beyond its end
    CHECK(client.config<uint8_t>(0x3c) == 0x55); // asks with the next id, and gets that one's reply
}
