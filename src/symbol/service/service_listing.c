/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a function: its instructions, then where they come from in the source. */
#include "symbol/service/service_impl.h"

#include "symbol/file/parcel.h"
#include "symbol/kernel/bpf_code.h"
#include "symbol/kernel/kcore.h"
#include "view/listing.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_NONE
#endif

static void
send_listing(struct symbol_service *s, struct job *job)
{
	struct symbol_listing_msg *m = symbol_listing_msg_new(job->ask.dso, job->listing->ask.id,
							      SYMBOL_MSG_LISTING);

	m->listing = listing_get(job->listing->listing);
	queue_send(s->answers, &m->msg);
}

/* Sends the second answer and frees the job. */
static void
send_lines(struct symbol_service *s, struct job *job, struct listing_lines *lines)
{
	struct symbol_listing_msg *m = symbol_listing_msg_new(job->ask.dso, job->listing->ask.id,
							      SYMBOL_MSG_LISTING_LINES);

	m->lines = lines;
	queue_send(s->answers, &m->msg);
	job_free(job);
}

static struct listing *
begin(const struct job *job)
{
	const struct symbol_listing_ask *ask = &job->listing->ask;
	struct listing *l = listing_new();

	l->function = arena_strdup(&l->arena, ask->function);
	l->offset = ask->offset;
	l->size = ask->size;
	l->is_intel = ask->is_intel;
	l->bytes_from = arena_strdup(&l->arena, *ask->bytes_from != '\0' ? ask->bytes_from
								       : job->ask.path);
	return l;
}

void
service_answer_no_listing(struct symbol_service *s, struct job *job, const char *why)
{
	struct listing_lines *lines = listing_lines_new();

	lines->why = arena_strdup(&lines->arena, why);
	if (job->listing->listing == NULL) {
		struct listing *l = begin(job);

		l->why = arena_strdup(&l->arena, why);
		job->listing->listing = l;
		send_listing(s, job);
	}
	send_lines(s, job, lines);
}

/* What is known before it is decoded goes before what decoding found. */
static void
add_notice(struct listing *l, const char *notice)
{
	const char **all;

	if (*notice == '\0')
		return;
	all = arena_alloc(&l->arena, (l->notice_count + 1) * sizeof(*all));
	all[0] = arena_strdup(&l->arena, notice);
	for (size_t i = 0; i < l->notice_count; i++)
		all[i + 1] = l->notices[i];
	l->notices = all;
	l->notice_count++;
}

/* Sources that are newer than the program are said to be. */
static void
note_program(struct symbol_service *s, const struct job *job)
{
	struct listed_program *p = NULL;

	if (job->st.st_mtim.tv_sec == 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(s->programs); i++)
		if (s->programs[i].dso == job->ask.dso)
			p = &s->programs[i];
	if (p == NULL)
		p = &s->programs[s->program_next++ % ARRAY_SIZE(s->programs)];
	*p = (struct listed_program){ job->ask.dso, job->st.st_mtim.tv_sec };
}

/* Code of this machine that was read, for the job to take over. */
static void
give_code(struct job *job, uint8_t *code, size_t len, const char *from)
{
	struct symbol_listing_ask *ask = &job->listing->ask;

	free((uint8_t *)(uintptr_t)ask->code);
	free((char *)(uintptr_t)ask->bytes_from);
	ask->code = code;
	ask->code_len = len;
	ask->machine = OWN_MACHINE;
	ask->is_64 = sizeof(void *) == 8;
	ask->bytes_from = mem_strdup(from);
}

static void
set_notice(struct job *job, const char *notice)
{
	free((char *)(uintptr_t)job->listing->ask.notice);
	job->listing->ask.notice = mem_strdup(notice);
}

/* -1: see @err. */
static int
read_kernel(const struct symbol_service *s, struct job *job, struct err *err)
{
	const struct symbol_listing_ask *ask = &job->listing->ask;
	size_t len = (size_t)MIN(ask->size, (uint64_t)LISTING_BYTES_MAX);
	uint8_t *code = mem_calloc(1, len + 1);
	char path[512];

	snprintf(path, sizeof(path), "%s/kcore", s->config.proc);
	if (len > 0 && kcore_read(path, ask->offset, code, len, err) == 0) {
		give_code(job, code, len, path);
		return 0;
	}
	free(code);
	return len > 0 ? -1 : err_set(err, ERR_GONE, 0, "its size is not known");
}

