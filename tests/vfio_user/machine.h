// SPDX-License-Identifier: BSD-3-Clause
//
// A machine without a processor: memory, and the card behind a socket, which it drives with board/ as a kernel's driver
// would, by messages and through mapped SRAM. The fabric is a process of its own and runs free.
#pragma once

#include <memory>
#include <string>

#include "board/board.h"
#include "tests/rig/slot_writer.h"
#include "tests/vfio_user/client.h"

namespace vfio_test {

// `myri-fabric start --foreground` in a folder of its own; stopped, and looked after, at the end.
class Fabric {
public:
    Fabric(unsigned local_hosts, unsigned guests);
    ~Fabric();
    static std::string program(); // myri-fabric
    std::string card(unsigned guest) const { return folder_ + "/card" + std::to_string(guest); }
    std::string socket() const { return folder_ + "/fabric"; }
    std::string peers() const;
    int pid() const { return pid_; }
    // Processor time that it has used, in milliseconds.
    long used_ms() const;
    // SIGTERM; its exit status. The folder is empty afterwards but for the peer table, or this throws.
    int stop();

private:
    std::string folder_;
    int pid_ = -1;
};

class Machine {
public:
    static constexpr uint64_t RAM = 16u << 20, HIGH = 0x1'0000'0000; // all of it above 4 GiB
    explicit Machine(const std::string& socket);
    ~Machine();
    Machine(const Machine&) = delete;

    // Throws with the board's words. Afterwards interrupts come as MSI, or by the line.
    void boot(bool msi = true);
    // Takes over its card's section of the table that myri-fabric wrote.
    void set_peers(const std::string& table);
    // Carries out a firmware command, waiting for its interrupt; 0 or a negative errno.
    int command(uint32_t opcode, std::initializer_list<uint32_t> arguments, uint32_t* value = nullptr);
    unsigned interrupts() const { return interrupts_; }
    // Waits for what the firmware says of itself (enum fw_status); false if that is not so within ten seconds.
    bool status_becomes(uint32_t status) const;

    struct Endpoint {
        uint32_t id, session;
        uint64_t events; // place in ram
        uint32_t read = 0;
        myri::rig::SlotWriter writer;
    };
    std::unique_ptr<Endpoint> open(uint32_t id, uint32_t session);
    // The next event of a message, within two seconds; throws if there is none.
    fw_event next(Endpoint& endpoint);
    void send(Endpoint& from, uint16_t peer, const Endpoint& to, const Bytes& body);

    ::board board{};
    Client client;
    uint8_t* ram = nullptr;
    uint8_t* sram = nullptr;

private:
    struct Ops;
    File connect(const std::string& socket);
    bool interrupt_came(int timeout_ms);

    File memory_, bell_;
    uint64_t sram_size_ = 0;
    uint64_t used_ = 0; // of ram
    bool msi_ = true;
    unsigned interrupts_ = 0;
    std::string log_;
};

} // namespace vfio_test
