// SPDX-License-Identifier: BSD-3-Clause
//
// `myri-fabric start` and `stop`: a free-running fabric that serves several terminals.
#pragma once

#include <string>
#include <vector>

#include "emulator/main/fabric_options.h"

namespace myri::emulator {

struct StartOptions {
    FabricOptions fabric;
    std::string socket; // empty: the usual place
    std::vector<std::string> qemu; // sockets, one for each guest's card
    std::string peers;             // file for the peer table; empty: none
    bool foreground = false;
    bool seeded = false; // somebody has asked for this seed: sessions come from it too
};

// Prints how programs find the fabric, and returns 0 once it serves; in the foreground, when it has been stopped.
// Throws std::runtime_error for bad input or if a fabric listens there already.
int start(const StartOptions& options);

// Stops the fabric that listens at `socket` (empty: MYRI_FABRIC, else the usual place) and waits until it has
// ended. Throws std::runtime_error if there is none.
int stop(const std::string& socket);

} // namespace myri::emulator
