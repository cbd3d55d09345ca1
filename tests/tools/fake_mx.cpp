// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/fake_mx.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <mx_extensions.h>
#include <myri.h>

union mx_request {
    uint64_t number;
};

namespace {

using Bytes = std::vector<uint8_t>;
constexpr uint64_t NIC = 0x0060dd000001;

struct Request {
    mx_request handle{};
    mx_status_t status{};
    bool done = false;
    mx_segment_t segment{};
    uint64_t info = 0, mask = 0;
};
using RequestPointer = std::shared_ptr<Request>;

struct Message {
    Bytes data;
    uint64_t info;
    uint32_t source;
    uint32_t source_session;
    RequestPointer send; // large or synchronous: completes when matched
};

struct Endpoint {
    uint32_t id, session, key;
    bool dead = false;
    std::deque<RequestPointer> posted, completed;
    std::map<mx_request_t, RequestPointer> live;
    std::deque<Message> unexpected;
};

std::mutex lock; // protects all below
std::map<uint32_t, std::shared_ptr<Endpoint>> endpoints;
uint32_t next_session = 100;
int64_t damage_in = -1;

Endpoint& of(mx_endpoint_t e) { return *reinterpret_cast<Endpoint*>(e); }

mx_endpoint_addr_t address(uint32_t id, uint32_t session) { return {{id, session}}; }

Endpoint* find(mx_endpoint_addr_t to) {
    auto it = endpoints.find(static_cast<uint32_t>(to.stuff[0]));
    return it != endpoints.end() && !it->second->dead && it->second->session == to.stuff[1] ? it->second.get() : nullptr;
}

void complete(Endpoint& e, const RequestPointer& request, mx_status_code_t code) {
    request->status.code = code;
    request->done = true;
    e.completed.push_back(request);
}

void deliver(Endpoint& e, const RequestPointer& receive, Message& message) {
    auto length = static_cast<uint32_t>(message.data.size());
    uint32_t stored = std::min(length, receive->segment.segment_length);
    if (stored)
        std::memcpy(receive->segment.segment_ptr, message.data.data(), stored);
    receive->status.source = address(message.source, message.source_session);
    receive->status.match_info = message.info;
    receive->status.msg_length = length;
    receive->status.xfer_length = stored;
    complete(e, receive, stored < length ? MX_STATUS_TRUNCATED : MX_STATUS_SUCCESS);
    if (message.send)
        if (Endpoint* sender = find(address(message.source, message.source_session)))
            complete(*sender, message.send, MX_STATUS_SUCCESS);
}

mx_return_t post_send(mx_endpoint_t handle, mx_segment_t* segment, mx_endpoint_addr_t to, uint64_t info, void* context,
                      mx_request_t* out, bool synchronous) {
    std::lock_guard guard(lock);
    Endpoint& e = of(handle);
    auto request = std::make_shared<Request>();
    request->status.source = to;
    request->status.context = context;
    request->status.match_info = info;
    e.live[&request->handle] = request;
    *out = &request->handle;
    Endpoint* target = find(to);
    if (!target) {
        complete(e, request, MX_STATUS_ENDPOINT_CLOSED);
        return MX_SUCCESS;
    }
    auto* bytes = static_cast<uint8_t*>(segment->segment_ptr);
    Message message{Bytes(bytes, bytes + segment->segment_length), info, e.id, e.session, nullptr};
    if (!message.data.empty() && damage_in >= 0 && damage_in-- == 0)
        message.data[message.data.size() / 3] ^= 1;
    if (synchronous || segment->segment_length > 32768)
        message.send = request;
    else
        complete(e, request, MX_STATUS_SUCCESS);
    for (auto it = target->posted.begin(); it != target->posted.end(); ++it)
        if ((info & (*it)->mask) == (*it)->info) {
            RequestPointer receive = *it;
            target->posted.erase(it);
            deliver(*target, receive, message);
            return MX_SUCCESS;
        }
    target->unexpected.push_back(std::move(message));
    return MX_SUCCESS;
}

template <typename Wanted> bool take(Endpoint& e, Wanted wanted, mx_status_t* status) {
    std::lock_guard guard(lock);
    for (auto it = e.completed.begin(); it != e.completed.end(); ++it)
        if (wanted(**it)) {
            *status = (*it)->status;
            e.live.erase(&(*it)->handle);
            e.completed.erase(it);
            return true;
        }
    return false;
}

template <typename Wanted> void wait(Endpoint& e, Wanted wanted, uint32_t ms, mx_status_t* status, uint32_t* result) {
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms) / fake_mx::FAST;
    while (!(*result = take(e, wanted, status)) && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
}

mx_return_t return_code(char*, mx_return_t code) { return code; }

} // namespace

void fake_mx::kill_endpoint(uint32_t endpoint) {
    std::lock_guard guard(lock);
    endpoints.at(endpoint)->dead = true;
}

void fake_mx::damage_message(uint32_t n) {
    std::lock_guard guard(lock);
    damage_in = n;
}

