// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card that fails: its firmware stands still or stops, its SRAM has a parity error, it does not answer. It is restarted
 * with its endpoints held until their processes come back; a second failure soon after, or a removal, is its end.
 */
#include "kmod/myri.h"

#define WATCH_MS (5 * FW_HEARTBEAT_MS)
#define AGAIN_MS 60000 /* a second failure within this time is the last */

static u64 now_ms(void)
{
	return (u64)ktime_to_ms(ktime_get());
}

static void tell(struct myri_endpoint *endpoint)
{
	wake_up_interruptible_all(&endpoint->news);
}

void myri_watchdog(struct work_struct *work)
{
	struct myri_card *card = container_of(to_delayed_work(work), struct myri_card, watchdog);
	int status;

	mutex_lock(&card->lock);
	if (!card->dead) {
		status = board_watch(&card->board, &card->watch, now_ms(), myri_watchdog_ms);
		if (status)
			myri_fail(card, status);
		else
			myri_msi_refresh(card, false);
	}
	if (!card->dead)
		queue_delayed_work(myri_work, &card->watchdog, msecs_to_jiffies(WATCH_MS));
	mutex_unlock(&card->lock);
}

void myri_die(struct myri_card *card, int reason, const char *why)
{
	struct myri_endpoint *endpoint;
	u32 id;

	lockdep_assert_held(&card->lock);
	if (card->dead)
		return;
	/* Its DMA ends before anything that it could write is given up. */
	if (pci_device_is_present(card->pdev))
		board_park(&card->board);
	else
		pci_clear_master(card->pdev);
	strscpy(card->dead_reason, why, sizeof(card->dead_reason));
	WRITE_ONCE(card->dead, reason);
	for (id = 0; id < FW_ENDPOINTS; id++) {
		endpoint = card->endpoint[id];
		if (!endpoint)
			continue;
		WRITE_ONCE(endpoint->page->dead, (u32)reason);
		myri_view_set(endpoint, MYRI_VIEW_BLANK);
		tell(endpoint);
	}
}

/* The firmware runs again, but knows of the endpoints only that they exist. */
static int restart(struct myri_card *card)
{
	struct myri_endpoint *endpoint;
	int status;
	u32 id;

	/* The handler uses `board`, which is set up anew. */
	smp_store_release(&card->listening, false);
	synchronize_irq(card->irq);
	status = myri_boot(card);
	if (status)
		return status;
	memset(&card->watch, 0, sizeof(card->watch));
	smp_store_release(&card->listening, true);
	myri_msi_refresh(card, true);
	card->restarts++;
	for (id = 0; id < FW_ENDPOINTS; id++)
		if (card->endpoint[id])
			status = status ?: board_endpoint_hold(&card->board, id);
	if (!status)
		status = myri_peers_restore(card);
	if (status)
		return status;
	for (id = 0; id < FW_ENDPOINTS; id++) {
		endpoint = card->endpoint[id];
		if (!endpoint)
			continue;
		WRITE_ONCE(endpoint->held, true);
		WRITE_ONCE(endpoint->page->restarts, endpoint->page->restarts + 1);
		tell(endpoint);
	}
	return 0;
}

static void fail_for_good(struct myri_card *card, int reason, const char *why)
{
	dev_err(&card->dev, "dead: %s\n", why);
	myri_die(card, reason, why);
}

static const char *cause(struct myri_card *card, int status)
{
	const char *said;

	switch (status) {
	case -ENODEV:
		return "it does not answer";
	case -EBADMSG:
		return "SRAM parity error";
	case -ETIMEDOUT:
		return "the firmware does not answer";
	default:
		said = board_stopped(&card->board);
		return said ? said : "the firmware has stopped";
	}
}

void myri_fail(struct myri_card *card, int status)
{
	const u64 now = now_ms();
	char why[80];

	lockdep_assert_held(&card->lock);
	if (card->dead)
		return;
	if (status == -ENODEV)
		return fail_for_good(card, ENODEV, cause(card, status));
	if (status == -EBADMSG && board_parity_judge(&card->board))
		return fail_for_good(card, EIO, "SRAM parity error that cannot be repaired");
	if (card->failed_ms && now - card->failed_ms < AGAIN_MS) {
		snprintf(why, sizeof(why), "failed twice within %u s: %s", AGAIN_MS / 1000, cause(card, status));
		return fail_for_good(card, EIO, why);
	}
	card->failed_ms = now;
	dev_err(&card->dev, "%s: restarting the card\n", cause(card, status));
	status = restart(card);
	if (status)
		return fail_for_good(card, EIO, "cannot be restarted");
	dev_info(&card->dev, "restarted, for the %u. time\n", card->restarts);
}
