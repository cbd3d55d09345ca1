// SPDX-License-Identifier: BSD-3-Clause
// mx_strerror and mx_strstatus: static texts, never NULL.
#include "myriexpress.h"

namespace {

const char* const errors[] = {
    "Success",
    "Internal error of the library",
    "Failure",
    "The library is already initialized",
    "The library is not initialized",
    "No device was found",
    "No driver is loaded for the device",
    "No permission to use the device",
    "No such board",
    "No such endpoint",
    "Bad list of segments",
    "Bad memory in a segment",
    "Bad number of segments",
    "Bad request",
    "Match bits lie outside the mask",
    "Out of resources",
    "Bad list of addresses",
    "Bad number of addresses",
    "Bad root",
    "Not completed",
    "Busy",
    "Unknown information key",
    "Bad value for information",
    "Bad NIC",
    "Bad list of parameters",
    "Unknown parameter",
    "Bad parameter value",
    "Bad arguments for a host name",
    "Host not found",
    "The request is pending",
    "Timed out",
    "No match",
    "Endpoint id out of range",
    "Connection failed",
    "Bad connection key",
    "Bad length for information",
    "NIC not found in the network",
    "The driver's version does not fit the library",
    "The library's version does not fit the program",
    "The NIC is dead",
    "This request cannot be cancelled",
    "An endpoint cannot be closed in a handler",
    "The mask does not cover the context id",
    "Not supported with context ids",
};

const char* const statuses[] = {
    "Success",
    "Pending",
    "Buffered",
    "Rejected",
    "Timed out",
    "Truncated",
    "Cancelled",
    "Remote endpoint unknown",
    "Remote endpoint is closed",
    "Remote endpoint is unreachable",
    "Bad session: the remote endpoint was reopened",
    "Bad connection key",
    "Bad remote endpoint id",
    "Bad RDMA window",
    "Aborted",
    "Event queue full",
    "Out of resources",
};

template <unsigned n> const char* text_of(const char* const (&texts)[n], int value, const char* unknown) {
    return value >= 0 && static_cast<unsigned>(value) < n ? texts[value] : unknown;
}

} // namespace

extern "C" const char* mx_strerror(mx_return_t code) {
    return text_of(errors, static_cast<int>(code), "Unknown return code");
}

extern "C" const char* mx_strstatus(mx_status_code_t code) {
    return text_of(statuses, static_cast<int>(code), "Unknown status code");
}
