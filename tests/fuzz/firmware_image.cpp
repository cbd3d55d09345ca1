// SPDX-License-Identifier: BSD-3-Clause
// A firmware image, and what running firmware says of itself in its globals: the card either starts, and is then
// addressed inside its SRAM only (FakeCard throws otherwise), or is refused with a line that says why.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/board/fake_card.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static FakeCard card; // its SRAM takes longer than the rest
    card.trace.clear();
    card.log.clear();
    card.isr = 0;

    // The image as it is, if it is long enough for one; else a good one whose globals it overwrites.
    std::vector<uint8_t> image(bytes, bytes + size);
    const bool whole = size > FW_GLOBALS + sizeof(fw_globals);
    if (!whole) {
        image = good_image();
        std::copy_n(bytes, std::min(size, sizeof(fw_globals) / 2), image.begin() + FW_GLOBALS);
    }
    // Firmware that says INIT and then RUN, and otherwise what the second half of the bytes says.
    card.firmware = [&, before = false]() mutable {
        if (!before && size > sizeof(fw_globals) / 2)
            std::copy_n(bytes + size - sizeof(fw_globals) / 2, sizeof(fw_globals) / 2,
                        card.sram.begin() + FW_GLOBALS);
        card.set_global(offsetof(fw_globals, status), before ? FW_STATUS_RUN : FW_STATUS_INIT);
        before = true;
    };
    if (card.boot(image) != 0)
        return card.log.empty() ? std::abort(), 0 : 0;
    const board_rings rings{.event_ring = 4096, .receive_ring = 8192, .send_ring = 12288, .event_entries = 64,
                            .receive_size = 4096, .send_size = 4096, .session = 1};
    for (uint32_t endpoint = 0; endpoint < card.board.endpoints; endpoint++) {
        board_endpoint_set(&card.board, endpoint, &rings);
        board_endpoint_clear(&card.board, endpoint);
    }
    return 0;
}
