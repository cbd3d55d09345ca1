// SPDX-License-Identifier: BSD-3-Clause
// The frame around every function of the interface that takes an endpoint.
//
// Concepts: a Call checks that the library is ready and the handle alive, and holds the endpoint's lock to
// its end. Errors leave through fail(), which unlocks first, because handlers may call the library. What must
// be reported about sends that failed late is reported when the call ends.
#pragma once

#include "libmyri/endpoint.h"

namespace myri {

class Call {
public:
    Call(mx_endpoint_t handle, const char* function);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // The handle was refused: return answer().
    bool refused() const { return ep == nullptr; }
    mx_return_t answer() const { return answer_; }

    Endpoint& endpoint() const { return *ep; }
    Endpoint* operator->() const { return ep; }

    mx_return_t fail(mx_return_t code, const char* format, ...) __attribute__((format(printf, 3, 4)));

    // The card has failed for good: return card_dead(), unless a request's end is to be reported.
    bool dead() const { return ep->dead != 0; }
    mx_return_t card_dead();

    // The partner that an address names, if it is of this endpoint. nullptr: a stale or foreign address.
    Partner* partner(mx_endpoint_addr_t addr) const;

private:
    Endpoint* ep = nullptr;
    const char* function;
    mx_return_t answer_ = MX_SUCCESS;
    bool locked = false;
    void unlock();
};

// In virtual time a process is one thread, the first that comes. True for another one; wrong_thread also reports it.
bool second_thread();
bool wrong_thread(const char* function, mx_return_t& answer, Endpoint* ep = nullptr);

inline mx_endpoint_t to_endpoint_handle(Endpoint* e) {
    return reinterpret_cast<mx_endpoint_t>(e);
}

} // namespace myri
