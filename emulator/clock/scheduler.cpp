// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/clock/scheduler.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace myri::emulator {

Scheduler::EventId Scheduler::at(Time when, Rank rank, Action action) {
    if (when < now_)
        throw std::logic_error("event at " + std::to_string(when) + " ps scheduled in the past of " +
                               std::to_string(now_) + " ps");
    EventId id{when, rank, ++sequences_[rank]};
    queue_.emplace(id, std::move(action));
    return id;
}

bool Scheduler::cancel(const EventId& id) { return queue_.erase(id) != 0; }

Time Scheduler::next_effect() const {
    for (const auto& [id, action] : queue_)
        if (id.rank != WATCH_RANK)
            return id.when;
    return NEVER;
}

void Scheduler::run_next() {
    auto node = queue_.extract(queue_.begin());
    now_ = node.key().when;
    node.mapped()(now_);
}

} // namespace myri::emulator
