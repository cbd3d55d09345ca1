// SPDX-License-Identifier: BSD-3-Clause
// What an endpoint counts, for everybody.
#include "libmyri/endpoint.h"
#include "myri.h"

using namespace myri;

static const struct {
    const char *name, *label;
    uint64_t Counters::*value;
} rows[] = {
    {"bad_checksum", "Packets with a bad checksum", &Counters::bad_checksum},
    {"blocks", "Good blocks of large messages", &Counters::blocks},
    {"bad_blocks", "Blocks with a bad checksum", &Counters::bad_blocks},
    {"copied_blocks", "Blocks copied, not sent or received in place", &Counters::copied_blocks},
    {"malformed", "Packets that cannot be", &Counters::malformed},
    {"strangers", "Packets of nobody connected", &Counters::strangers},
    {"duplicates", "Packets that were here already", &Counters::duplicates},
    {"early", "Messages ahead of their turn", &Counters::early},
    {"resends", "Packets sent again", &Counters::resends},
    {"acks", "Acknowledgements alone", &Counters::acks},
    {"probes", "Probes", &Counters::probes},
    {"nacks", "Refusals by cards", &Counters::nacks},
    {"pushed_back", "Messages refused for want of room", &Counters::pushed_back},
    {"lost_sends", "Sends lost after their completion", &Counters::lost_sends},
    {"bad_slots", "Request slots that the card refused", &Counters::bad_slots},
    {"restarts", "Restarts of the card", &Counters::restarts},
};

extern "C" int myri_endpoint_counter(struct mx_endpoint* endpoint, unsigned index, struct myri_counter* counter) {
    auto* ep = reinterpret_cast<Endpoint*>(endpoint);
    if (!ep || ep->magic != endpoint_magic || !counter || index >= sizeof rows / sizeof rows[0])
        return -1;
    pthread_mutex_lock(&ep->lock);
    *counter = myri_counter{rows[index].name, rows[index].label, ep->counters.*rows[index].value};
    pthread_mutex_unlock(&ep->lock);
    return 0;
}
