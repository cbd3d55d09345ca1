/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Additions to the MX programming interface: connecting without blocking, a handler for unexpected messages,
 * a pointer per peer, request timeouts.
 */
#ifndef MX_EXTENSIONS_H
#define MX_EXTENSIONS_H

#include "myriexpress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- connecting ----------------------------------------------------------------------------------------- */

/* Completes like any request; the status's source is the peer's address. */
mx_return_t mx_iconnect(mx_endpoint_t endpoint, uint64_t nic_id, uint32_t endpoint_id, uint32_t key,
                        uint64_t match_info, void *context, mx_request_t *request);

/* Ends what is pending with this peer (MX_STATUS_ENDPOINT_UNREACHABLE). Local: the peer is not told. */
mx_return_t mx_disconnect(mx_endpoint_t endpoint, mx_endpoint_addr_t addr);

mx_return_t mx_decompose_endpoint_addr2(mx_endpoint_addr_t addr, uint64_t *nic_id, uint32_t *endpoint_id,
                                        uint32_t *session_id);

/* One pointer for each peer of each local endpoint, NULL at first. */
mx_return_t mx_set_endpoint_addr_context(mx_endpoint_addr_t addr, void *context);
mx_return_t mx_get_endpoint_addr_context(mx_endpoint_addr_t addr, void **context);

/* ---- unexpected messages -------------------------------------------------------------------------------- */

enum mx_unexp_handler_action {
    MX_RECV_CONTINUE = 0, /* look for a receive again, else queue the message */
    MX_RECV_FINISHED = 1  /* the handler has dealt with the message */
};
typedef enum mx_unexp_handler_action mx_unexp_handler_action_t;

/*
 * Called once for each message that no posted receive matches, in order per sender, never twice at a time.
 * `data` is the whole message or NULL; it ends with the call. Posting is allowed inside, blocking is not.
 */
typedef mx_unexp_handler_action_t (*mx_unexp_handler_t)(void *context, mx_endpoint_addr_t source,
                                                        uint64_t match_value, uint32_t length,
                                                        void *data_if_available);

mx_return_t mx_register_unexp_handler(mx_endpoint_t endpoint, mx_unexp_handler_t handler, void *context);

/* ---- requests ------------------------------------------------------------------------------------------- */

/* The completion will never be reported; the data is still delivered. */
mx_return_t mx_forget(mx_endpoint_t endpoint, mx_request_t *request);
mx_return_t mx_progress(mx_endpoint_t endpoint);

/* Of one request, or with NULL of all later ones of the endpoint. 0 means never. */
mx_return_t mx_set_request_timeout(mx_endpoint_t endpoint, mx_request_t request, uint32_t milliseconds);

#ifdef __cplusplus
}
#endif

#endif /* MX_EXTENSIONS_H */
