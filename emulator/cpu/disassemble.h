// SPDX-License-Identifier: BSD-3-Clause
// Text of an instruction, for traces: the assembler's syntax, from the fields that the processor acts on. So
// aliases are not restored (an SLI shows as `or %r0`, an SLS as an access relative to %r0), and results for
// r0 and r1 show as %r0.
#pragma once
#include "emulator/cpu/decode.h"

#include <string>

namespace myri::emulator {

std::string disassemble(const Instruction&);

} // namespace myri::emulator
