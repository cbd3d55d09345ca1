// SPDX-License-Identifier: GPL-2.0-only
/* A card comes and goes. */
#include <linux/debugfs.h>
#include <linux/idr.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pm.h>
#include <linux/slab.h>

#include "kmod/myri.h"

/*
 * PCI-X read byte count: as small as 512 or 1024 costs up to half of the DMA rate, 4096 was unreliable on some
 * chipsets, and 2048 costs nothing in one direction.
 */
#define READ_SIZE_LEAST 2048

static DEFINE_IDA(numbers);

static const struct {
	resource_size_t offset, size;
	bool combine;
} stretches[MYRI_STRETCHES] = {
	[MYRI_SRAM_LOW] = { 0, FW_SRAM_ENDPOINT_WINDOWS, false },
	[MYRI_SRAM_WINDOWS] = { FW_SRAM_ENDPOINT_WINDOWS, FW_SRAM_BUFFERS - FW_SRAM_ENDPOINT_WINDOWS, true },
	[MYRI_SRAM_HIGH] = { FW_SRAM_BUFFERS, LANAI_BAR0_CONTROL - FW_SRAM_BUFFERS, false },
	[MYRI_CONTROL] = { LANAI_BAR0_CONTROL, 0x1000, false },
	[MYRI_SPECIAL] = { LANAI_BAR0_SPECIAL, LANAI_SPECIAL_SIZE, false },
};

static void unmap(struct myri_card *card)
{
	int n;

	for (n = 0; n < MYRI_STRETCHES; n++) {
		if (card->stretch[n])
			iounmap(card->stretch[n]);
		card->stretch[n] = NULL;
	}
}

static int map(struct myri_card *card)
{
	const resource_size_t start = pci_resource_start(card->pdev, 0);
	int n;

	if (pci_resource_len(card->pdev, 0) < LANAI_BAR0_SIZE) {
		dev_err(&card->pdev->dev, "BAR0 has %llu bytes: 0x%x are needed\n",
			(unsigned long long)pci_resource_len(card->pdev, 0), LANAI_BAR0_SIZE);
		return -ENODEV;
	}
	for (n = 0; n < MYRI_STRETCHES; n++) {
		if (stretches[n].combine)
			card->stretch[n] = ioremap_wc(start + stretches[n].offset, stretches[n].size);
		else
			card->stretch[n] = ioremap(start + stretches[n].offset, stretches[n].size);
		if (!card->stretch[n]) {
			dev_err(&card->pdev->dev, "BAR0 cannot be mapped\n");
			unmap(card);
			return -ENOMEM;
		}
	}
	return 0;
}

/* The revision tells the card, and so its clock. */
static int identify(struct myri_card *card)
{
	switch (card->revision) {
	case LANAI_PCI_REVISION_D:
		card->core_khz = 225000;
		return 0;
	case LANAI_PCI_REVISION_E:
	case LANAI_PCI_REVISION_F:
		card->core_khz = 333000;
		return 0;
	default:
		dev_err(&card->pdev->dev, "PCI revision %u is not a LANai X card: those have 4, 5 or 6\n",
			card->revision);
		return -ENODEV;
	}
}

static void read_size_set(struct myri_card *card)
{
	int size;

	if (!pci_find_capability(card->pdev, PCI_CAP_ID_PCIX))
		return;
	size = pcix_get_mmrbc(card->pdev);
	if (size < 0 || size >= READ_SIZE_LEAST)
		return;
	if (pcix_set_mmrbc(card->pdev, READ_SIZE_LEAST)) {
		dev_warn(&card->dev, "PCI-X reads of %d bytes cost up to half of the DMA rate, and cannot be made longer\n",
			 size);
		return;
	}
	card->original_read_size = size;
	dev_info(&card->dev, "PCI-X reads made %d bytes long instead of %d\n", READ_SIZE_LEAST, size);
}

static void read_size_restore(struct myri_card *card)
{
	if (card->original_read_size && pci_device_is_present(card->pdev))
		pcix_set_mmrbc(card->pdev, card->original_read_size);
}

