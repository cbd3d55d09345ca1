// SPDX-License-Identifier: BSD-3-Clause
#include "libmyri/driver.h"

#include <errno.h>

namespace myri {

// Not pure: a pure virtual function would need the C++ runtime, and the archive must link with cc alone.
int Driver::request(uint32_t, void*, size_t) {
    return -ENOSYS;
}
int Driver::open(myri_endpoint_open&, EndpointMemory&) {
    return -ENOSYS;
}
void Driver::close(const myri_endpoint_ref&, EndpointMemory&) {}
int Driver::wait(const myri_wait&, int, bool) {
    return -ENOSYS;
}
void Driver::shut(bool) {}

} // namespace myri
