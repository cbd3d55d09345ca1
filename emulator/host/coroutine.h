// SPDX-License-Identifier: BSD-3-Clause
//
// A function with a stack of its own, which can be left in the middle and entered again there. Board code waits where
// it stands (board_ops.delay_ms); as a coroutine it lets everybody else go on meanwhile.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace myri::emulator {

class Coroutine {
public:
    // `body` must not throw.
    explicit Coroutine(std::function<void()> body);
    Coroutine(const Coroutine&) = delete; // must be over when it is destroyed
    // From outside: runs it until it pauses or ends.
    void resume();
    // From inside: back to whoever resumed it.
    void pause();
    bool inside() const { return inside_; }
    bool over() const { return over_; }

private:
    static void enter(unsigned high, unsigned low);
    static constexpr size_t STACK = 256u << 10;
    const std::function<void()> body_;
    std::unique_ptr<std::byte[]> stack_;
    ucontext_t own_{}, resumer_{};
    bool inside_ = false, over_ = false;
};

} // namespace myri::emulator
