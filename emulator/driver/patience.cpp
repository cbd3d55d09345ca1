// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/patience.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace myri::emulator {

Patience::Patience(EventLoop& loop, Seconds longest, Seconds report_after)
    : loop_(loop), longest_(longest), report_after_(report_after) {}

void Patience::look_at_clock() {
    if (longest_.count() > 0 && Clock::now() - start_ >= longest_)
        expired_ = true;
}

void Patience::glance() {
    loop_.once(0);
    look_at_clock();
}

void Patience::wait(const std::function<bool()>& done, const std::function<std::string()>& who) {
    const auto begun = Clock::now();
    const int tick = static_cast<int>(std::clamp(report_after_.count() * 1000 / 4, 10.0, 500.0));
    bool reported = false;
    while (!done() && !stopped()) {
        if (loop_.once(tick))
            continue;
        look_at_clock();
        if (!reported && Clock::now() - begun >= report_after_) {
            say(who());
            reported = true;
        }
    }
}

int64_t wall_us() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

void say(const std::string& text) {
    const std::string line = "myri-fabric: " + text + "\n";
    for (size_t done = 0; done < line.size();) {
        const ssize_t put = write(STDERR_FILENO, line.data() + done, line.size() - done);
        if (put < 0 && errno != EINTR && errno != EAGAIN)
            return; // nobody can be told
        done += put > 0 ? static_cast<size_t>(put) : 0;
    }
}

} // namespace myri::emulator
