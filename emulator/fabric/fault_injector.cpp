// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/fabric/fault_injector.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace myri::emulator {

namespace {

struct Kind {
    const char* name;
    myri_fault_scope scope;
};
constexpr Kind kinds[] = {
#define KIND(id, name, scope, where, text) {name, MYRI_FAULT_SCOPE_##scope},
    MYRI_FAULTS(KIND)
#undef KIND
};

constexpr myri_fault link_faults[] = {MYRI_FAULT_DROP, MYRI_FAULT_DUPLICATE, MYRI_FAULT_REORDER,
                                      MYRI_FAULT_CORRUPT};
// One draw decides among the link faults, so they share one stream.
constexpr unsigned LINK_STREAM = MYRI_FAULT_KINDS;

uint64_t splitmix64(uint64_t& state) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// A fault's id tells its kind (from 1), its host and its number there.
constexpr unsigned KIND_SHIFT = 56, HOST_SHIFT = 36;
constexpr uint64_t NUMBER_MASK = (uint64_t{1} << HOST_SHIFT) - 1;

myri_fault kind_of(uint64_t fault_id) {
    return static_cast<myri_fault>((fault_id >> KIND_SHIFT) - 1);
}

std::string describe(uint64_t fault_id) {
    uint64_t kind = fault_id >> KIND_SHIFT;
    if (kind < 1 || kind > MYRI_FAULT_KINDS)
        return "fault id " + std::to_string(fault_id);
    uint64_t host = (fault_id >> HOST_SHIFT) & ((1u << (KIND_SHIFT - HOST_SHIFT)) - 1);
    return std::string(fault_name(kind_of(fault_id))) + " no. " + std::to_string(fault_id & NUMBER_MASK) +
           " of host " + std::to_string(host);
}

} // namespace

FaultGenerator::FaultGenerator(uint64_t seed) {
    for (uint64_t& word : state_)
        word = splitmix64(seed);
}

