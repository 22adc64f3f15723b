/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a perf.data file or pipe: opened, read to the end, each record decoded and printed. */
#include "fuzz.h"
#include "recording.h"

int
FUZZ_TARGET(datafile)(const uint8_t *data, size_t size)
{
	recording_read(data, size);
	return 0;
}
