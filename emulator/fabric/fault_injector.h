// SPDX-License-Identifier: BSD-3-Clause
//
// Decides which packets a fault hits, and keeps account of what became of each.
//
// Every injected fault has an id of its own, which travels in Packet::fault_id, and must end exactly once:
// where it is detected, repaired or found harmless, that place calls end(). A dropped packet cannot be found
// anywhere, so the link that drops it ends the fault at once as `lost`. problems() tells whether the account
// adds up.
//
// Decisions come from generators of our own, one for each kind and host, seeded from one number: the same
// seed gives the same faults on every machine, whatever the order in which hosts ask. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "abi/faults.h"

namespace myri::emulator {

// xoshiro256**, seeded by splitmix64.
class FaultGenerator {
public:
    explicit FaultGenerator(uint64_t seed);
    uint64_t next();
    // 0 <= value < 1, in steps of 2^-53.
    double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

private:
    std::array<uint64_t, 4> state_;
};

// A byte with two bits set, one of the 28 there are: inverting them is not seen by parity.
uint8_t two_bits(uint64_t random);

#define MYRI_FATES(X)                                                                                        \
    X(lost, "dropped on the link")                                                                           \
    X(crc8, "detected by a CRC-8")                                                                           \
    X(crc32, "detected by a CRC-32")                                                                         \
    X(unroutable, "absorbed by a crossbar or an unused port")                                                \
    X(duplicate, "recognised as a duplicate")                                                                \
    X(rejected, "rejected by the firmware")                                                                  \
    X(packet_mismatch, "detected by the checksum of a packet")                                               \
    X(block_mismatch, "detected by the checksum of a block")                                                 \
    X(not_wanted, "arrived where nothing wanted it any more")                                                \
    X(hint, "changed a request or refusal between cards, which is only a hint")                              \
    X(unread, "changed bytes that nobody reads")                                                             \
    X(delivered, "an undamaged packet that was taken")

enum class Fate {
#define MYRI_FATE_ENUM(name, text) name,
    MYRI_FATES(MYRI_FATE_ENUM)
#undef MYRI_FATE_ENUM
};
inline constexpr size_t FATES = static_cast<size_t>(Fate::delivered) + 1;
const char* fate_name(Fate fate);
const char* fault_name(myri_fault kind);
// Accepts '_' for '-'. Nothing if there is no such name.
std::optional<myri_fault> fault_by_name(const std::string& name);

class FaultInjector {
public:
    struct Decision {
        myri_fault kind = MYRI_FAULT_KINDS;
        uint64_t fault_id = 0; // 0: no fault
        uint64_t where = 0;    // random; for choosing a bit: where % number
        explicit operator bool() const { return fault_id != 0; }
    };

    explicit FaultInjector(uint64_t seed = 1) : seed_(seed) {}

    // Probability 0..1 for each packet. Throws std::runtime_error for a value out of range, a kind without
    // probability, or link faults that add up to more than 1.
    void set_probability(myri_fault kind, double probability);
    double probability(myri_fault kind) const { return probability_[kind]; }

    // For one packet that `host` sends; at most one of the four link faults. A fault that is not permitted is
    // passed over: reorder while another packet is being held back, all for a packet that was hit before.
    enum class Permit { any, no_reorder, none };
    Decision decide_link(unsigned host, Permit permit = Permit::any);
    // For CORRUPT_SRAM or CORRUPT_PCI, for one packet in `host`.
    Decision decide(myri_fault kind, unsigned host);

    static myri_fault kind(uint64_t fault_id);
    // A second fault has hit the same packet: it ends when the first one does, in the same way.
    void share(uint64_t first, uint64_t second) { shared_[first].push_back(second); }
    // Ends a fault. An id that is not open is remembered as a problem; id 0 (no fault) is ignored.
    void end(uint64_t fault_id, Fate fate);

    uint64_t injected(myri_fault kind) const { return injected_[kind]; }
    uint64_t ended(myri_fault kind, Fate fate) const { return ended_[kind][static_cast<size_t>(fate)]; }
    uint64_t ended(myri_fault kind) const;
    size_t open() const { return open_.size(); }
    // Something that must not be; stays open.
    void report(uint64_t fault_id, const std::string& what);
    // Empty if every fault has ended exactly once.
    std::vector<std::string> problems() const;
    // One line for each kind that was injected: its fates and their numbers.
    std::string table() const;

private:
    FaultGenerator& generator(unsigned stream, unsigned host);
    Decision inject(myri_fault kind, unsigned host, uint64_t where);

    const uint64_t seed_;
    std::array<double, MYRI_FAULT_KINDS> probability_{};
    std::array<uint64_t, MYRI_FAULT_KINDS> injected_{};
    std::array<std::array<uint64_t, FATES>, MYRI_FAULT_KINDS> ended_{};
    std::map<std::pair<unsigned, unsigned>, FaultGenerator> generators_; // by stream and host
    std::map<std::pair<unsigned, unsigned>, uint64_t> numbers_;          // last fault, by kind and host
    std::unordered_set<uint64_t> open_;
    std::unordered_map<uint64_t, std::vector<uint64_t>> shared_;
    std::vector<std::string> wrong_ends_;
};

} // namespace myri::emulator
