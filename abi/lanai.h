/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The LANai X chip as its host and its firmware see it: PCI identity, BAR0, control word, special registers,
 * interrupt bits, descriptors. Names, offsets and widths come from public headers; where the meaning of a
 * register is our assumption, docs/hardware-assumptions.md lists it under the number given here as (A n).
 *
 * Everything on the card is big-endian. Special registers are at LANAI_SPECIAL + offset for the firmware and
 * at LANAI_BAR0_SPECIAL + offset for the host.
 */
#ifndef MYRI_ABI_LANAI_H
#define MYRI_ABI_LANAI_H

#include "abi/types.h"

/* PCI identity. The revision tells the card: 4 = PCIXD, 5 = PCIXE (two ports), 6 = PCIXF. */
#define LANAI_PCI_VENDOR     0x14c1u
#define LANAI_PCI_DEVICE     0x8043u
#define LANAI_PCI_REVISION_D 4u
#define LANAI_PCI_REVISION_E 5u
#define LANAI_PCI_REVISION_F 6u

/* BAR0: a 16 MiB window. */
#define LANAI_BAR0_SIZE         0x1000000u
#define LANAI_BAR0_SRAM         0x000000u
#define LANAI_BAR0_CONTROL      0x800000u /* image of PCI configuration space; the control word is at +0x40 */
#define LANAI_BAR0_CONTROL_WORD (LANAI_BAR0_CONTROL + 0x40u)
#define LANAI_BAR0_SPECIAL      0xfffc00u

#define LANAI_EEPROM_SIZE 256u /* strings in the last bytes of SRAM after an I/O reset */

/* Control word: write only, one-hot set/clear pairs. */
#define LANAI_CONTROL_CPU_RESET_ON          (1u << 31)
#define LANAI_CONTROL_CPU_RESET_OFF         (1u << 30)
#define LANAI_CONTROL_IO_RESET_ON           (1u << 29)
#define LANAI_CONTROL_IO_RESET_OFF          (1u << 28)
#define LANAI_CONTROL_PCI_INTERRUPT_ENABLE  (1u << 27)
#define LANAI_CONTROL_PCI_INTERRUPT_DISABLE (1u << 26)

#define LANAI_RESET_SETTLE_MS 20u /* after each step of the reset sequence */

#define LANAI_SPECIAL      0xfffffc00u /* LANai address of the special registers */
#define LANAI_SPECIAL_SIZE 0x400u

/*
 * The register map: X(name, offset, bits, mode, text). Mode: R readable, W writable, RW both.
 * An 8- or 16-bit register stands in a fixed byte lane, which the offset already includes.
 * Port 1's registers (E card) are those of port 0 plus LANAI_PORT_STRIDE.
 */
