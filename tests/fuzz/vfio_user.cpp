// SPDX-License-Identifier: BSD-3-Clause
// What a card's socket for QEMU understands: a client that sends whatever it likes. The input is a row of messages, each
// preceded by a byte that says what comes along, one with its length, and, unless it brings its own header, its command.
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "emulator/fabric/network.h"
#include "emulator/vfio_user/guest_host.h"
#include "emulator/vfio_user/session.h"

using namespace myri::emulator;
using namespace myri::emulator::vfio;

namespace {

enum What : uint8_t { WITH_MEMORY = 1, WITH_EVENTFD = 2, OWN_HEADER = 4 };

struct Machine {
    Scheduler scheduler;
    Timeline timeline{scheduler};
    Network network{scheduler, one_crossbar(1)};
    GuestHost guest{scheduler, timeline, 0, "n0", load_card_profile("M3F-PCIXD-2"), load_host_profile("opteron-8131"),
                    network.host_port(0), {0x0060dd123456, 123456}};
    FileDescriptor memory{memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING)}, bell{eventfd(0, EFD_CLOEXEC)};
    Machine() {
        if (ftruncate(memory.get(), 1 << 20) != 0 ||
            fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
            std::abort();
    }
    void run() { timeline.run_until(scheduler.now() + microseconds(5)); }
    std::vector<FileDescriptor> descriptors(uint8_t what) const {
        std::vector<FileDescriptor> all;
        if (what & WITH_MEMORY)
            all.emplace_back(dup(memory.get()));
        if (what & WITH_EVENTFD)
            all.emplace_back(dup(bell.get()));
        return all;
    }
};

void send(Machine& machine, MessageAssembler& assembler, Session& session, std::span<const uint8_t> bytes,
          std::vector<FileDescriptor> descriptors) {
    while (!bytes.empty()) {
        const size_t part = std::min(assembler.wanted(), bytes.size());
        assembler.add(bytes.first(part), std::move(descriptors));
        descriptors.clear();
        bytes = bytes.subspan(part);
        if (auto message = assembler.take()) {
            (void)encode(message->head, session.serve(*message));
            machine.run();
        }
    }
}

std::vector<uint8_t> message(uint16_t command, std::span<const uint8_t> payload) {
    const Header head{1, command, static_cast<uint32_t>(sizeof head + payload.size()), 0, 0};
    std::vector<uint8_t> all(sizeof head);
    std::memcpy(all.data(), &head, sizeof head);
    all.insert(all.end(), payload.begin(), payload.end());
    return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static Machine machine;
    std::memset(machine.guest.card().sram().data(), 0, 0x10000); // alike for each input, as far as programs reach
    MessageAssembler assembler;
    Session session(machine.guest.device(), machine.guest.memory());
    std::span<const uint8_t> rest(bytes, size);
    try {
        const VersionHead version{0, 0};
        send(machine, assembler, session, message(VERSION, {reinterpret_cast<const uint8_t*>(&version), sizeof version}),
             {});
        while (rest.size() >= 3) {
            const uint8_t what = rest[0], command = rest[2];
            const auto payload = rest.subspan(3, std::min<size_t>(rest[1], rest.size() - 3));
            rest = rest.subspan(3 + payload.size());
            if (what & OWN_HEADER)
                send(machine, assembler, session, payload, machine.descriptors(what));
            else if (!assembler.midway())
                send(machine, assembler, session, message(command, payload), machine.descriptors(what));
        }
    } catch (const ProtocolError&) {
    }
    machine.guest.unplug();
    machine.run();
    // Nothing of it is left.
    if (machine.guest.memory().ranges() != 0 || machine.guest.memory().files() != 0 || machine.guest.card().running())
        std::abort();
    return 0;
}
