// SPDX-License-Identifier: BSD-3-Clause
#include "tools/counter_text.h"

#include <fmt/format.h>

#include "abi/firmware.h"

namespace myri::tools {

std::string counter_label(size_t index) {
    static const char* const labels[] = {
#define LABEL(name, label) label,
        FW_COUNTERS(LABEL)
#undef LABEL
    };
    return index < std::size(labels) ? labels[index] : fmt::format("Counter {}", index);
}

std::string counter_line(const std::string& label, uint32_t value) {
    return fmt::format("    {:<36} {:10} (0x{:x})", label + ":", value, value);
}

} // namespace myri::tools
