// SPDX-License-Identifier: BSD-3-Clause
#include "emulator/driver/clock_page.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "abi/firmware.h"

namespace myri::emulator {

ClockPage::ClockPage() : fd_(memfd_create("myri-clock", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    void* base = MAP_FAILED;
    if (fd_ && ftruncate(fd_.get(), sizeof(myri_clock_page)) == 0 &&
        fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        base = mmap(nullptr, sizeof(myri_clock_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
    if (base == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), "clock page");
    page_ = static_cast<myri_clock_page*>(base);
}

ClockPage::~ClockPage() { munmap(page_, sizeof *page_); }

std::string ClockPage::take(Time earliest, Time latest, std::vector<Store>& stores) {
    stores.clear();
    const uint32_t used = std::atomic_ref(page_->used).load(std::memory_order_acquire);
    if (used == 0)
        return {};
    if (used > sizeof page_->records)
        return "clock page with " + std::to_string(used) + " bytes of records, at most " +
               std::to_string(sizeof page_->records) + " are possible";
    std::vector<uint8_t> records(page_->records, page_->records + used);
    std::atomic_ref(page_->used).store(0, std::memory_order_release);

    const auto refuse = [&](size_t place, const std::string& what) {
        stores.clear();
        return "store record at byte " + std::to_string(place) + " of the clock page: " + what;
    };
    for (size_t place = 0; place < records.size();) {
        myri_store record;
        if (records.size() - place < sizeof record)
            return refuse(place, "it is cut off");
        std::memcpy(&record, &records[place], sizeof record);
        const size_t body = place + sizeof record;
        if (record.length % 8 != 0 || record.length > records.size() - body)
            return refuse(place, "length " + std::to_string(record.length));
        if (record.offset % 8 != 0 || record.offset > FW_ENDPOINT_WINDOW_SIZE ||
            record.length > FW_ENDPOINT_WINDOW_SIZE - record.offset)
            return refuse(place, "offset " + std::to_string(record.offset) + " with " + std::to_string(record.length) +
                                     " bytes, the window has " + std::to_string(FW_ENDPOINT_WINDOW_SIZE));
        if (record.when < earliest || record.when > latest)
            return refuse(place, "time " + std::to_string(record.when) + " ps, possible are " +
                                     std::to_string(earliest) + " to " + std::to_string(latest));
        earliest = record.when;
        const auto from = records.begin() + static_cast<std::ptrdiff_t>(body);
        stores.push_back({record.when, record.endpoint, record.offset, {from, from + record.length}});
        place = body + record.length;
    }
    return {};
}

} // namespace myri::emulator
