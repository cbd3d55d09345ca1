// SPDX-License-Identifier: BSD-3-Clause
// Which driver a process gets: the emulated fabric that its environment names, else the boards of this
// machine.
#pragma once

#include "libmyri/driver.h"
#include "libmyri/environment.h"
#include "myriexpress.h"

namespace myri {

struct Refusal {
    mx_return_t code = MX_SUCCESS;
    char text[640] = "";
};

// nullptr with a reason.
Driver* find_driver(const Options& options, Refusal& refusal);

} // namespace myri
