// SPDX-License-Identifier: BSD-3-Clause
#include "tools/advice.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <grp.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "tools/failure.h"

namespace myri::tools {
namespace {

constexpr const char* DEVICE = "/dev/myri0";

std::string where_boards_come_from() {
    if (const char* fabric = std::getenv("MYRI_FABRIC")) {
        const char* host = std::getenv("MYRI_HOST");
        return fmt::format("the emulated fabric is MYRI_FABRIC={}, the host in it MYRI_HOST={}", fabric,
                           host ? host : "(not set)");
    }
    return fmt::format("looked for {}, and MYRI_FABRIC is not set", DEVICE);
}

std::string permissions() {
    struct stat node;
    if (stat(DEVICE, &node) != 0)
        return fmt::format("{}: {}", DEVICE, std::strerror(errno));
    const group* owner = getgrgid(node.st_gid);
    std::string name = owner ? owner->gr_name : std::to_string(node.st_gid);
    return fmt::format("{} has mode {:04o} and group {}; join that group (adduser USER {}) and log in again", DEVICE,
                       node.st_mode & 07777, name, name);
}

std::string remedy(mx_return_t code) {
    switch (code) {
    case MX_NO_DEV:
        return where_boards_come_from() + "; load the module (modprobe myri) or start an emulated fabric "
                                          "(myri-fabric run, or myri-fabric start)";
    case MX_NO_DRIVER:
        return std::getenv("MYRI_FABRIC") ? where_boards_come_from() + "; is it running?"
                                          : fmt::format("{} is there, but no driver answers; load the module "
                                                        "(modprobe myri) and see dmesg",
                                                        DEVICE);
    case MX_NO_PERM:
        return permissions();
    case MX_BAD_KERNEL_VERSION:
        return "library and driver are of different versions; install the same version of both";
    case MX_BUSY:
        return "the endpoint is in use; choose another one with -e";
    case MX_BAD_CONNECTION_KEY:
        return "both ends must give the same filter (-f)";
    case MX_NO_RESOURCES:
        return "out of memory, of endpoints or of locked memory (ulimit -l)";
    case MX_NIC_DEAD:
        return "the card has stopped; see mx_info and dmesg";
    default:
        return "";
    }
}

} // namespace

std::string explain(mx_return_t code) {
    std::string what = remedy(code);
    return what.empty() ? mx_strerror(code) : fmt::format("{} ({})", mx_strerror(code), what);
}

void check(mx_return_t code, const std::string& doing) {
    if (code != MX_SUCCESS)
        throw Failure(fmt::format("cannot {}: {}", doing, explain(code)));
}

void check_driver(int answer, const std::string& doing) {
    if (answer == 0)
        return;
    std::string what = answer == -ENODEV ? "no such board" : std::strerror(-answer);
    throw Failure(fmt::format("cannot {}: {}", doing, what));
}

} // namespace myri::tools
