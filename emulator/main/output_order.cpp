// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/main/output_order.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace myri::emulator {
namespace {

void write_all(int fd, const std::string& text) {
    for (size_t done = 0; done < text.size();) {
        const ssize_t put = write(fd, text.data() + done, text.size() - done);
        if (put > 0) {
            done += static_cast<size_t>(put);
        } else if (errno == EAGAIN) {
            pollfd wait{fd, POLLOUT, 0};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return;
        }
    }
}

} // namespace

void OutputOrder::add(const Key& key, int fd, std::string text) {
    if (text.empty())
        return;
    bytes_ += text.size();
    held_[key].push_back({fd, std::move(text)});
}

void OutputOrder::release(const Key& bound) {
    while (!held_.empty() && held_.begin()->first <= bound) {
        for (const Part& part : held_.begin()->second) {
            write_all(part.fd, part.text);
            bytes_ -= part.text.size();
        }
        held_.erase(held_.begin());
    }
}

} // namespace myri::emulator
