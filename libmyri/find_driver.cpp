// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/find_driver.h"

#include <errno.h>
#include <stdio.h>

#include "libmyri/driver_device.h"
#include "libmyri/library.h"

namespace myri {

Driver* find_driver(const Options& options, Refusal& refusal) {
    if (options.host[0] && !options.fabric[0]) {
        refusal.code = MX_NO_DEV;
        snprintf(refusal.text, sizeof refusal.text,
                 "MYRI_HOST=%s names a host of an emulated fabric, but MYRI_FABRIC (its socket) is not set",
                 options.host);
        return nullptr;
    }
    int status = 0;
    AttachFailure failure{};
    Driver* driver = options.fabric[0] ? attach_socket(options.fabric, options.host, !options.bounce, status, failure)
                                       : attach_devices(system_calls, status, failure);
    if (driver)
        return driver;
    refusal.code = code_of_errno(status);
    snprintf(refusal.text, sizeof refusal.text, "%s", failure.text);
    return nullptr;
}

} // namespace myri
