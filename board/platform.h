/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The only difference between board/ in a kernel and board/ in a process: where memcpy, snprintf, bool and
 * the errno values come from. Nothing else in board/ may ask for __KERNEL__.
 */
#ifndef MYRI_BOARD_PLATFORM_H
#define MYRI_BOARD_PLATFORM_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/stdarg.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#endif

#endif /* MYRI_BOARD_PLATFORM_H */
