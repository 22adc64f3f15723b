/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel/kernel.h"
#include "symbol/kernel/kallsyms.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Only of the running kernel: another file of symbols may change without a sign. */
static bool
may_keep(const struct symbol_config *config)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/kallsyms", config->proc);
	return config->cache != NULL && strcmp(path, config->kallsyms) == 0;
}

static struct image *
load_kept(const struct kernel_cache *cache)
{
	int fd = kernel_cache_load(cache);
	struct image *img = fd >= 0 ? image_open_kept(fd, NULL) : NULL;

	if (img != NULL && image_count(img) == 0) {
		image_free(img);
		img = NULL;
	}
	return img;
}

static uint32_t
count_bpf(const struct image *img)
{
	uint32_t i, n = image_count(img), found = 0;

	for (i = 0; i < n; i++)
		found += strcmp(image_module(img, i), "bpf") == 0 &&
			 strncmp(image_raw_name(img, i), "bpf_prog_", 9) == 0;
	return found;
}

/* Reads a list.  *@copy becomes another descriptor of the image. */
static void
read_list(struct kernel_load *l, const char *path, int *copy)
{
	const bool is_file = l->ask->kallsyms != NULL;
	/* Beside a vmlinux the running kernel's list is where that kernel is. */
	const struct kallsyms_source from = { .path = path, .proc = l->config->proc,
					      .is_file = is_file,
					      .text = is_file || l->base == NULL ? l->ask->text : 0,
					      .base = l->base };
	int fd = kallsyms_image(&from, l->stop, &l->err);

	if (fd < 0)
		return;
	*copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	l->image = image_open(fd, &l->err);
}

/* Of a kernel that has the same modules; without the right to ask for programs only the list tells. */
static bool
has_same(const struct symbol_ask *ask, const struct kernel_state *now)
{
	return ask->state == now->kernel &&
	       (ask->knows_programs || (now->programs != 0 && ask->programs == now->programs));
}

/* The state is taken first: what changes while the list is read makes it one of the past. */
static void
load_running(struct kernel_load *l)
{
	struct kernel_state *state = &l->state;
	bool keeps = may_keep(l->config) && l->base == NULL && l->ask->text == 0;
	bool again = l->ask->state != 0;
	int copy = -1;

	kernel_state_read(state, l->config->proc, again ? NULL : l->config->programs);
	l->is_unchanged = has_same(l->ask, state);
	if (l->is_unchanged)
		return;
	keeps = keeps && (state->programs != 0 || !again);
	l->cache = keeps ? kernel_cache_open(l->config->cache, state) : NULL;
	l->image = l->cache != NULL ? load_kept(l->cache) : NULL;
	if (l->image != NULL)
		return;
	read_list(l, l->config->kallsyms, &copy);
	/*
	 * What was kept comes without the words that go with it.  A program that came before the
	 * list was read is not in the state: kept, its name would be that of another one later.
	 */
	if (l->image != NULL && l->cache != NULL && *l->err.text == '\0' &&
	    count_bpf(l->image) <= state->bpf_functions)
		l->keep = copy;
	else if (copy >= 0)
		close(copy);
}

void
kernel_load(struct kernel_load *l)
{
	int copy = -1;

	l->keep = -1;
	if (l->ask->kallsyms == NULL) {
		load_running(l);
	} else if (*l->ask->kallsyms == '\0' && l->base != NULL) {
		l->image = l->base;
		l->base = NULL;
	} else {
		read_list(l, l->ask->kallsyms, &copy);
		if (copy >= 0)
			close(copy);
	}
}

void
kernel_load_end(struct kernel_load *l)
{
	if (l->keep >= 0) {
		kernel_cache_save(l->cache, l->keep);
		close(l->keep);
	}
	kernel_cache_close(l->cache);
	image_free(l->base);
}
