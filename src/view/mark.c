/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/mark.h"

const char *const mark_names[MARK_KINDS] = {
	[MARK_OWN] = "own", [MARK_EVENT] = "event", [MARK_RATE] = "rate", [MARK_TARGET] = "target",
	[MARK_EXEC] = "exec", [MARK_END] = "end", [MARK_CPU] = "cpu", [MARK_LOST] = "lost",
	[MARK_CLOCK] = "clock",
};
