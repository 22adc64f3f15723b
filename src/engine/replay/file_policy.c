/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of this machine may be believed of a recording. */
#include "engine/replay/replay_impl.h"

#include <linux/perf_event.h>
#include <string.h>
#include <time.h>

#include "symbol/image/image.h"
#include "symbol/image/image_build.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/kernel/kernel_state.h"

static const char kernel_name[] = "[kernel.kallsyms]"; /* as perf calls it */

static void
identify(const struct file_policy *p, struct symbol_ask *ask)
{
	struct replay *rp = (struct replay *)p;

	same_machine_file(rp->file, rp->config, p->is_this_host, ask, &rp->symfs_path);
}

static struct image *
recorded_image(const struct file_policy *p, const char *path)
{
	const struct replay *rp = (const struct replay *)p;
	const struct datafile_symbol *symbols;
	size_t count = datafile_symbols(rp->file, path != NULL ? path : kernel_name, &symbols);
	struct image_build *b = count > 0 ? image_build_new(NULL) : NULL;
	int fd;

	if (b == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++)
		image_build_add(b, &(struct image_symbol){
					   .addr = symbols[i].at, .size = symbols[i].len,
					   .name = symbols[i].name,
					   .name_len = strlen(symbols[i].name),
					   .binding = IMAGE_GLOBAL });
	fd = image_build_finish(b, NULL);
	image_build_free(b);
	return fd >= 0 ? image_open(fd, NULL) : NULL;
}

static uint64_t
recorded_kernel_text(const struct file_policy *p)
{
	return ((const struct replay *)p)->kernel_text;
}

static size_t
recorded_kernel_build_id(const struct file_policy *p, uint8_t id[BUILD_ID_MAX])
{
	return datafile_build_id(((const struct replay *)p)->file, kernel_name, id);
}

void
policy_begin(struct replay *rp)
{
	const uint64_t written_ns = same_machine_written_ns(rp->config->input);

	rp->policy = (struct file_policy){
		.written_ns = written_ns != 0 ? written_ns : clock_real_ns(), /* of a pipe now */
		.no_events = "a recording has only its own events: [ and ] step through "
			     "them",
		.no_targets = "the processes of a recording cannot be changed",
		.no_counters = "a recording has samples, no counters",
		.no_recording = "this is a recording already: copy its file",
		.identify = identify,
		.image = recorded_image,
		.kernel_text = recorded_kernel_text,
		.kernel_build_id = recorded_kernel_build_id,
	};
}

/*
 * Where perf was not told where the kernel is, it calls what its samples are of "[unknown]", and so does
 * ptop in perf's recordings: numbers are perf's.
 */
static void
name_kernel(const struct replay *rp)
{
	const struct model *m = rp->env->model;
	const char *by = datafile_info(rp->file)->version;
	const bool is_named = rp->config->kallsyms != NULL || rp->config->vmlinux != NULL;
	const bool is_perfs = by == NULL ||
			      strncmp(by, RECORDING_BY_PTOP, strlen(RECORDING_BY_PTOP)) != 0;

	dsos_name_kernel(&rp->env->model->dsos, is_perfs && !is_named && !m->kernel_is_mapped &&
				 !m->kernel_is_here ? "[unknown]" : "[kernel]");
}

static void
learn_build(struct replay *rp)
{
	rp->policy.is_this_build = rp->policy.is_this_host && same_machine_has_build(rp->file);
}

void
policy_learn_origin(struct replay *rp)
{
	size_t count;
	const struct datafile_event *events = datafile_events(rp->file, &count);

	rp->policy.is_host_known = datafile_info(rp->file)->hostname != NULL;
	rp->policy.is_this_host = same_machine_is_here(datafile_info(rp->file));
	learn_build(rp);
	name_kernel(rp);
	rp->policy.has_jit_times = count > 0 && events[0].attr.use_clockid &&
				   events[0].attr.clockid == CLOCK_MONOTONIC;
}

/* A list of the very boot that was recorded has its modules, too. */
static bool
is_list_of_that_boot(const struct replay *rp)
{
	return rp->config->kallsyms != NULL && rp->kernel_text != 0 &&
	       kallsyms_text(rp->config->kallsyms) == rp->kernel_text;
}

/* Each boot chooses anew where the kernel is; not each user may see it. */
static void
look_at_running_kernel(struct replay *rp)
{
	uint64_t text;

	learn_build(rp); /* its map may have its build-id */
	if (!rp->policy.is_this_build)
		return;
	text = running_kernel_text();
	rp->policy.is_kernel_hidden = text == 0;
	rp->policy.is_this_kernel = text != 0 && text == rp->kernel_text;
}

void
policy_learn_map(struct replay *rp, const struct record_mmap *m)
{
	bool is_kernel = strncmp(m->name, kernel_name, strlen(kernel_name)) == 0; /* a symbol follows */

	if (m->build_id != NULL && m->build_id_len > 0 && m->build_id_len <= BUILD_ID_MAX)
		datafile_learn_build_id(rp->file, is_kernel ? kernel_name : m->name, m->build_id,
					m->build_id_len);
}

void
policy_look_at_kernel(struct replay *rp)
{
	if (rp->env->model->kernel == NULL || rp->kernel_looked_at)
		return;
	rp->kernel_looked_at = true;
	rp->kernel_text = same_machine_kernel_text(rp->env->model->kernel);
	look_at_running_kernel(rp);
	if (rp->policy.is_this_kernel || is_list_of_that_boot(rp))
		model_set_kernel_is_here(rp->env->model);
}
