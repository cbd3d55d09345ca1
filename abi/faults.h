/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Injected faults: one table of names for command-line options, topology files and debugfs.
 *
 * X(ID, name, scope, where, text)
 *   scope: what a fault is decided for and applied to
 *     LINK  each packet, once, on the sending card's link; at most one of the LINK faults hits a packet
 *     SRAM  each packet, in a packet buffer of a card
 *     PCI   each packet, in message data that crosses the bus
 *     CARD, HOST, CABLE  the thing itself, at a time and not with a probability
 *   where: the places that offer it; 0: the name is reserved, nothing offers it yet
 *
 * SRAM and PCI faults invert an even number of bits, so that parity does not see them, and never
 * touch program text, globals, descriptors or event slots.
 */
#ifndef MYRI_ABI_FAULTS_H
#define MYRI_ABI_FAULTS_H

#define MYRI_FAULT_IN_EMULATOR 1u /* options and topology files of the emulated fabric; CARD, CABLE: MYRI_INJECT */
#define MYRI_FAULT_IN_DEBUGFS  2u /* the kernel module's debugfs */

#define MYRI_FAULTS(X)                                                                                       \
    X(DROP, "drop", LINK, MYRI_FAULT_IN_EMULATOR, "the packet vanishes")                                     \
    X(DUPLICATE, "duplicate", LINK, MYRI_FAULT_IN_EMULATOR, "the packet is sent twice, back to back")        \
    X(REORDER, "reorder", LINK, MYRI_FAULT_IN_EMULATOR, "the packet goes out behind the next one")           \
    X(CORRUPT, "corrupt", LINK, MYRI_FAULT_IN_EMULATOR,                                                      \
      "one bit of route, type, payload or CRC is inverted")                                                  \
    X(CORRUPT_SRAM, "corrupt-sram", SRAM, MYRI_FAULT_IN_EMULATOR, "bits of a packet buffer are inverted")    \
    X(CORRUPT_PCI, "corrupt-pci", PCI, MYRI_FAULT_IN_EMULATOR, "bits of DMAed message data are inverted")    \
    X(LINK_DOWN, "link-down", CABLE, MYRI_FAULT_IN_EMULATOR, "the cable carries nothing")                    \
    X(PARITY, "parity", CARD, MYRI_FAULT_IN_EMULATOR, "an SRAM parity error")                                \
    X(STALL, "stall", CARD, MYRI_FAULT_IN_EMULATOR | MYRI_FAULT_IN_DEBUGFS, "the firmware stops running")    \
    X(HOST_KILL, "host-kill", HOST, 0u, "every process of the host is killed")

enum myri_fault_scope {
    MYRI_FAULT_SCOPE_LINK,
    MYRI_FAULT_SCOPE_SRAM,
    MYRI_FAULT_SCOPE_PCI,
    MYRI_FAULT_SCOPE_CABLE,
    MYRI_FAULT_SCOPE_CARD,
    MYRI_FAULT_SCOPE_HOST
};

enum myri_fault {
#define MYRI_FAULT_ENUM(id, name, scope, where, text) MYRI_FAULT_##id,
    MYRI_FAULTS(MYRI_FAULT_ENUM)
#undef MYRI_FAULT_ENUM
        MYRI_FAULT_KINDS /* number of kinds */
};

#endif /* MYRI_ABI_FAULTS_H */
