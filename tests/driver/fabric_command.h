// SPDX-License-Identifier: BSD-3-Clause
//
// Runs programs as a person does, and collects what they print.
#pragma once

#include <string>
#include <vector>

namespace myri::driver_test {

struct Result {
    int status = -1; // exit status, 128 + n for a signal
    std::string out, err;
    bool said(const std::string& text) const { return err.find(text) != std::string::npos; }
};

// Ends the test run if it takes longer than a minute.
Result run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});
// myri-fabric with these arguments.
Result fabric(std::vector<std::string> arguments);
// A command for the shell: tests/driver/client with this text behind it.
std::string client(const std::string& steps);
// The path of a program beside this one's build folder, such as "bin/myri-fabric".
std::string built(const std::string& name);
// Folders and sockets of fabrics that are there now: to see that none is left behind.
std::vector<std::string> traces();

} // namespace myri::driver_test
