// SPDX-License-Identifier: BSD-3-Clause
// How verdicts end faults. Expected fates are written down here from the words' meanings in libmyri/verdicts.h.
#include <doctest/doctest.h>

#include <bit>
#include <set>
#include <sstream>

#include "emulator/faults/event_faults.h"

using namespace myri::emulator;

namespace {

// One fault of a kind, waiting at event 7 of n1's endpoint 2, session 0xabc.
struct Waiting {
    FaultInjector injector{1};
    EventFaults events{injector};
    uint64_t id = 0;
    explicit Waiting(myri_fault kind, bool beside_data = false) {
        injector.set_probability(kind, 1);
        const bool link = kind != MYRI_FAULT_CORRUPT_SRAM && kind != MYRI_FAULT_CORRUPT_PCI;
        id = (link ? injector.decide_link(1) : injector.decide(kind, 1)).fault_id;
        events.wait("n1", 2, 0xabc, 7, {id, beside_data});
    }
    void judge(const std::string& text) {
        std::istringstream lines(text);
        events.judge(lines);
    }
};

} // namespace

TEST_CASE("each verdict on damaged data ends the fault in its own way") {
    const struct {
        const char* verdict;
        Fate fate;
    } table[] = {{"mismatch", Fate::packet_mismatch}, {"bad-block", Fate::block_mismatch},
                 {"duplicate", Fate::duplicate},      {"rejected", Fate::rejected},
                 {"unwanted", Fate::not_wanted},      {"hint", Fate::hint}};
    for (const auto& row : table) {
        CAPTURE(row.verdict);
        Waiting w(MYRI_FAULT_CORRUPT_PCI);
        w.judge(std::string("n1 2 abc 7 ") + row.verdict + "\n");
        CHECK(w.injector.ended(MYRI_FAULT_CORRUPT_PCI, row.fate) == 1);
        CHECK(w.injector.problems().empty());
    }
}

TEST_CASE("damaged data that is accepted is a problem, undamaged data is not") {
    Waiting damaged(MYRI_FAULT_CORRUPT_SRAM);
    damaged.judge("n1 2 abc 7 accepted\n");
    CHECK(damaged.injector.problems().size() == 2); // the verdict, and that it has not ended
    CHECK(damaged.injector.open() == 1);

    Waiting repeated(MYRI_FAULT_DUPLICATE);
    repeated.judge("n1 2 abc 7 accepted\n");
    CHECK(repeated.injector.ended(MYRI_FAULT_DUPLICATE, Fate::delivered) == 1);

    Waiting beside(MYRI_FAULT_CORRUPT_SRAM, true);
    beside.judge("n1 2 abc 7 accepted\n");
    CHECK(beside.injector.ended(MYRI_FAULT_CORRUPT_SRAM, Fate::unread) == 1);
}

TEST_CASE("an event behind the last one that was judged was not wanted; one without verdict before it is a problem") {
    Waiting unread(MYRI_FAULT_CORRUPT_PCI);
    unread.judge("n1 2 abc 6 accepted\n");
    CHECK(unread.injector.ended(MYRI_FAULT_CORRUPT_PCI, Fate::not_wanted) == 1);

    Waiting skipped(MYRI_FAULT_CORRUPT_PCI);
    skipped.judge("n1 2 abc 6 accepted\nn1 2 abc 8 accepted\n");
    CHECK(skipped.injector.open() == 1);
}

TEST_CASE("verdicts of another host, endpoint, session or event say nothing") {
    Waiting w(MYRI_FAULT_CORRUPT_PCI);
    w.judge("n0 2 abc 7 mismatch\nn1 3 abc 7 mismatch\nn1 2 abd 7 mismatch\nn1 2 abc 9 mismatch\n");
    CHECK(w.injector.ended(MYRI_FAULT_CORRUPT_PCI, Fate::packet_mismatch) == 0);
}

TEST_CASE("faults that share a packet end together") {
    Waiting w(MYRI_FAULT_CORRUPT_PCI);
    w.injector.share(w.id, w.injector.decide(MYRI_FAULT_CORRUPT_PCI, 0).fault_id);
    w.judge("n1 2 abc 7 mismatch\n");
    CHECK(w.injector.ended(MYRI_FAULT_CORRUPT_PCI, Fate::packet_mismatch) == 2);
    CHECK(w.injector.problems().empty());
}

TEST_CASE("two bits of a byte: parity does not change, and all 28 pairs come") {
    std::set<uint8_t> seen;
    for (uint64_t random = 0; random < 56; random++) {
        CHECK(std::popcount(two_bits(random)) == 2);
        seen.insert(two_bits(random));
    }
    CHECK(seen.size() == 28);
}
