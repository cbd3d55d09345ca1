// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/store_order.h"

#include <algorithm>
#include <utility>

namespace myri::emulator {
namespace {

// Cuts a store at multiples of `line` bytes.
void cut(const Store& store, uint32_t line, std::vector<Store>& out) {
    const auto length = static_cast<uint32_t>(store.bytes.size());
    for (uint32_t done = 0; done < length;) {
        const uint32_t part = std::min(length - done, line - (store.offset + done) % line);
        const auto from = store.bytes.begin() + done;
        out.push_back({store.when, store.endpoint, store.offset + done, {from, from + part}});
        done += part;
    }
}

} // namespace

std::vector<Store> StoreOrder::bursts(const std::vector<Store>& stores) {
    std::vector<Store> out;
    if (!random_) {
        for (const Store& store : stores)
            cut(store, 64, out);
        return out;
    }
    size_t group = 0; // first unit behind the last barrier
    const auto end_group = [&] {
        // A unit may be late, never early: all leave when the last of them could.
        const Time when = out.size() > group ? out.back().when : 0;
        for (size_t n = out.size(); n > group + 1; n--)
            std::swap(out[n - 1], out[group + (*random_)() % (n - group)]);
        for (size_t n = group; n < out.size(); n++)
            out[n].when = when;
        group = out.size();
    };
    for (const Store& store : stores) {
        if (store.bytes.empty())
            end_group();
        else
            cut(store, 8, out);
    }
    end_group();
    return out;
}

} // namespace myri::emulator
