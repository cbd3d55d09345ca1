// SPDX-License-Identifier: BSD-3-Clause
//
// How a tool ends before its work is done.
//
// Failure: something went wrong; the text is for a person and says what to do. Exit 1.
// Interrupted: SIGINT arrived; what was measured so far has been or will be printed. Exit 130.
#pragma once

#include <stdexcept>
#include <string>

namespace myri::tools {

enum ExitCode { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Interrupted : public std::exception {
public:
    const char* what() const noexcept override { return "interrupted"; }
};

} // namespace myri::tools
