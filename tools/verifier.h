// SPDX-License-Identifier: BSD-3-Clause
//
// Checks received messages against the pattern, and can damage one byte first to show that it would notice.
#pragma once

#include "tools/options.h"
#include "tools/pattern.h"

namespace myri::tools {

class Verifier {
public:
    explicit Verifier(const TestingOptions& testing) : damage_(testing.damage_one_byte) {}
    // Throws Failure naming message, offset, expected and received byte.
    void check(std::span<uint8_t> bytes, PatternKey key);

private:
    bool damage_; // the next message that has a byte
};

} // namespace myri::tools