#define LANAI_PORT_STRIDE 0x80u
#define LANAI_REGISTERS(X)                                                                                         \
    X(P0_RPL_CONFIG, 0x000, 32, RW, "receive list configuration")                                                  \
    X(P0_RB, 0x008, 32, RW, "write: post a receive buffer; read: bit 31 complete, pointer")                        \
    X(P0_RPL_INDEX, 0x010, 16, R, "index of the next receive descriptor to be written")                            \
    X(P0_RECV_COUNT, 0x012, 16, R, "bytes received of the packet in progress")                                     \
    X(P0_BUFFER_DROP, 0x032, 16, R, "packets dropped for lack of a buffer")                                        \
    X(P0_MEMORY_DROP, 0x040, 16, R, "packets dropped because SRAM could not keep up")                              \
    X(P0_SEND, 0x048, 32, W, "push a send descriptor: pointer word, then length and flags word")                   \
    X(P0_SEND_FREE_COUNT, 0x04b, 8, R, "free places in the send queue")                                            \
    X(P0_SEND_FREE_LIMIT, 0x053, 8, RW, "SEND_READY while at least this many places are free")                     \
    X(P0_SEND_COUNT, 0x05b, 8, RW, "packets sent, modulo 256")                                                     \
    X(P0_PAUSE_COUNT, 0x063, 8, RW, "pause timer")                                                                 \
    X(P0_SEND_CONTROL, 0x06b, 8, RW, "0 on, 1 pause, 2 off, 3 flush")                                              \
    X(PORT_ADDR, 0x070, 16, RW, "port register number; bit 15 reads")                                              \
    X(PORT_DATA, 0x078, 16, RW, "port register data")                                                              \
    X(COPY, 0x0f0, 32, W, "copy engine: from, size, to in three stores")                                           \
    X(COPY_ABORT, 0x0fa, 8, W, "abort the copy")                                                                   \
    X(CRC32_CONFIG, 0x102, 8, RW, "CRC engine configuration")                                                      \
    X(CRC32, 0x108, 32, RW, "CRC engine accumulator")                                                              \
    X(CRC32_BYTE, 0x112, 8, W, "feed one byte")                                                                    \
    X(CRC32_HALF, 0x118, 16, W, "feed two bytes")                                                                  \
    X(CRC32_WORD, 0x120, 32, W, "feed four bytes")                                                                 \
    X(CPUC, 0x128, 32, RW, "core clock counter")                                                                   \
    X(RTC, 0x130, 32, RW, "real-time clock, 0.5 us a tick, counts up")                                             \
    X(IT0, 0x138, 32, RW, "interval timer, 0.5 us a tick, counts down; below 0 sets TIME0_INT")                    \
    X(IT1, 0x140, 32, RW, "interval timer 1")                                                                      \
    X(IT2, 0x148, 32, RW, "interval timer 2")                                                                      \
    X(LED, 0x150, 8, RW, "LED")                                                                                    \
    X(MDI, 0x158, 8, RW, "PHY management")                                                                         \
    X(SYNC, 0x160, 32, RW, "clock-domain synchroniser tuning")                                                     \
    X(PLL, 0x168, 32, RW, "serial transmitter and receiver PLLs")                                                  \
    X(DISPATCH_STATE, 0x170, 32, RW, "dispatch: software state")                                                   \
    X(DISPATCH_ISR_ON, 0x178, 32, W, "dispatch: ISR bits that select")                                             \
    X(DISPATCH_ISR_OFF, 0x180, 32, W, "dispatch: ISR bits that deselect")                                          \
    X(DISPATCH_STATE_ON, 0x188, 32, W, "dispatch: state bits that select")                                         \
    X(DISPATCH_STATE_OFF, 0x190, 32, W, "dispatch: state bits that deselect")                                      \
    X(DISPATCH_CONFIG, 0x198, 32, W, "dispatch: composition")                                                      \
    X(ARBITER_SLOT, 0x1a0, 8, RW, "SRAM arbiter slot number")                                                      \
    X(ARBITER_CODE, 0x1a8, 8, RW, "SRAM arbiter slot owner")                                                       \
    X(MP_LOWER, 0x1b0, 32, RW, "memory protection lower bound")                                                    \
    X(MP_UPPER, 0x1b8, 32, RW, "memory protection upper bound")                                                    \
    X(JTAG_MASTER, 0x1c0, 32, RW, "JTAG master")                                                                   \
    X(AISR_OFF, 0x1e0, 32, RW, "AISR bits that do not fold into P0_EVENT")                                         \
    X(AISR_ON, 0x1e8, 32, RW, "AISR bits that fold into P0_EVENT")                                                 \
    X(AISR, 0x1f0, 32, RW, "auxiliary interrupt status")                                                           \
    X(ISR, 0x1f8, 32, RW, "interrupt status; writing one clears a latched bit")                                    \
    X(DMA_CONFIG, 0x280, 32, RW, "bit 31 enable; 27:10 SRAM size")                                                 \
    X(PCI_CLOCK, 0x28a, 16, RW, "PCI clock measure, units of 100 kHz (A13)")                                       \
    X(DMA0_COUNT, 0x290, 8, RW, "write: hand n descriptors to channel 0; read: descriptors not done")              \
    X(DMA1_COUNT, 0x299, 8, RW, "channel 1")                                                                       \
    X(DMA2_COUNT, 0x2a2, 8, RW, "channel 2")                                                                       \
    X(DMA3_COUNT, 0x2ab, 8, RW, "channel 3")                                                                       \
    X(DMA0_POINTER, 0x2b0, 32, RW, "current descriptor of channel 0")                                              \
    X(DMA1_POINTER, 0x2b8, 32, RW, "channel 1")                                                                    \
    X(DMA2_POINTER, 0x2c0, 32, RW, "channel 2")                                                                    \
    X(DMA3_POINTER, 0x2c8, 32, RW, "channel 3")

