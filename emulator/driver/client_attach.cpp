// SPDX-License-Identifier: BSD-3-Clause
//
// Client: the first request, which says who the process is and on which host it runs.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "emulator/driver/client.h"
#include "emulator/driver/command_clock.h"
#include "emulator/driver/driver_service.h"
#include "emulator/driver/patience.h"

namespace myri::emulator {
namespace {

// The process a pidfd stands for, 0 if it is no pidfd or the process has ended.
pid_t process_of(int pidfd) {
    std::ifstream info("/proc/self/fdinfo/" + std::to_string(pidfd));
    for (std::string line; std::getline(info, line);)
        if (long pid = 0; std::sscanf(line.c_str(), "Pid: %ld", &pid) == 1)
            return pid > 0 ? static_cast<pid_t>(pid) : 0;
    return 0;
}

} // namespace

// 0, or the errno to refuse it with; then the reason has been said.
int Client::attach_checks(Frame& frame, myri_attach& request) {
    const auto refused = [&](int error, const std::string& why) {
        say(describe() + ": attach refused: " + why);
        return error;
    };
    uint32_t abi = 0;
    if (frame.body.size() >= sizeof abi)
        std::memcpy(&abi, frame.body.data(), sizeof abi);
    request.abi = MYRI_DRIVER_ABI;
    std::snprintf(request.hosts, sizeof request.hosts, "%s", service_.host_names().c_str());
    // Before the length: another version may have another one.
    if (frame.body.size() >= sizeof abi && abi != MYRI_DRIVER_ABI)
        return refused(EPROTO, "driver ABI " + std::to_string(abi) + ", this fabric has " +
                                   std::to_string(MYRI_DRIVER_ABI));
    myri_attach asked;
    if (!fits(frame.body, asked))
        return refused(EBADMSG, std::to_string(frame.body.size()) + " bytes, must be " + std::to_string(sizeof asked));
    std::memcpy(request.host, asked.host, sizeof request.host);
    request.has_memory = asked.has_memory;
    if (asked.has_memory > 1 || frame.descriptors.size() != 1 + asked.has_memory)
        return refused(EINVAL, std::to_string(frame.descriptors.size()) + " descriptors, must be a pidfd and, if "
                                                                          "has_memory is 1, /proc/self/mem");
    if (process_of(frame.descriptors[0].get()) != pid_)
        return refused(EINVAL, "its first descriptor is not a pidfd of the caller");
    const size_t length = strnlen(asked.host, sizeof asked.host);
    host_ = length < sizeof asked.host ? service_.host({asked.host, length}) : nullptr;
    if (!host_ && !service_.options().virtual_time)
        guest_ = service_.guest({asked.host, length});
    if (!attached())
        return refused(ENOENT, length ? "no host " + std::string(asked.host, length) + ", hosts are " + request.hosts
                                      : "MYRI_HOST names no host, hosts are " + std::string(request.hosts));
    if (!service_.options().virtual_time)
        return 0;
    if (service_.known(pid_, *this))
        return refused(EBUSY, "this process is attached already; in virtual time it can be only once");
    command_ = service_.command_of(pid_);
    if (!command_)
        return refused(EPERM, "in virtual time only programs that a command of this run has started may attach "
                              "(--free or `myri-fabric start` serves others)");
    return 0;
}

// Memory that cannot be used is as good as none: large messages go through a bounce area.
void Client::take_memory(FileDescriptor mem) {
    const bool right = UserMemory::is_memory(mem.get());
    auto memory = std::make_shared<UserMemory>(std::move(mem), pid_);
    if (right && memory->readable())
        memory_ = std::move(memory);
    else
        say(describe() + (right ? ": its memory cannot be read" : ": its second descriptor is not /proc/self/mem") +
            "; its large messages are copied through shared memory");
}

void Client::attach(Frame& frame) {
    myri_attach reply{};
    const int error = attach_checks(frame, reply);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&reply);
    if (error) {
        host_ = nullptr;
        guest_ = nullptr;
        refuse(MYRI_ATTACH, error, {bytes, bytes + sizeof reply});
        return service_.drop(*this);
    }
    pidfd_ = std::move(frame.descriptors[0]);
    if (reply.has_memory)
        take_memory(std::move(frame.descriptors[1]));
    service_.watch_process(shared_from_this());
    reply.boards = guest_ ? 0 : 1;
    reply.seed = service_.options().seed;
    if (!service_.options().virtual_time) {
        reply.time = MYRI_TIME_FREE;
        return answer_with(0, MYRI_ATTACH, 0, reply);
    }
    page_ = std::make_unique<ClockPage>();
    reply.time = MYRI_TIME_VIRTUAL;
    reply.costs = service_.costs(*host_);
    reply.clock_bytes = sizeof(myri_clock_page);
    // A command with a process already attached does not hold time: the newcomer begins in the present.
    const Time start = command_->attached() ? std::max(command_->held(), service_.present()) : command_->held();
    process_ = std::make_unique<VirtualProcess>(service_.scheduler(), host_->rank(), start);
    command_->attach(shared_from_this());
    answer(start, MYRI_ATTACH, 0, {bytes, bytes + sizeof reply}, page_->fd());
}

} // namespace myri::emulator
