// SPDX-License-Identifier: GPL-2.0-only
/* /sys/class/myri/myriN: what a card is and does, to be read. */
#include <linux/sysfs.h>

#include "kmod/myri.h"

static struct myri_card *card_of(struct device *dev)
{
	return container_of(dev, struct myri_card, dev);
}

/* `line` may use `card`, whose lock is held. */
#define ATTRIBUTE(name, ...)                                                                          \
	static ssize_t name##_show(struct device *dev, struct device_attribute *attribute, char *buffer) \
	{                                                                                             \
		struct myri_card *card = card_of(dev);                                                \
		int length;                                                                           \
                                                                                                      \
		mutex_lock(&card->lock);                                                              \
		length = sysfs_emit(buffer, __VA_ARGS__);                                             \
		mutex_unlock(&card->lock);                                                            \
		return length;                                                                        \
	}                                                                                             \
	static DEVICE_ATTR_RO(name)

static u32 endpoints_open(const struct myri_card *card)
{
	u32 id, open = 0;

	for (id = 0; id < FW_ENDPOINTS; id++)
		open += card->endpoint[id] != NULL;
	return open;
}

static const char *link_state(struct myri_card *card)
{
	if (card->dead)
		return "unknown";
	return myri_link_up(card) ? "up" : "down";
}

ATTRIBUTE(mac, "%pM\n", (u8[6]){ card->board.eeprom.mac >> 40 & 0xff, card->board.eeprom.mac >> 32 & 0xff,
				 card->board.eeprom.mac >> 24 & 0xff, card->board.eeprom.mac >> 16 & 0xff,
				 card->board.eeprom.mac >> 8 & 0xff, card->board.eeprom.mac & 0xff });
ATTRIBUTE(serial, "%u\n", card->board.eeprom.serial);
ATTRIBUTE(product_code, "%s\n", card->board.eeprom.product_code);
ATTRIBUTE(part_number, "%s\n", card->board.eeprom.part_number);
ATTRIBUTE(firmware, "%s\n", card->board.firmware_version);
ATTRIBUTE(revision, "%u\n", card->revision);
ATTRIBUTE(sram_bytes, "%u\n", card->board.sram_size);
ATTRIBUTE(lanai_khz, "%u\n", card->core_khz);
ATTRIBUTE(pci_khz, "%u\n", card->pci_khz);
ATTRIBUTE(pci_bits, "%u\n", card->pci_bits);
ATTRIBUTE(interrupt, "%s\n", card->msi ? "msi" : "intx");
ATTRIBUTE(interrupts, "%u\n", (u32)atomic_read(&card->interrupts));
ATTRIBUTE(link, "%s\n", link_state(card));
ATTRIBUTE(state, "%s%s\n", card->dead ? "dead: " : "running", card->dead ? card->dead_reason : "");
ATTRIBUTE(restarts, "%u\n", card->restarts);
ATTRIBUTE(endpoints, "%u\n", FW_ENDPOINTS);
ATTRIBUTE(endpoints_open, "%u\n", endpoints_open(card));
ATTRIBUTE(peers, "%u\n", card->peers_known);
ATTRIBUTE(bounces, "%u\n", card->bounces);

static struct attribute *attributes[] = {
	&dev_attr_mac.attr,	    &dev_attr_serial.attr,     &dev_attr_product_code.attr,   &dev_attr_part_number.attr,
	&dev_attr_firmware.attr,    &dev_attr_revision.attr,   &dev_attr_sram_bytes.attr,     &dev_attr_lanai_khz.attr,
	&dev_attr_pci_khz.attr,	    &dev_attr_pci_bits.attr,   &dev_attr_interrupt.attr,      &dev_attr_interrupts.attr,
	&dev_attr_link.attr,	    &dev_attr_state.attr,      &dev_attr_restarts.attr,	      &dev_attr_endpoints.attr,
	&dev_attr_endpoints_open.attr, &dev_attr_peers.attr,   &dev_attr_bounces.attr,	      NULL,
};

static const struct attribute_group group = {
	.attrs = attributes,
};

/* One file for each of the firmware's counters. */
struct counter {
	struct device_attribute attribute;
	u32 index;
};

static ssize_t counter_show(struct device *dev, struct device_attribute *attribute, char *buffer)
{
	const u32 index = container_of(attribute, struct counter, attribute)->index;
	struct myri_card *card = card_of(dev);
	u32 value[FW_COUNTER_COUNT] = {};
	bool dead;

	mutex_lock(&card->lock);
	dead = card->dead;
	if (!dead)
		board_counters_read(&card->board, value, index + 1);
	mutex_unlock(&card->lock);
	return dead ? -ENODEV : sysfs_emit(buffer, "%u\n", value[index]);
}

#define COUNTER(name, label) \
	static struct counter counter_##name = { __ATTR(name, 0444, counter_show, NULL), FW_COUNTER_##name };
FW_COUNTERS(COUNTER)
#undef COUNTER

static struct attribute *counters[] = {
#define COUNTER(name, label) &counter_##name.attribute.attr,
	FW_COUNTERS(COUNTER)
#undef COUNTER
	NULL,
};

static const struct attribute_group counter_group = {
	.name = "counters",
	.attrs = counters,
};

const struct attribute_group *myri_attribute_groups[] = { &group, &counter_group, NULL };
