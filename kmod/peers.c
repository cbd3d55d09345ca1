// SPDX-License-Identifier: GPL-2.0-only
/* The peer table: given in parts by a privileged process, kept here with its names, told to the card as a whole. */
#include <linux/capability.h>
#include <linux/slab.h>

#include "kmod/myri.h"

int myri_peers_get(struct myri_card *card, struct myri_peers *request)
{
	u32 n;

	mutex_lock(&card->lock);
	request->total = card->peer_count;
	request->count = min(MYRI_PEERS_AT_ONCE, request->total - min(request->first, request->total));
	memset(request->peer, 0, sizeof(request->peer));
	for (n = 0; n < request->count; n++)
		request->peer[n] = card->peer[request->first + n];
	mutex_unlock(&card->lock);
	return 0;
}

/* Board and card learn the list, and card->peer holds it by index from now on. */
static int set(struct myri_card *card, const struct myri_peer *peer, u32 count)
{
	struct myri_peer *by_index;
	struct board_peer *table;
	u16 *index;
	u32 n;
	int status = -ENOMEM;

	if (card->dead)
		return -ENODEV;
	by_index = kvcalloc(FW_PEERS, sizeof(*by_index), GFP_KERNEL);
	table = kvcalloc(FW_PEERS, sizeof(*table), GFP_KERNEL);
	index = kvcalloc(FW_PEERS, sizeof(*index), GFP_KERNEL);
	if (!by_index || !table || !index)
		goto free;
	for (n = 0; n < count; n++) {
		table[n].mac = peer[n].mac;
		table[n].route_length = peer[n].route_length;
		memcpy(table[n].route, peer[n].route, sizeof(table[n].route));
	}
	status = board_peers_set(&card->board, table, count, index);
	if (status)
		goto free;
	card->peers_known = 0;
	for (n = 0; n < count; n++) {
		if (index[n] == BOARD_PEER_NONE)
			continue;
		by_index[index[n]] = peer[n];
		card->peers_known++;
	}
	swap(card->peer, by_index);
	card->peer_count = card->board.peer_count;
	status = myri_command(card, FW_COMMAND_PEERS, &card->peer_count, 1, NULL);
free:
	kvfree(index);
	kvfree(table);
	kvfree(by_index);
	return status;
}

int myri_peers_restore(struct myri_card *card)
{
	return set(card, card->peer, card->peer_count);
}

static bool part_fits(const struct myri_endpoint *endpoint, const struct myri_peers *request)
{
	u32 n;

	if (request->count > MYRI_PEERS_AT_ONCE || request->total > FW_PEERS || request->first != endpoint->peers_there ||
	    request->total != endpoint->peers_wanted || request->count > request->total - request->first ||
	    (request->count == 0 && request->total != 0))
		return false;
	for (n = 0; n < request->count; n++)
		if (!memchr(request->peer[n].name, 0, MYRI_HOSTNAME_MAX) ||
		    request->peer[n].route_length > FW_ROUTE_MAX)
			return false;
	return true;
}

static void forget(struct myri_endpoint *endpoint)
{
	kvfree(endpoint->peers_given);
	endpoint->peers_given = NULL;
	endpoint->peers_there = 0;
}

int myri_peers_take(struct myri_endpoint *endpoint, struct myri_peers *request)
{
	struct myri_card *card = endpoint->card;
	int status = 0;

	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	mutex_lock(&endpoint->lock);
	if (request->first == 0) {
		forget(endpoint);
		endpoint->peers_wanted = request->total;
	}
	if (!part_fits(endpoint, request)) {
		forget(endpoint);
		status = -EINVAL;
		goto unlock;
	}
	if (!endpoint->peers_given)
		endpoint->peers_given = kvcalloc(request->total ? request->total : 1, sizeof(*request->peer), GFP_KERNEL);
	if (!endpoint->peers_given) {
		status = -ENOMEM;
		goto unlock;
	}
	memcpy(endpoint->peers_given + request->first, request->peer, request->count * sizeof(*request->peer));
	endpoint->peers_there += request->count;
	if (endpoint->peers_there < request->total)
		goto unlock;

	mutex_lock(&card->lock);
	status = set(card, endpoint->peers_given, request->total);
	mutex_unlock(&card->lock);
	forget(endpoint);
unlock:
	mutex_unlock(&endpoint->lock);
	return status;
}
