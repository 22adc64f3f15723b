/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_SERVICE_SERVICE_H
#define PTOP_SYMBOL_SERVICE_SERVICE_H
/*
 * The symbol service: opens the files behind dsos (one thread, which a dead file system may hang:
 * it is then replaced), has them parsed and names demangled by a process that can do nothing else
 * (another thread waits for it), and answers by message.  Questions are asked by the engine thread
 * and never block.
 */
#include "base/queue.h"
#include "symbol/ask/ask.h"
#include "symbol/parser/job.h"

struct symbol_service;

/* Answers go to @answers.  The config's strings are copied. */
struct symbol_service *symbol_service_new(const struct symbol_config *config,
					  struct queue *answers);

/* CPU time of the processes that parse, which are no children that ptop could wait for. */
uint64_t symbol_service_cpu_ns(const struct symbol_service *s);

/* The same of those that open files, up to their last answers. */
uint64_t symbol_service_openers_cpu_ns(const struct symbol_service *s);

/*
 * Why there is no such process any more, NULL: there is; and which confinement they do without, NULL:
 * none.  The sentences are constant.
 */
const char *symbol_service_loss(const struct symbol_service *s);
const char *symbol_service_lack(const struct symbol_service *s);

/* Ends the threads; questions not yet answered are dropped. */
void symbol_service_free(struct symbol_service *s);

/* Asks for an image.  Each ask gets exactly one SYMBOL_MSG_IMAGE. */
void symbol_service_ask_image(struct symbol_service *s, const struct symbol_ask *ask);

/* Asks for the demangled names of functions of an image that was answered for @dso. */
void symbol_service_ask_names(struct symbol_service *s, uint32_t dso, const char *const *raw_names,
			      const uint32_t *fns, uint32_t count);

/* Asks for source lines; @ask says which file as in symbol_service_ask_image(). */
void symbol_service_ask_lines(struct symbol_service *s, const struct symbol_ask *ask,
			      const uint64_t *addrs, uint32_t count);

/*
 * Asks which functions are inlined at addresses, in rising order, at most INLINES_ASK_MAX.  Each
 * ask gets exactly one SYMBOL_MSG_LINES.
 */
void symbol_service_ask_inlines(struct symbol_service *s, const struct symbol_ask *ask,
				const uint64_t *addrs, uint32_t count);

/* Asks where something is.  Each ask gets exactly one SYMBOL_MSG_PLACES. */
void symbol_service_ask_places(struct symbol_service *s, const struct symbol_places_ask *ask);

/*
 * Asks for the code of a function.  Each ask gets exactly one SYMBOL_MSG_LISTING and then one
 * SYMBOL_MSG_LISTING_LINES; neither lacks what it is for.
 */
void symbol_service_ask_listing(struct symbol_service *s, const struct symbol_listing_ask *ask);

/* Asks for lines of a source file.  Each ask gets exactly one SYMBOL_MSG_SOURCE. */
void symbol_service_ask_source(struct symbol_service *s, const struct symbol_source_ask *ask);

/*
 * Asks what a container is called, by its id of 64 hex digits: files that its engine keeps on this host
 * say it.  Each ask gets exactly one SYMBOL_MSG_CONTAINER, with @number.
 */
void symbol_service_ask_container(struct symbol_service *s, uint32_t number, const char *id);

/*
 * Asks for the rules that a file's call frame information holds; not of SYMBOL_KERNEL and
 * SYMBOL_VMLINUX.  Each ask gets exactly one SYMBOL_MSG_RULES.
 */
void symbol_service_ask_rules(struct symbol_service *s, const struct symbol_ask *ask);

#endif