extern "C" {

extern const mx_error_handler_t MX_ERRORS_RETURN = return_code;

mx_error_handler_t mx_set_error_handler(mx_error_handler_t handler) { return handler; }
mx_return_t mx__init_api(int) { return MX_SUCCESS; }
mx_return_t mx_finalize(void) { return MX_SUCCESS; }
const char* mx_strerror(mx_return_t) { return "some error"; }
const char* mx_strstatus(mx_status_code_t) { return "some status"; }

mx_return_t mx_open_endpoint(uint32_t, uint32_t id, uint32_t key, mx_param_t*, uint32_t, mx_endpoint_t* out) {
    std::lock_guard guard(lock);
    auto& place = endpoints[id];
    if (place && !place->dead)
        return MX_BUSY;
    place = std::make_shared<Endpoint>();
    place->id = id;
    place->session = next_session++;
    place->key = key;
    *out = reinterpret_cast<mx_endpoint_t>(place.get());
    return MX_SUCCESS;
}

mx_return_t mx_close_endpoint(mx_endpoint_t handle) {
    std::lock_guard guard(lock);
    for (auto it = endpoints.begin(); it != endpoints.end(); ++it)
        if (it->second.get() == &of(handle)) {
            endpoints.erase(it);
            break;
        }
    return MX_SUCCESS;
}

mx_return_t mx_get_endpoint_addr(mx_endpoint_t handle, mx_endpoint_addr_t* out) {
    *out = address(of(handle).id, of(handle).session);
    return MX_SUCCESS;
}
mx_return_t mx_decompose_endpoint_addr2(mx_endpoint_addr_t a, uint64_t* nic, uint32_t* id, uint32_t* session) {
    *nic = NIC;
    *id = static_cast<uint32_t>(a.stuff[0]);
    *session = static_cast<uint32_t>(a.stuff[1]);
    return MX_SUCCESS;
}
mx_return_t mx_hostname_to_nic_id(char* name, uint64_t* nic) {
    *nic = NIC;
    return std::strcmp(name, "n0") == 0 ? MX_SUCCESS : MX_HOST_NOT_FOUND;
}
mx_return_t mx_get_info(mx_endpoint_t, mx_get_info_key_t, void*, uint32_t, void*, uint32_t) {
    return MX_FAILURE; // there are no boards to ask
}
mx_return_t mx_nic_id_to_hostname(uint64_t, char* name) {
    std::strcpy(name, "n0:0");
    return MX_SUCCESS;
}
mx_return_t mx_nic_id_to_board_number(uint64_t, uint32_t* board) {
    *board = 0;
    return MX_SUCCESS;
}

mx_return_t mx_connect(mx_endpoint_t, uint64_t, uint32_t id, uint32_t key, uint32_t, mx_endpoint_addr_t* out) {
    std::lock_guard guard(lock);
    auto it = endpoints.find(id);
    if (it == endpoints.end() || it->second->dead)
        return MX_CONNECTION_FAILED;
    if (it->second->key != key)
        return MX_BAD_CONNECTION_KEY;
    *out = address(id, it->second->session);
    return MX_SUCCESS;
}

mx_return_t mx_isend(mx_endpoint_t e, mx_segment_t* s, uint32_t, mx_endpoint_addr_t to, uint64_t info, void* context,
                     mx_request_t* out) {
    return post_send(e, s, to, info, context, out, false);
}
mx_return_t mx_issend(mx_endpoint_t e, mx_segment_t* s, uint32_t, mx_endpoint_addr_t to, uint64_t info, void* context,
                      mx_request_t* out) {
    return post_send(e, s, to, info, context, out, true);
}

mx_return_t mx_irecv(mx_endpoint_t handle, mx_segment_t* segment, uint32_t, uint64_t info, uint64_t mask, void* context,
                     mx_request_t* out) {
    if (info & ~mask)
        return MX_BAD_MATCH_MASK;
    std::lock_guard guard(lock);
    Endpoint& e = of(handle);
    auto request = std::make_shared<Request>();
    request->segment = *segment;
    request->info = info;
    request->mask = mask;
    request->status.context = context;
    e.live[&request->handle] = request;
    *out = &request->handle;
    for (auto it = e.unexpected.begin(); it != e.unexpected.end(); ++it)
        if ((it->info & mask) == info) {
            Message message = std::move(*it);
            e.unexpected.erase(it);
            deliver(e, request, message);
            return MX_SUCCESS;
        }
    e.posted.push_back(request);
    return MX_SUCCESS;
}

mx_return_t mx_cancel(mx_endpoint_t handle, mx_request_t* request, uint32_t* result) {
    std::lock_guard guard(lock);
    Endpoint& e = of(handle);
    auto it = std::find_if(e.posted.begin(), e.posted.end(), [&](auto& r) { return &r->handle == *request; });
    *result = it != e.posted.end();
    if (*result) {
        e.live.erase(*request);
        e.posted.erase(it);
    }
    return MX_SUCCESS;
}

mx_return_t mx_wait(mx_endpoint_t e, mx_request_t* r, uint32_t ms, mx_status_t* status, uint32_t* result) {
    wait(of(e), [&](Request& q) { return &q.handle == *r; }, ms, status, result);
    return MX_SUCCESS;
}
mx_return_t mx_test(mx_endpoint_t e, mx_request_t* r, mx_status_t* status, uint32_t* result) {
    std::this_thread::yield();
    *result = take(of(e), [&](Request& q) { return &q.handle == *r; }, status);
    return MX_SUCCESS;
}
mx_return_t mx_wait_any(mx_endpoint_t e, uint32_t ms, uint64_t, uint64_t, mx_status_t* status, uint32_t* result) {
    wait(of(e), [](Request&) { return true; }, ms, status, result);
    return MX_SUCCESS;
}
mx_return_t mx_test_any(mx_endpoint_t e, uint64_t, uint64_t, mx_status_t* status, uint32_t* result) {
    std::this_thread::yield();
    *result = take(of(e), [](Request&) { return true; }, status);
    return MX_SUCCESS;
}

uint64_t myri_time(void) {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::nanoseconds(now).count()) * 1000 * fake_mx::FAST;
}
int myri_driver_request(uint32_t, uint32_t, void*, size_t) { return -EINVAL; }
int myri_sleep(uint64_t picoseconds) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(picoseconds / 1000 / fake_mx::FAST));
    return 0;
}

} // extern "C"
