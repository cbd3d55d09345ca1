// SPDX-License-Identifier: BSD-3-Clause
#include "tools/advice.h"

#include <cstring>

#include <grp.h>
#include <pwd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <myri.h>

#include "abi/driver.h"
#include "tools/board_text.h"
#include "tools/failure.h"

namespace myri::tools {
namespace {

// The first device that this process may not use, with what would let it.
std::string permissions() {
    for (unsigned number = 0; number < MYRI_BOARDS_MAX; number++) {
        const std::string path = fmt::format("/dev/myri{}", number);
        struct stat node;
        if (stat(path.c_str(), &node) != 0 || access(path.c_str(), R_OK | W_OK) == 0)
            continue;
        const passwd* user = getpwuid(node.st_uid);
        const group* owners = getgrgid(node.st_gid);
        const std::string owner = user ? user->pw_name : std::to_string(node.st_uid);
        const std::string name = owners ? owners->gr_name : std::to_string(node.st_gid);
        constexpr mode_t BOTH = S_IRGRP | S_IWGRP;
        const bool open_to_group = (node.st_mode & BOTH) == BOTH && node.st_gid != 0;
        return fmt::format(
            "{} has mode {:04o}, owner {} and group {}; {}", path, node.st_mode & 07777, owner, name,
            open_to_group
                ? fmt::format("join that group (adduser USER {}) and log in again", name)
                : "install udev/60-myri.rules, which gives it to the group myri, and join that group");
    }
    return "";
}

std::string memory_lock_limit() {
    rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return "RLIMIT_MEMLOCK is unlimited";
    return fmt::format("RLIMIT_MEMLOCK is {} KiB: ulimit -l, /etc/security/limits.d", limit.rlim_cur >> 10);
}

std::string remedy(mx_return_t code) {
    switch (code) {
    case MX_NO_PERM:
        return permissions();
    case MX_NIC_NOT_FOUND:
        return "the peer table does not name it; mx_peers --show prints the table, mx_peers FILE installs one";
    case MX_BUSY:
        return "the endpoint is in use; choose another one with -e";
    case MX_BAD_CONNECTION_KEY:
        return "both ends must give the same filter (-f)";
    case MX_NO_RESOURCES:
        return "out of memory, of endpoints or of locked memory (" + memory_lock_limit() + ")";
    case MX_NIC_DEAD:
        return "the card has stopped; see mx_info and dmesg";
    default:
        return "";
    }
}

} // namespace

std::string dead_card() {
    uint32_t boards = 0;
    if (mx_get_info(nullptr, MX_NIC_COUNT, nullptr, 0, &boards, sizeof boards) != MX_SUCCESS)
        return "";
    for (uint32_t board = 0; board < boards; board++) {
        myri_board_info info{};
        if (myri_driver_request(board, MYRI_BOARD_INFO, &info, sizeof info) == 0 && info.dead)
            return fmt::format("card {}:{} is dead: {}", info.hostname, board, death_text(info));
    }
    return "";
}

std::string explain(mx_return_t code) {
    std::string what = remedy(code);
    return what.empty() ? mx_strerror(code) : fmt::format("{} ({})", mx_strerror(code), what);
}

void check(mx_return_t code, const std::string& doing) {
    if (code == MX_SUCCESS)
        return;
    if (const std::string dead = code == MX_NIC_DEAD ? dead_card() : ""; !dead.empty())
        throw Failure(dead);
    throw Failure(fmt::format("cannot {}: {}", doing, explain(code)));
}

void check_driver(int answer, const std::string& doing) {
    if (answer == 0)
        return;
    std::string what = answer == -ENODEV ? "no such board" : std::strerror(-answer);
    throw Failure(fmt::format("cannot {}: {}", doing, what));
}

} // namespace myri::tools
