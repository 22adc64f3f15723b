/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording of a machine that never was, as large as is asked for; what it holds in memory
 * does not depend on its length.  usage: generate [--NAME NUMBER]... [--images FOLDER] FILE
 */
#include "image.h"
#include "machine.h"
#include "records.h"

#include "datafile/writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CPUS_MAX = 4096, TASKS_MAX = 1 << 24, DEPTH_MAX = 127, PUT_BYTES = 1 << 16 };

static const struct option_row {
	const char *name;
	size_t at;
	uint64_t usual, least, most;
} options[] = {
	{ "--cpus", offsetof(struct scale, cpus), 64, 1, CPUS_MAX },
	{ "--tasks", offsetof(struct scale, tasks), 10000, 2, TASKS_MAX },
	{ "--threads", offsetof(struct scale, threads), 4, 1, 1024 },
	{ "--programs", offsetof(struct scale, programs), 100, 1, 999 },
	{ "--functions", offsetof(struct scale, functions), 20000, 1, 1 << 24 },
	{ "--samples", offsetof(struct scale, samples), 100000, 1, 100000000 },
	{ "--seconds", offsetof(struct scale, seconds), 1, 1, 86400 },
	{ "--forks", offsetof(struct scale, forks), 0, 0, 1000000 },
	{ "--execs", offsetof(struct scale, execs), 0, 0, 1000000 },
	{ "--mmaps", offsetof(struct scale, mmaps), 0, 0, 1000000 },
	{ "--depth", offsetof(struct scale, depth), 0, 0, DEPTH_MAX },
	{ "--seed", offsetof(struct scale, seed), 1, 0, UINT64_MAX },
};

static uint64_t *
field(struct scale *s, const struct option_row *row)
{
	return (uint64_t *)(void *)((char *)s + row->at);
}

static bool
set_option(struct scale *s, const char *name, const char *value)
{
	char *end;

	if (strcmp(name, "--images") == 0) {
		s->images = value;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		uint64_t *to = field(s, &options[i]);

		if (strcmp(name, options[i].name) != 0)
			continue;
		*to = strtoull(value, &end, 10);
		return *end == '\0' && *to >= options[i].least && *to <= options[i].most;
	}
	return false;
}

/* false: said what is wrong. */
static bool
read_options(struct scale *s, int argc, char **argv)
{
	int i = 1;

	for (size_t n = 0; n < ARRAY_SIZE(options); n++)
		*field(s, &options[n]) = options[n].usual;
	for (; i + 2 < argc; i += 2) {
		if (!set_option(s, argv[i], argv[i + 1])) {
			fprintf(stderr, "generate: not '%s %s'\n", argv[i], argv[i + 1]);
			return false;
		}
	}
	/* A process that changes does not run meanwhile: another one has to. */
	if (i + 1 != argc || s->tasks < 2 * s->threads) {
		fputs("usage: generate [--NAME NUMBER]... [--images FOLDER] FILE\n"
		      "There are two processes at least.\n", stderr);
		return false;
	}
	return true;
}

static bool
write_images(struct writer *w, const struct scale *s)
{
	uint8_t id[IMAGE_ID_BYTES];
	char path[4096], prefix[32];

	if (mkdir(s->images, 0700) != 0 && errno != EEXIST)
		return false;
	for (uint64_t i = 0; i <= s->programs; i++) {
		machine_path(s, i, path);
		snprintf(prefix, sizeof(prefix), i < s->programs ? "p%" PRIu64 : "lib", i);
		if (!image_write(path, prefix, scale_functions(s), id))
			return false;
		writer_build_id(w, PERF_RECORD_MISC_USER, -1, path, id, sizeof(id));
	}
	return true;
}

static void
add_events(struct writer *w, const struct scale *s)
{
	static const char *const names[RECORD_EVENTS] = { "cpu-clock", "dummy:u" };

	for (int e = 0; e < RECORD_EVENTS; e++) {
		struct event_attr attr = record_attr(e, machine_period_ns(s), s->depth > 0);
		uint32_t n = writer_event(w, names[e], &attr);

		for (uint32_t cpu = 0; cpu < s->cpus; cpu++)
			writer_id(w, n, record_id(e, s->cpus, cpu));
	}
}

static int
put(struct writer *w, struct buf *b, size_t least, struct err *err)
{
	int res = b->len > least ? writer_put(w, b->data, b->len, err) : 0;

	if (b->len > least)
		buf_reset(b);
	return res;
}

static int
write_rounds(struct writer *w, const struct scale *s, struct machine *m, struct err *err)
{
	struct buf b = { 0 };
	int res = 0;

	machine_put_first(m, &b);
	for (uint64_t i = 0; res == 0 && i < s->seconds * MACHINE_ROUNDS_PER_S; i++) {
		for (uint32_t cpu = 0; res == 0 && cpu < s->cpus; cpu++) {
			machine_put_cpu(m, cpu, &b);
			res = put(w, &b, PUT_BYTES, err);
		}
		machine_end_round(m);
		if (res == 0)
			res = put(w, &b, 0, err);
		if (res == 0)
			res = writer_round(w, err);
	}
	buf_release(&b);
	return res;
}

static int
generate(const struct scale *s, const char *path, struct err *err)
{
	const struct writer_info info = {
		.hostname = "scale", .osrelease = "6.1.0", .version = "6.1", .arch = "x86_64",
		.nr_cpus_online = (uint32_t)s->cpus, .nr_cpus_available = (uint32_t)s->cpus,
		.total_mem_kib = 1 << 30,
	};
	struct writer *w = writer_new(path, true, err);
	struct machine *m = machine_new(s);
	const struct machine_sums *sums = machine_sums(m);
	int res = -1;

	if (w == NULL)
		goto end;
	add_events(w, s);
	if (s->images != NULL && !write_images(w, s))
		err_set(err, ERR_IO, errno, "cannot write binaries to '%s'", s->images);
	else
		res = write_rounds(w, s, m, err);
	if (writer_close(w, &info, sums->first_ns, sums->last_ns,
				  res == 0 ? err : &(struct err){ 0 }) != 0)
		res = -1;
	if (res == 0)
		printf("samples %" PRIu64 " tasks %" PRIu64 "\n", sums->samples, sums->tasks);
end:
	machine_free(m);
	return res;
}

int
main(int argc, char **argv)
{
	struct scale s = { 0 };
	struct err err = { 0 };

	if (!read_options(&s, argc, argv))
		return 2;
	if (generate(&s, argv[argc - 1], &err) != 0) {
		fprintf(stderr, "generate: %s\n", err.text);
		return 1;
	}
	return 0;
}
