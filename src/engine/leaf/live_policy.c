/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is sampled runs here: all that is here may be believed of it. */
#include "engine/leaf/file_policy.h"

#include "symbol/kernel/kernel_state.h"

static void
identify(const struct file_policy *p, struct symbol_ask *ask)
{
	(void)p;
	(void)ask; /* the map says it */
}

static uint64_t
kernel_text(const struct file_policy *p)
{
	(void)p;
	return running_kernel_text();
}

static size_t
kernel_build_id(const struct file_policy *p, uint8_t id[BUILD_ID_MAX])
{
	(void)p;
	return running_kernel_build_id(id);
}

const struct file_policy live_policy = {
	.has_processes = true,
	.is_host_known = true,
	.is_this_host = true,
	.is_this_build = true,
	.is_this_kernel = true,
	.has_jit_times = true,
	.identify = identify,
	.kernel_text = kernel_text,
	.kernel_build_id = kernel_build_id,
};
