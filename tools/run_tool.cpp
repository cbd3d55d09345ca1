// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run_tool.h"

#include "tools/failure.h"
#include "tools/interrupt.h"

namespace myri::tools {

int run_tool(const std::string& name, Report& report, const std::function<void()>& work) {
    catch_interrupt();
    try {
        try {
            work();
            report.finish(true);
            return EXIT_OK;
        } catch (const std::exception&) {
            report.finish(false);
            throw;
        }
    } catch (const Interrupted&) {
        fmt::print(stderr, "{}: interrupted\n", name);
        return EXIT_INTERRUPTED;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return EXIT_FAILED;
    }
}

} // namespace myri::tools
