// SPDX-License-Identifier: BSD-3-Clause
#include "tools/interrupt.h"

#include <csignal>

#include "tools/failure.h"

namespace myri::tools {
namespace {

volatile std::sig_atomic_t flag = 0;

void on_interrupt(int) { flag = 1; }

} // namespace

void catch_interrupt() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND); // a second SIGINT ends a program that is stuck
    sigaction(SIGINT, &action, nullptr);
}

bool interrupted() { return flag != 0; }

void stop_if_interrupted() {
    if (interrupted())
        throw Interrupted();
}

} // namespace myri::tools