uint64_t FaultGenerator::next() {
    auto& s = state_;
    const uint64_t result = std::rotl(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = std::rotl(s[3], 45);
    return result;
}

uint8_t two_bits(uint64_t random) {
    const auto first = static_cast<unsigned>(random % 8);
    const auto second = static_cast<unsigned>((first + 1 + random / 8 % 7) % 8);
    return static_cast<uint8_t>(1u << first | 1u << second);
}

const char* fate_name(Fate fate) {
    static constexpr const char* names[] = {
#define NAME(name, text) #name,
        MYRI_FATES(NAME)
#undef NAME
    };
    return names[static_cast<size_t>(fate)];
}

const char* fault_name(myri_fault kind) {
    return kinds[kind].name;
}

std::optional<myri_fault> fault_by_name(const std::string& name) {
    std::string wanted = name;
    std::replace(wanted.begin(), wanted.end(), '_', '-');
    for (unsigned i = 0; i < MYRI_FAULT_KINDS; ++i)
        if (wanted == kinds[i].name)
            return static_cast<myri_fault>(i);
    return std::nullopt;
}

void FaultInjector::set_probability(myri_fault kind, double probability) {
    const std::string what = "probability of " + std::string(fault_name(kind));
    const myri_fault_scope scope = kinds[kind].scope;
    if (scope != MYRI_FAULT_SCOPE_LINK && scope != MYRI_FAULT_SCOPE_SRAM && scope != MYRI_FAULT_SCOPE_PCI)
        throw std::runtime_error(what + ": this fault has none, it happens at a given time");
    if (!(probability >= 0 && probability <= 1))
        throw std::runtime_error(what + " is " + std::to_string(probability) + ", allowed are 0..1");
    auto changed = probability_;
    changed[kind] = probability;
    double sum = 0;
    for (myri_fault link : link_faults)
        sum += changed[link];
    if (sum > 1 + 1e-9) // a packet gets at most one of them; 1e-9: sums of decimal fractions
        throw std::runtime_error(what + " is " + std::to_string(probability) +
                                 "; with it the link faults add up to " + std::to_string(sum) +
                                 ", more than 1");
    probability_ = changed;
}

FaultGenerator& FaultInjector::generator(unsigned stream, unsigned host) {
    uint64_t mixed = seed_;
    uint64_t seed = splitmix64(mixed) ^ (uint64_t{stream + 1} << 32 | host);
    return generators_.try_emplace({stream, host}, seed).first->second;
}

FaultInjector::Decision FaultInjector::inject(myri_fault kind, unsigned host, uint64_t where) {
    const uint64_t id = uint64_t{static_cast<unsigned>(kind) + 1} << KIND_SHIFT |
                        uint64_t{host} << HOST_SHIFT | ++numbers_[{kind, host}];
    ++injected_[kind];
    open_.insert(id);
    return {kind, id, where};
}

FaultInjector::Decision FaultInjector::decide_link(unsigned host, Permit permit) {
    double sum = 0;
    for (myri_fault kind : link_faults)
        sum += probability_[kind];
    if (sum == 0)
        return {};
    FaultGenerator& random = generator(LINK_STREAM, host);
    const double draw = random.fraction();
    const uint64_t where =
        random.next(); // always drawn: each packet takes two numbers, whatever becomes of it
    if (permit == Permit::none)
        return {};
    double below = 0;
    for (myri_fault kind : link_faults) {
        below += probability_[kind];
        if (draw < below)
            return kind == MYRI_FAULT_REORDER && permit == Permit::no_reorder ? Decision{}
                                                                              : inject(kind, host, where);
    }
    return {};
}

FaultInjector::Decision FaultInjector::decide(myri_fault kind, unsigned host) {
    if (kind != MYRI_FAULT_CORRUPT_SRAM && kind != MYRI_FAULT_CORRUPT_PCI)
        throw std::logic_error(std::string("decide() is not for the fault ") + fault_name(kind));
    if (probability_[kind] == 0)
        return {};
    FaultGenerator& random = generator(kind, host);
    const double draw = random.fraction();
    const uint64_t where = random.next();
    return draw < probability_[kind] ? inject(kind, host, where) : Decision{};
}

void FaultInjector::end(uint64_t fault_id, Fate fate) {
    if (fault_id == 0)
        return;
    if (open_.erase(fault_id) == 0) {
        wrong_ends_.push_back(describe(fault_id) + " ended as " + fate_name(fate) +
                              " but is not open (ended before, or never injected)");
        return;
    }
    ++ended_[kind_of(fault_id)][static_cast<size_t>(fate)];
    if (const auto others = shared_.extract(fault_id))
        for (uint64_t other : others.mapped())
            end(other, fate);
}

myri_fault FaultInjector::kind(uint64_t fault_id) {
    return kind_of(fault_id);
}

void FaultInjector::report(uint64_t fault_id, const std::string& what) {
    wrong_ends_.push_back(describe(fault_id) + ": " + what);
}

uint64_t FaultInjector::ended(myri_fault kind) const {
    uint64_t sum = 0;
    for (uint64_t count : ended_[kind])
        sum += count;
    return sum;
}

std::vector<std::string> FaultInjector::problems() const {
    std::vector<uint64_t> ids(open_.begin(), open_.end());
    std::sort(ids.begin(), ids.end());
    std::vector<std::string> result = wrong_ends_;
    for (uint64_t id : ids)
        result.push_back(describe(id) + " has not ended");
    return result;
}

std::string FaultInjector::table() const {
    std::string text;
    for (unsigned i = 0; i < MYRI_FAULT_KINDS; ++i) {
        const auto kind = static_cast<myri_fault>(i);
        if (injected(kind) == 0)
            continue;
        text += std::string(fault_name(kind)) + ": " + std::to_string(injected(kind)) + " injected";
        for (size_t f = 0; f < FATES; ++f)
            if (uint64_t count = ended(kind, static_cast<Fate>(f)))
                text += ", " + std::to_string(count) + " " + fate_name(static_cast<Fate>(f));
        if (uint64_t rest = injected(kind) - ended(kind))
            text += ", " + std::to_string(rest) + " open";
        text += "\n";
    }
    return text;
}

} // namespace myri::emulator