enum lanai_register {
#define LANAI_REGISTER_OFFSET(name, offset, bits, mode, text) LANAI_##name = (offset),
    LANAI_REGISTERS(LANAI_REGISTER_OFFSET)
#undef LANAI_REGISTER_OFFSET
};

/* Interrupt status. L = latched until written with one; V = follows a condition (A2). */
#define LANAI_ISR_REQ_ACK_1      (1u << 29) /* L; a store by the LANai sets it, a store by the host clears it */
#define LANAI_ISR_REQ_ACK_0      (1u << 28) /* L; likewise; drives the PCI interrupt line */
#define LANAI_ISR_DMA_DONE(n)    (1u << (24 + (n))) /* L; a descriptor with END has finished on channel n */
#define LANAI_ISR_DMA_ERROR      (1u << 23)         /* L */
#define LANAI_ISR_WAKE           (1u << 22)         /* L */
#define LANAI_ISR_MEMORY         (1u << 21)         /* L */
#define LANAI_ISR_PARITY         (1u << 20)         /* L */
#define LANAI_ISR_TIME(n)        (1u << (17 + (n))) /* L; interval timer n went below 0 */
#define LANAI_ISR_COPY_BUSY      (1u << 16)         /* V */
#define LANAI_ISR_P1_EVENT       (1u << 15)         /* V */
#define LANAI_ISR_P0_EVENT       (1u << 7)          /* V; an AISR bit enabled in AISR_ON is set */
#define LANAI_ISR_P0_A_RECEIVED  (1u << 6)          /* L */
#define LANAI_ISR_P0_NO_BACKUP   (1u << 5)          /* V; at most one receive buffer is posted */
#define LANAI_ISR_P0_RECEIVED    (1u << 4)          /* L; a receive descriptor has been written */
#define LANAI_ISR_P0_HEAD        (1u << 3)          /* V; HEADER_LENGTH bytes of a packet have arrived */
#define LANAI_ISR_P0_SENT        (1u << 2)          /* L; a packet's last byte has left */
#define LANAI_ISR_P0_SEND_READY  (1u << 1)          /* V; SEND_FREE_COUNT >= SEND_FREE_LIMIT */
#define LANAI_ISR_P0_LINK_READY  (1u << 0)          /* V */
/* What a store of one can clear, from either side. */
#define LANAI_ISR_LATCHED                                                                                          \
    (LANAI_ISR_REQ_ACK_1 | LANAI_ISR_REQ_ACK_0 | (0xfu << 24) | LANAI_ISR_DMA_ERROR | LANAI_ISR_WAKE |             \
     LANAI_ISR_MEMORY | LANAI_ISR_PARITY | (7u << 17) | LANAI_ISR_P0_A_RECEIVED | LANAI_ISR_P0_RECEIVED |          \
     LANAI_ISR_P0_SENT | (1u << 14) | (1u << 12) | (1u << 10))

#define LANAI_AISR_MYRI_STOP    (1u << 8) /* the peer is stopping us */
#define LANAI_AISR_MYRI_ILGL    (1u << 7)
#define LANAI_AISR_MYRI_BEAT    (1u << 6)
#define LANAI_AISR_MYRI_NO_BEAT (1u << 5)
#define LANAI_AISR_NO_BACKUP    (1u << 3)
#define LANAI_AISR_NO_BUFFER    (1u << 2)
#define LANAI_AISR_SEND_STOPPED (1u << 1)

/* RPL_CONFIG */
#define LANAI_RPL_ENABLE               (1u << 31)
#define LANAI_RPL_BUFFER_DROP          (1u << 27)
#define LANAI_RPL_HEADER_LENGTH(bytes) (((bytes)&0xffu) << 16)
#define LANAI_RPL_STOP_SIZE(code)      (((code)&0xfu) << 12) /* 512 B << code */
#define LANAI_RPL_MAX_PACKET(code)     (((code)&0xfu) << 8)  /* 512 B << code */
#define LANAI_RPL_BLOCK_SIZE(code)     (((code)&0xfu) << 4)  /* 8 B << code */
#define LANAI_RPL_BUFFER_SIZE(code)    ((code)&0xfu)         /* 512 B << code */

/*
 * A receive buffer is N blocks, followed in SRAM by N of these, one for each packet in order of arrival.
 * Each packet starts on a block boundary. The port writes word 1 last (A5); a descriptor whose word 1 is 0 has
 * not been written, so software clears it before it posts the buffer. LAST tells that no further packet goes
 * into this buffer: less than MAX_PACKET is left in it.
 */
