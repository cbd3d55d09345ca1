// SPDX-License-Identifier: BSD-3-Clause
// A board's EEPROM strings: either understood, and then whole, or refused with a reason.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" {
#include "board/access.h"
}

namespace {

bool is_code(const char* text) {
    const size_t length = strnlen(text, BOARD_STRING_MAX);
    for (size_t n = 0; n < length; n++)
        if (text[n] < ' ' || text[n] > '~')
            return false;
    return length > 0 && length < BOARD_STRING_MAX;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size > LANAI_EEPROM_SIZE)
        return -1;
    const std::vector<char> exact(bytes, bytes + size); // so that one byte too far is seen
    board_eeprom eeprom;
    const char* why = nullptr;
    const int status = board_eeprom_parse(exact.data(), static_cast<uint32_t>(size), &eeprom, &why);
    if (status == 0 ? why || !is_code(eeprom.product_code) || !is_code(eeprom.part_number) || eeprom.mac >> 48
                    : status != -EINVAL || !why)
        std::abort();
    return 0;
}
