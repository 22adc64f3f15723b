/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/paranoid.h"

#include "tests/setting.h"

static struct setting paranoid;

bool
paranoid_take(void)
{
	return setting_take(&paranoid, "/proc/sys/kernel/perf_event_paranoid");
}

void
paranoid_set(int level)
{
	setting_set(&paranoid, level);
}

void
paranoid_give_back(void)
{
	setting_give_back(&paranoid);
}