static void bus_measure(struct myri_card *card)
{
	const int capability = pci_find_capability(card->pdev, PCI_CAP_ID_PCIX);
	u32 status = 0;

	if (capability)
		pci_read_config_dword(card->pdev, capability + PCI_X_STATUS, &status);
	card->pci_bits = status & PCI_X_STATUS_64BIT ? 64 : 32;
	card->pci_khz = myri_register_read(card, LANAI_PCI_CLOCK, 16) * 100;
}

/* Would streaming mappings be copied? Then processes cannot have their own memory used. */
static int bounces_find(struct myri_card *card)
{
	struct device *device = &card->pdev->dev;
	dma_addr_t bus;

	bus = dma_map_page(device, card->blank, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(device, bus)) {
		dev_err(device, "a page cannot be mapped for DMA\n");
		return -EIO;
	}
	card->bounces = dma_need_sync(device, bus);
	dma_unmap_page(device, bus, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (card->bounces)
		dev_info(device, "memory is copied for DMA on this system: endpoints get bounce areas of %u KiB\n",
			 myri_bounce_kib);
	return 0;
}

/* No file is open any more either. */
static void release(struct device *dev)
{
	struct myri_card *card = container_of(dev, struct myri_card, dev);

	if (card->blank)
		__free_page(card->blank);
	kvfree(card->peer);
	kfree(card);
}

static struct myri_card *new_card(struct pci_dev *pdev)
{
	struct myri_card *card = kzalloc(sizeof(*card), GFP_KERNEL);
	int number;

	if (!card)
		return ERR_PTR(-ENOMEM);
	number = ida_alloc_max(&numbers, MYRI_BOARDS_MAX - 1, GFP_KERNEL);
	if (number < 0) {
		if (number == -ENOSPC)
			dev_err(&pdev->dev, "%u cards are supported\n", MYRI_BOARDS_MAX);
		kfree(card);
		return ERR_PTR(number);
	}
	card->number = number;
	card->pdev = pdev;
	card->revision = pdev->revision;
	mutex_init(&card->lock);
	spin_lock_init(&card->table_lock);
	init_waitqueue_head(&card->answered);
	INIT_DELAYED_WORK(&card->watchdog, myri_watchdog);
	device_initialize(&card->dev);
	card->dev.class = &myri_class;
	card->dev.parent = &pdev->dev;
	card->dev.devt = MKDEV(MAJOR(myri_devices), (unsigned int)number);
	card->dev.release = release;
	cdev_init(&card->cdev, &myri_file_operations);
	card->cdev.owner = THIS_MODULE;
	if (dev_set_name(&card->dev, MYRI_NAME "%d", number)) {
		ida_free(&numbers, (unsigned int)number);
		put_device(&card->dev);
		return ERR_PTR(-ENOMEM);
	}
	return card;
}

static int start(struct myri_card *card)
{
	int status;

	mutex_lock(&card->lock);
	status = myri_boot(card);
	if (!status) {
		read_size_set(card);
		bus_measure(card);
		status = myri_interrupt_start(card);
		if (status && !card->dead)
			board_park(&card->board);
	}
	mutex_unlock(&card->lock);
	return status;
}

static void stop(struct myri_card *card, const char *why)
{
	cancel_delayed_work_sync(&card->watchdog);
	mutex_lock(&card->lock);
	myri_die(card, ENODEV, why);
	mutex_unlock(&card->lock);
}

/* Those that live, and those that are being opened and will find the card dead. */
static void end_endpoints(struct myri_card *card)
{
	struct myri_endpoint *endpoint;
	u32 id;

	for (id = 0; id < FW_ENDPOINTS; id++) {
		mutex_lock(&card->lock);
		endpoint = card->endpoint[id];
		if (endpoint)
			kref_get(&endpoint->kref);
		mutex_unlock(&card->lock);
		if (!endpoint)
			continue;
		myri_endpoint_end(endpoint);
		myri_endpoint_put(endpoint);
	}
}

static int probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct myri_card *card;
	int status;

	card = new_card(pdev);
	if (IS_ERR(card))
		return PTR_ERR(card);
	pci_set_drvdata(pdev, card);
	status = identify(card);
	if (status)
		goto put_card;
	status = pci_enable_device_mem(pdev);
	if (status)
		goto put_card;
	status = pci_request_regions(pdev, MYRI_NAME);
	if (status)
		goto disable_device;
	status = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (status) {
		dev_err(&pdev->dev, "64-bit DMA is not possible here\n");
		goto release_regions;
	}
	status = map(card);
	if (status)
		goto release_regions;
	status = -ENOMEM;
	card->blank = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!card->blank)
		goto unmap_card;
	status = bounces_find(card);
	if (status)
		goto unmap_card;
	status = request_firmware(&card->image, MYRI_IMAGE, &pdev->dev);
	if (status) {
		dev_err(&pdev->dev, "no firmware image " MYRI_IMAGE ": %d\n", status);
		goto unmap_card;
	}
	status = start(card);
	if (status)
		goto release_image;
	status = cdev_device_add(&card->cdev, &card->dev);
	if (status)
		goto stop_card;
	myri_debugfs_add(card);
	queue_delayed_work(myri_work, &card->watchdog, msecs_to_jiffies(5 * FW_HEARTBEAT_MS));
	dev_info(&card->dev, "%s, MAC %012llx, firmware %s, %s\n", card->board.eeprom.product_code,
		 (unsigned long long)card->board.eeprom.mac, card->board.firmware_version, card->msi ? "MSI" : "INTx");
	return 0;