/* The kernel tells more of BPF programs than its memory does.  -1: see @err. */
static int
read_program(struct job *job, struct err *err)
{
	const struct symbol_listing_ask *ask = &job->listing->ask;
	struct bpf_code *bpf = bpf_code_read(ask->function, ask->offset, err);
	uint8_t *code;

	if (bpf == NULL)
		return -1;
	code = bpf->code;
	bpf->code = NULL;
	give_code(job, code, MIN(bpf->len, (size_t)LISTING_BYTES_MAX), "the kernel's BPF program");
	job->listing->ask.offset = bpf->start;
	job->listing->ask.size = bpf->len;
	job->listing->bpf = bpf;
	job->listing->free_bpf = bpf_code_free;
	return 0;
}

void
service_begin_kernel_listing(struct symbol_service *s, struct job *job)
{
	bool is_program = bpf_code_is_name(job->listing->ask.function);
	struct err err = { 0 }, no_program = { 0 };
	char text[1200];

	if ((is_program && read_program(job, &no_program) == 0) || read_kernel(s, job, &err) == 0) {
		job->ask.kind = SYMBOL_MEMORY;
		msg_list_add(&s->listings_opened, &job->msg);
		s->open_count++;
	} else if (is_program) {
		snprintf(text, sizeof(text), "%s%s%s", no_program.text,
			 *no_program.hint != '\0' ? ": " : "", no_program.hint);
		service_answer_no_listing(s, job, text);
	} else if (*job->ask.path != '\0') {
		snprintf(text, sizeof(text), "as built, not as patched while it runs: %s", err.text);
		set_notice(job, text);
		job->ask.kind = SYMBOL_VMLINUX;
		msg_list_add(&s->listings_to_open, &job->msg);
	} else {
		snprintf(text, sizeof(text), "%s%s%s%s", err.text, *err.hint != '\0' ? ": " : "",
			 err.hint, job->ask.text != 0
					   ? ", and no --vmlinux is given"
					   : "; code of modules is there alone");
		service_answer_no_listing(s, job, text);
	}
}

/* What the memory of a process has: a copy, which no file system holds up. */
static void
take_memory(struct job *job)
{
	const struct symbol_listing_ask *ask = &job->listing->ask;
	size_t len = (size_t)MIN(job->ask.end - job->ask.start, (uint64_t)LISTING_BYTES_MAX);
	uint8_t *code;
	ssize_t n;
	int fd;

	if (job->ask.kind != SYMBOL_MEMORY || ask->is_elf || ask->code != NULL || job->fd < 0)
		return;
	fd = parcel_open(job->fd);
	job->fd = -1;
	code = mem_calloc(1, len + 1);
	n = fd >= 0 ? pread(fd, code, len, 0) : -1;
	if (fd >= 0)
		close(fd);
	if (n > 0)
		give_code(job, code, (size_t)n, "memory of the process");
	else
		free(code);
}

static void
make_instructions(struct symbol_service *s, struct job *job)
{
	note_program(s, job);
	take_memory(job);
	job->listing->listing = begin(job);
	remote_listing(s->remote, job);
	add_notice(job->listing->listing, job->listing->ask.notice);
	send_listing(s, job);
	msg_list_add(&s->listing_lines, &job->msg);
}

/* Code that is in no file of its own has no lines, as what could not be read. */
static const char *
why_no_lines(const struct job *job)
{
	const struct listing *l = job->listing->listing;

	if (job->listing->ask.no_lines)
		return "its lines are not asked for";
	if (l->count == 0)
		return l->why;
	if (job->listing->bpf != NULL)
		return NULL;
	return job->listing->ask.code != NULL ? "no debug data tells of this code" : NULL;
}

static void
make_lines(struct symbol_service *s, struct job *job)
{
	struct listing_lines *lines = listing_lines_new();
	const char *why = why_no_lines(job);

	if (why == NULL && job->listing->bpf != NULL) {
		listing_lines_put(lines);
		lines = service_bpf_lines(job->listing->bpf, job->listing->listing);
	} else if (why != NULL) {
		lines->why = arena_strdup(&lines->arena, why);
	} else if (!remote_listing_lines(s->remote, job, lines)) {
		listing_lines_put(lines);
		queue_send(s->inbox, &job->msg); /* to be opened */
		return;
	}
	send_lines(s, job, lines);
}

void
service_make_listing(struct symbol_service *s, struct job *job)
{
	s->debug.finder.file = &job->ask;
	if (job->listing->listing == NULL)
		make_instructions(s, job);
	else
		make_lines(s, job);
}