struct lanai_receive_descriptor {
    be32 pointer;
    be32 flags_length;
};
MYRI_ASSERT_SIZE(struct lanai_receive_descriptor, 8);
#define LANAI_RPD_INVALID     (1u << 31) /* failed a check that RECV_CONFIG selects */
#define LANAI_RPD_LINK        (1u << 30)
#define LANAI_RPD_MARKED_BAD  (1u << 29)
#define LANAI_RPD_LAST        (1u << 28)
#define LANAI_RPD_ZEROES      (7u << 25)
#define LANAI_RPD_LENGTH      0x1ffffffu /* bytes from type to CRC-32 and CRC-8 included */

/* Send descriptor, second word. */
#define LANAI_SEND_CUT_THROUGH (1u << 31)
#define LANAI_SEND_ROUTE       (1u << 30) /* these bytes are the source route: outside the CRC-32 */
#define LANAI_SEND_INVALIDATE  (1u << 29) /* send as a bad packet */
#define LANAI_SEND_LAST        (1u << 28) /* the packet ends here */
#define LANAI_SEND_LENGTH      0x1ffffffu
#define LANAI_SEND_CONTROL_FLUSH 3u
#define LANAI_SEND_QUEUE       16u /* descriptors that fit in the queue (A1) */
#define LANAI_RECEIVE_QUEUE    2u  /* posted receive buffers: current and backup (A1) */

/* DMA descriptor: 24 bytes, 8-byte aligned. */
struct lanai_dma_descriptor {
    be32 length;       /* flags and byte count */
    be32 host_low;     /* PCI address */
    be32 lanai;        /* SRAM address */
    be32 host_high;
    be32 next;         /* flags and next descriptor */
    be16 csum_offset;
    be16 csum;
};
MYRI_ASSERT_SIZE(struct lanai_dma_descriptor, 24);
#define LANAI_DMA_READ        (1u << 31) /* host to card */
#define LANAI_DMA_END         (1u << 30) /* completion sets ISR.DMAn_DONE */
#define LANAI_DMA_FLUSH       (1u << 29)
#define LANAI_DMA_NO_SNOOP    (1u << 28)
#define LANAI_DMA_NO_CACHE    (1u << 27)
#define LANAI_DMA_LENGTH      0xffffffu
#define LANAI_DMA_NEXT_APPEND (1u << 29)
#define LANAI_DMA_NEXT_VALID  (1u << 28)
#define LANAI_DMA_NEXT        0x0fffffffu
#define LANAI_DMA_CHANNELS    4u
#define LANAI_DMA_ENABLE      (1u << 31) /* DMA_CONFIG */

/* Port registers, reached through PORT_ADDR and PORT_DATA. */
#define LANAI_PORT_READ              0x8000u
#define LANAI_PORT_RECV_CONFIG       0x09u
#define LANAI_PORT_SHORT_DROP        0x0au
#define LANAI_PORT_MODE              0x10u
#define LANAI_PORT_STATE             0x11u
#define LANAI_PORT_8B10B_ERROR       0x12u
#define LANAI_PORT_TEST              0x20u
#define LANAI_PORT_MYRI_SEND         0x22u
#define LANAI_PORT_SEND_CONFIG       0x23u
#define LANAI_PORT_MODE_MYRINET      1u
#define LANAI_PORT_AUTO_BEAT         4u
#define LANAI_CONFIG_INVALIDATE_CRC8  0x100u
#define LANAI_CONFIG_INVALIDATE_CRC32 0x40u
#define LANAI_CONFIG_ENABLE_CRC8      0x20u
#define LANAI_CONFIG_ENABLE_CRC32     0x08u

#define LANAI_TIMER_TICK_NS 500u /* RTC and the interval timers */
#define LANAI_CRC32_POLYNOMIAL 0x04c11db7u /* most significant bit first, no inversion */
#define LANAI_CRC8_POLYNOMIAL  0x07u       /* x^8 + x^2 + x + 1 */

/* Source route: one byte a hop, 0x80 + signed 6-bit port difference (output port = input port + delta). */
#define LANAI_ROUTE_BIT        0x80u
#define LANAI_ROUTE_DELTA(d)   (LANAI_ROUTE_BIT | ((unsigned)(d)&0x3fu))
#define LANAI_ROUTE_MAX        24u

#endif /* MYRI_ABI_LANAI_H */