stop_card:
	stop(card, "not to be used");
	myri_interrupt_stop(card);
	read_size_restore(card);
release_image:
	release_firmware(card->image);
unmap_card:
	unmap(card);
release_regions:
	pci_release_regions(pdev);
disable_device:
	pci_disable_device(pdev);
put_card:
	ida_free(&numbers, (unsigned int)card->number);
	put_device(&card->dev);
	return status;
}

static void remove(struct pci_dev *pdev)
{
	struct myri_card *card = pci_get_drvdata(pdev);

	dev_info(&card->dev, "removed\n");
	stop(card, "removed");
	cdev_device_del(&card->cdev, &card->dev);
	debugfs_remove(card->debugfs);
	end_endpoints(card);
	myri_interrupt_stop(card);
	read_size_restore(card);
	release_firmware(card->image);
	unmap(card);
	pci_release_regions(pdev);
	pci_disable_device(pdev);
	ida_free(&numbers, (unsigned int)card->number);
	put_device(&card->dev);
}

/* The next kernel must not find a card that writes into memory. */
static void shutdown(struct pci_dev *pdev)
{
	stop(pci_get_drvdata(pdev), "the system shuts down");
}

static int suspend(struct device *device)
{
	struct myri_card *card = dev_get_drvdata(device);

	/* Endpoints would have to outlive the loss of SRAM, registered memory and the peers' patience. */
	dev_err(&card->dev, "suspending is not supported: remove the module first\n");
	return -EBUSY;
}

static int resume(struct device *device)
{
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(power, suspend, resume);

static pci_ers_result_t error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct myri_card *card = pci_get_drvdata(pdev);

	dev_err(&card->dev, "dead: the bus reports an error\n");
	mutex_lock(&card->lock);
	myri_die(card, EIO, "the bus reports an error");
	mutex_unlock(&card->lock);
	return PCI_ERS_RESULT_DISCONNECT;
}

static const struct pci_error_handlers error_handlers = {
	.error_detected = error_detected,
};

static const struct pci_device_id ids[] = {
	{ PCI_DEVICE(LANAI_PCI_VENDOR, LANAI_PCI_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, ids);

struct pci_driver myri_pci_driver = {
	.name = MYRI_NAME,
	.id_table = ids,
	.probe = probe,
	.remove = remove,
	.shutdown = shutdown,
	.err_handler = &error_handlers,
	.driver.pm = pm_sleep_ptr(&power),
};
