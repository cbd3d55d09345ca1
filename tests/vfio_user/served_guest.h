// SPDX-License-Identifier: BSD-3-Clause
//
// A card with its server in this process, on a network with a second card; clients connect to an address without a
// file. While a client waits for a reply, the server handles one message and virtual time goes on a little.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "emulator/fabric/network.h"
#include "emulator/vfio_user/server.h"
#include "tests/vfio_user/client.h"

namespace vfio_test {

class ServedGuest {
public:
    explicit ServedGuest(const std::string& card = "M3F-PCIXD-2");

    Client connect();
    // The server works and the card runs for a while.
    void pump();
    void run(myri::emulator::Time duration);

    myri::emulator::Scheduler scheduler;
    myri::emulator::Timeline timeline{scheduler};
    myri::emulator::Network network;
    myri::emulator::GuestHost guest;
    myri::emulator::EventLoop loop;
    std::vector<std::string> complaints;
    std::unique_ptr<myri::emulator::vfio::Server> server;

private:
    File listener_; // a copy, to know its address
};

} // namespace vfio_test
