// SPDX-License-Identifier: BSD-3-Clause
//
// `myri-fabric inject`: makes a fault happen in a fabric that runs.
#pragma once

#include <string>

#include "emulator/driver/inject.h"

namespace myri::emulator {

// In the fabric that listens at `socket` (empty: MYRI_FABRIC, else the usual place). 0 when it has happened. Throws
// std::runtime_error if there is none, or it refuses.
int inject(const std::string& socket, const std::string& host, const NamedFault& fault);

} // namespace myri::emulator
