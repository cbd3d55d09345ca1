// SPDX-License-Identifier: BSD-3-Clause
#include "tools/verifier.h"

#include <fmt/format.h>

#include "tools/failure.h"

namespace myri::tools {

void Verifier::check(std::span<uint8_t> bytes, PatternKey key) {
    if (damage_ && !bytes.empty()) {
        bytes[bytes.size() / 2] ^= 0x10;
        damage_ = false;
    }
    if (auto wrong = find_mismatch(bytes, key))
        throw Failure(fmt::format("verification failed: message {} of {} bytes differs at offset {}: expected 0x{:02x}, "
                                  "got 0x{:02x}",
                                  key.message, bytes.size(), wrong->offset, wrong->expected, wrong->got));
}

} // namespace myri::tools
