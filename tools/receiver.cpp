// SPDX-License-Identifier: BSD-3-Clause
#include "tools/receiver.h"

#include "tools/failure.h"

namespace myri::tools {

void run_receiver(const std::string& tool, const PeerOptions& options, bool stay, Report& report,
                  const std::function<void(Session&)>& serve) {
    Session session(options);
    report.property("receiver", session.self().name);
    report.line("Receiver is {}, endpoint {}.", session.self().name, session.self().endpoint);
    do {
        try {
            serve(session);
        } catch (const Failure& error) {
            if (!stay)
                throw;
            fmt::print(stderr, "{}: {}\n", tool, error.what());
        }
    } while (stay);
}

} // namespace myri::tools
