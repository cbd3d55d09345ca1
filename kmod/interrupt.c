// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts: the firmware raises one when a command is done or an event lies unread for too long. Who waits looks
 * into memory itself, so the handler reads nothing from the card except to acknowledge INTx.
 */
#include <linux/interrupt.h>
#include <linux/msi.h>

#include "kmod/myri.h"

#define TEST_MS 200 /* for the first MSI to arrive behind the end of its command: it is under way then */

static void wake(struct myri_card *card)
{
	unsigned long flags;
	u32 id;

	wake_up(&card->answered);
	spin_lock_irqsave(&card->table_lock, flags);
	for (id = 0; id < FW_ENDPOINTS; id++)
		if (card->endpoint[id])
			myri_wake(card->endpoint[id]);
	spin_unlock_irqrestore(&card->table_lock, flags);
}

static irqreturn_t message(int irq, void *data)
{
	struct myri_card *card = data;

	atomic_inc(&card->interrupts);
	wake(card);
	return IRQ_HANDLED;
}

static irqreturn_t line(int irq, void *data)
{
	struct myri_card *card = data;

	if (!smp_load_acquire(&card->listening) || !board_interrupt_acknowledge(&card->board))
		return IRQ_NONE;
	atomic_inc(&card->interrupts);
	wake(card);
	return IRQ_HANDLED;
}

void myri_msi_refresh(struct myri_card *card, bool always)
{
	const int capability = card->pdev->msi_cap;
	u32 low = 0, high = 0;
	u16 control = 0, data = 0;
	u64 address;

	lockdep_assert_held(&card->lock);
	if (!card->msi)
		return;
	pci_read_config_word(card->pdev, capability + PCI_MSI_FLAGS, &control);
	pci_read_config_dword(card->pdev, capability + PCI_MSI_ADDRESS_LO, &low);
	if (control & PCI_MSI_FLAGS_64BIT) {
		pci_read_config_dword(card->pdev, capability + PCI_MSI_ADDRESS_HI, &high);
		pci_read_config_word(card->pdev, capability + PCI_MSI_DATA_64, &data);
	} else {
		pci_read_config_word(card->pdev, capability + PCI_MSI_DATA_32, &data);
	}
	address = (u64)high << 32 | low;
	if (!always && address == card->msi_address && data == card->msi_data)
		return;
	card->msi_address = address;
	card->msi_data = data;
	board_msi_set(&card->board, true, address, data);
	/* One that was raised during the change may have been lost. */
	wake(card);
}

static int request(struct myri_card *card, bool msi)
{
	int status;

	status = pci_alloc_irq_vectors(card->pdev, 1, 1, msi ? PCI_IRQ_MSI : PCI_IRQ_INTX);
	if (status < 0)
		return status;
	card->irq = pci_irq_vector(card->pdev, 0);
	/* The firmware holds a copy of the message: moving the interrupt about would only be noticed by the watchdog. */
	status = request_irq(card->irq, msi ? message : line, msi ? IRQF_NOBALANCING : IRQF_SHARED, dev_name(&card->dev),
			     card);
	if (status) {
		pci_free_irq_vectors(card->pdev);
		return status;
	}
	card->msi = msi;
	smp_store_release(&card->listening, true);
	return 0;
}

/* A command whose interrupt must come. */
static int test(struct myri_card *card)
{
	const u32 no_peers = 0;
	int status;

	status = myri_command(card, FW_COMMAND_PEERS, &no_peers, 1, NULL);
	if (!status && !wait_event_timeout(card->answered, atomic_read(&card->interrupts), msecs_to_jiffies(TEST_MS)))
		return -ENODATA;
	return status;
}

int myri_interrupt_start(struct myri_card *card)
{
	int status = -EOPNOTSUPP;

	if (myri_use_msi && card->pdev->msi_cap)
		status = request(card, true);
	if (!status) {
		myri_msi_refresh(card, true);
		status = test(card);
		if (!status)
			return 0;
		myri_interrupt_stop(card);
		if (status != -ENODATA)
			return status;
		dev_warn(&card->dev, "message signalled interrupts do not arrive: INTx is used\n");
		board_msi_set(&card->board, false, 0, 0);
	}
	status = request(card, false);
	if (status) {
		dev_err(&card->dev, "no interrupt: %d\n", status);
		return status;
	}
	status = test(card);
	if (status == -ENODATA)
		dev_err(&card->dev, "interrupts do not arrive\n");
	if (status)
		myri_interrupt_stop(card);
	return status;
}

void myri_interrupt_stop(struct myri_card *card)
{
	free_irq(card->irq, card);
	pci_free_irq_vectors(card->pdev);
	card->listening = false;
	card->msi = false;
}
