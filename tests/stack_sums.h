/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_STACK_SUMS_H
#define PTOP_TESTS_STACK_SUMS_H
/*
 * What the formats of stacks say of each function, by readers that share nothing with ptop's
 * writers.  What makes no sense fails the test.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one name: stacks that end in it, and that it is in, recursion counted once. */
struct sum {
	char *name;
	uint64_t self, total;
};

struct sums {
	struct sum *items;
	size_t len;
	uint64_t all;   /* of all stacks */
	size_t stacks;
};

const struct sum *sums_find(const struct sums *s, const char *name); /* NULL: not there */
void sums_release(struct sums *s);

/* Adds a stack, outermost first. */
void sums_add(struct sums *s, const char *const *names, size_t len, uint64_t count);

/* Lines of folded stacks; @skip names in front are not functions. */
void sums_of_folded(struct sums *s, const char *text, const char *event, size_t skip);

/* The values of the type @type ("samples", "cpu-clock") in a profile.proto that is gzip'd. */
void sums_of_pprof(struct sums *s, const void *data, size_t len, const char *type);

/*
 * The profile whose samples are of type @type in OTLP's ExportProfilesServiceRequest that is gzip'd;
 * the attributes of its samples and of its resource as lines "KEY VALUE\n", among them "line FUNCTION
 * NUMBER" where one is told, "unit UNIT" of the values, and "stacks COUNT", the rows of their
 * table; for free().
 */
char *sums_of_otlp(struct sums *s, const void *data, size_t len, const char *type);

/* The profile @name of a speedscope file; the first frame, the comm, is no function. */
void sums_of_speedscope(struct sums *s, const char *text, const char *name);

/* The column @column of @event's rows of a report as JSON, by symbol: self alone. */
void sums_of_table(struct sums *s, const char *text, const char *event, const char *column);

/* More of the profile.proto last read: mappings, labels, comments, as text for a look. */
struct pprof_facts {
	char *text; /* "mapping FILE BUILD-ID START END OFFSET\n", "label KEY VALUE\n" and so on */
};
void pprof_facts_of(struct pprof_facts *f, const void *data, size_t len);
void pprof_facts_release(struct pprof_facts *f);

#endif
