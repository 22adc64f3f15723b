/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_SERVICE_SERVICE_IMPL_H
#define PTOP_SYMBOL_SERVICE_SERVICE_IMPL_H
/* What service*.c share; nobody else includes it. */
#include "base/queue.h"
#include "symbol/find/debug_opener.h"
#include "symbol/kernel/bpf_code.h"
#include "symbol/parser/host.h"
#include "symbol/parser/job.h"
#include "symbol/parser/remote.h"
#include "symbol/service/image_cache.h"
#include "symbol/service/service.h"

#include <pthread.h>
#include <stdatomic.h>

struct parser_file;
struct kernel_load;

struct symbol_service {
	struct symbol_config config;
	struct queue *answers, *inbox;
	pthread_t thread, kernel_thread;
	atomic_bool stop;
	atomic_ullong opened_ns; /* CPU time of the process that opens files */

	/* The service thread's own. */
	struct file_opener *opener;
	struct job *opening, *kernel; /* under way */
	struct msg_list names, to_open, opened, kernel_jobs;
	struct msg_list lines_to_open, lines_opened; /* images first */
	struct msg_list listings_to_open, listings_opened; /* somebody looks: before images */
	struct msg_list listing_lines; /* of listings that were answered */
	/* Programs whose code was listed last, and when their files changed, a ring. */
	struct listed_program {
		uint32_t dso;
		time_t changed_s;
	} programs[16];
	unsigned program_next;
	unsigned open_count;
	struct debug_opener debug;
	struct image_cache *cache;
	struct host *host;
	struct remote *remote;
};

/*
 * Sends what was made of the file, and frees the job.  @image: NULL if nothing, @err says why;
 * taken over.  @f: what the parser said of the file, NULL if it was not asked.
 */
void service_answer_image(struct symbol_service *s, struct job *job, struct image *image,
			  const struct parser_file *f, const struct err *err);

/* The same for the kernel's table; the load's image is taken over. */
void service_answer_kernel(struct symbol_service *s, struct job *job, struct kernel_load *l);

/* Whether it may be asked for again by way of another process, or later: no code if not. */
struct symbol_unread service_unread(const struct job *job, const struct err *err);

/* Whether a file is the build that was asked for, by its build-id; false: see @err. */
bool service_is_asked_build(const struct symbol_ask *ask, const uint8_t *build_id, size_t len,
			    struct err *err);

/* What the job's block is kept under. */
struct image_cache_key service_cache_key(const struct job *job, enum image_cache_kind kind);

/* Sends the job's answer for rules, and frees the job. */
void service_answer_rules(struct symbol_service *s, struct job *job);

/* Has the rules of the job's open file compiled, and answers. */
void service_make_rules(struct symbol_service *s, struct job *job);

/* Makes the image of the job's open file, or finds it kept, and answers. */
void service_make_image(struct symbol_service *s, struct job *job);

/*
 * Has the code of the job listed, and answers; the second time its lines, answers, and frees the
 * job.
 */
void service_make_listing(struct symbol_service *s, struct job *job);

/* The same of the running kernel: its memory is read, else a file is to be opened, else answered. */
void service_begin_kernel_listing(struct symbol_service *s, struct job *job);

/* bpf_listing.c: the lines of a BPF program's listing. */
struct listing_lines *service_bpf_lines(const struct bpf_code *code, const struct listing *l);

/* There is no file: the answers that are still to come, and the job is freed. */
void service_answer_no_listing(struct symbol_service *s, struct job *job, const char *why);

/* A question for a source file: begins it, goes on when a file could not be opened, reads one. */
void service_begin_source(struct symbol_service *s, struct job *job);
void service_source_failed(struct symbol_service *s, struct job *job, const struct err *err);
void service_make_source(struct symbol_service *s, struct job *job);

/* A question for a container: begins it, or goes on when a file said nothing; reads one. */
void service_begin_container(struct symbol_service *s, struct job *job);
void service_make_container(struct symbol_service *s, struct job *job);

/* A question for places, from asking to its answer.  Symbol service thread, but for making it. */
struct job *places_job_new(const struct symbol_places_ask *ask, int msg_type);

/* Fills the answer, from the file that is open, or from the kernel's symbols. */
void places_job_run(struct job *job, const struct symbol_config *config, struct remote *remote);

#endif
