// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/host/coroutine.h"

#include <cstdint>
#include <utility>

namespace myri::emulator {

Coroutine::Coroutine(std::function<void()> body) : body_(std::move(body)), stack_(new std::byte[STACK]) {
    getcontext(&own_);
    own_.uc_stack.ss_sp = stack_.get();
    own_.uc_stack.ss_size = STACK;
    own_.uc_link = &resumer_;
    // makecontext passes ints only.
    const auto self = reinterpret_cast<uintptr_t>(this);
    makecontext(&own_, reinterpret_cast<void (*)()>(&enter), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
}

void Coroutine::enter(unsigned high, unsigned low) {
    Coroutine& self = *reinterpret_cast<Coroutine*>(uintptr_t{high} << 32 | low);
    self.body_();
    self.over_ = true;
    self.inside_ = false; // uc_link leads back
}

void Coroutine::resume() {
    inside_ = true;
    swapcontext(&resumer_, &own_);
}

void Coroutine::pause() {
    inside_ = false;
    swapcontext(&own_, &resumer_);
}

} // namespace myri::emulator
