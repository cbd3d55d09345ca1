// SPDX-License-Identifier: BSD-3-Clause
// Grants: what a sender lets a partner's card pull, and the block checksums ahead of it. For send_large.cpp.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

// Grants the window of a message at `offset` and describes it in `m`. 0, or -ENOSPC: later; other errors are final.
int grant_open(Endpoint& ep, Send* send, uint32_t offset, bool unasked, msg_rendezvous& m);
// Bytes of a window; the last of a message may be shorter.
inline uint32_t grant_window_bytes(const Endpoint& ep) {
    return ep.bounce.exists() ? ep.bounce.share_blocks() * WIRE_BLOCK_SIZE : ep.window_bytes;
}
// Nobody uses it any more.
void grant_close(Endpoint& ep, unsigned index);
// Makes it void; it is released by grant_release when the card has confirmed that.
void grant_retire(Endpoint& ep, unsigned index);
void grant_release(Endpoint& ep, unsigned index);

// After a restart of the card: the grant and the checksums that it may ask for.
void grant_write_again(Endpoint& ep, unsigned index);

// The card wants this block: its checksum and those of the next ones.
void grant_asked(Endpoint& ep, unsigned index, uint32_t block);
// One checksum that is due.
void grant_checksum(Endpoint& ep);

} // namespace myri
