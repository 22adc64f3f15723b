/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_VALUE_NAMES_H
#define PTOP_LIVE_SESSION_VALUE_NAMES_H
/*
 * What numbers in payloads are called on this machine: block devices and interrupts, as sysfs shows
 * them.  Reads files: not for threads that must not block.
 */
struct payload_formats;

/* Those of the fields of @event; sysfs is below @root. */
void value_names_read(struct payload_formats *formats, const char *event, const char *root);

#endif
