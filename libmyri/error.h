// SPDX-License-Identifier: BSD-3-Clause
// Errors of calls: one way from "this went wrong" to the error handler and back to the caller.
//
// Concepts: fail() makes the text, calls the endpoint's handler or the global one, and returns what the
// handler answers. It must be called without any lock, because a handler may call the library. The fatal
// handler ends the program, and is the only place of the library that prints beside the environment's
// warnings.
#pragma once

#include "myriexpress.h"

namespace myri {

class Endpoint;

mx_return_t fail(Endpoint* endpoint, mx_return_t code, const char* function, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// A send that had been reported as complete has failed: user-supplied handlers hear of it, the default
// prints.
void report_lost_send(Endpoint* endpoint, const char* text);

// The default handler according to MX_ERRORS_ARE_FATAL.
void set_default_fatal(bool fatal);

} // namespace myri
