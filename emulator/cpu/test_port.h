/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The test port of lanai-run: what a program that runs alone, without a card, can reach among the special
 * registers. For C and C++, on both sides. On a card these offsets belong to no register.
 */
#ifndef MYRI_EMULATOR_CPU_TEST_PORT_H
#define MYRI_EMULATOR_CPU_TEST_PORT_H

#define LANAI_TEST_PRINT_OFFSET 0x3f0u /* store of a byte: prints it on stdout */
#define LANAI_TEST_EXIT_OFFSET  0x3f8u /* store of a word: ends the run with this exit status (0 to 255) */

#define LANAI_TEST_PRINT 0xfffffff0u /* the same as LANai addresses */
#define LANAI_TEST_EXIT  0xfffffff8u

#endif
