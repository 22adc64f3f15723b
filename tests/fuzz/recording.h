/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_FUZZ_RECORDING_H
#define PTOP_TESTS_FUZZ_RECORDING_H
#include <stddef.h>
#include <stdint.h>

/* Reads the bytes as a recording: all records decoded and printed to memory. */
void recording_read(const uint8_t *data, size_t size);

#endif
