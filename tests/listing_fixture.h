/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_LISTING_FIXTURE_H
#define PTOP_TESTS_LISTING_FIXTURE_H
/* Listings of code asked of the symbol service, and what objdump says of it.  For tests only. */
#include "symbol_fixture.h"
#include "tests/asserts.h"
#include "tests/skip.h"
#include "view/listing.h"

/* The listing of what @ask says; the caller's.  Its second answer is still to come. */
static inline struct listing *
take_listing(const struct fixture *f, uint32_t id)
{
	struct symbol_listing_msg *m = (struct symbol_listing_msg *)answer(f, SYMBOL_MSG_LISTING);
	struct listing *l = m->listing;

	assert_int_equal(m->id, id);
	assert_non_null(l);
	m->listing = NULL;
	msg_free(&m->msg);
	return l;
}

static inline struct listing_lines *
take_lines(const struct fixture *f, uint32_t id)
{
	struct symbol_listing_msg *m =
		(struct symbol_listing_msg *)answer(f, SYMBOL_MSG_LISTING_LINES);
	struct listing_lines *l = m->lines;

	assert_int_equal(m->id, id);
	assert_non_null(l);
	m->lines = NULL;
	msg_free(&m->msg);
	return l;
}

/* The number of the file that was asked about last. */
static inline uint32_t *
listing_dso(void)
{
	static uint32_t dso = 1000;

	return &dso;
}

/* Of the function at @offset of a file.  One dso is one file: each path has its own. */
static inline void
ask_listing_of(const struct fixture *f, const char *path, uint64_t offset, uint64_t size,
	       struct listing **l, struct listing_lines **lines)
{
	static char last[384];
	struct symbol_listing_ask ask = {
		.file = { .kind = SYMBOL_ELF, .path = path },
		.id = 5, .function = "asked", .offset = offset, .size = size,
	};

	if (strcmp(last, path) != 0)
		(*listing_dso())++;
	snprintf(last, sizeof(last), "%s", path);
	ask.file.dso = *listing_dso();
	symbol_service_ask_listing(f->service, &ask);
	*l = take_listing(f, 5);
	*lines = take_lines(f, 5);
}

static inline void
need_capstone(void)
{
#ifndef HAVE_CAPSTONE
	skip_for("built without libcapstone");
#endif
}

static inline void
need_dwarf(void)
{
#ifndef HAVE_LIBDW
	skip_for("built without libdw");
#endif
}

static inline void
need_x86(void)
{
#ifndef __x86_64__
	skip_for("the code is of another machine");
#endif
}

/* The listing of a function by its name. */
static inline void
list_function(const struct fixture *f, const char *file, const char *name, struct listing **l,
	      struct listing_lines **lines)
{
	struct symbol_image_msg *m = ask_path(f, file);
	uint32_t fn = 0;

	assert_non_null(m->image);
	while (fn < image_count(m->image) && strcmp(image_raw_name(m->image, fn), name) != 0)
		fn++;
	assert_that(fn, <, image_count(m->image));
	ask_listing_of(f, in_dir(f, file), image_address(m->image, fn),
		       image_size(m->image, fn), l, lines);
	msg_free(&m->msg);
}

/* What objdump says, an instruction after the other. */
struct oracle {
	FILE *in;
	uint64_t addr;
	bool is_over;
	char text[512];
};

static inline void
oracle_open(struct oracle *o, const char *path)
{
	char command[700];

	snprintf(command, sizeof(command), "objdump -d --no-show-raw-insn '%s'", path);
	*o = (struct oracle){ .in = popen(command, "r") };
	assert_non_null(o->in);
}

static inline void
oracle_close(struct oracle *o)
{
	while (!o->is_over && fgets(o->text, sizeof(o->text), o->in) != NULL)
		continue;
	pclose(o->in);
}

/* Without names and comments, which are ours to make, and with one blank for many. */
static inline void
plain_text(const char *s, char *out, size_t size)
{
	size_t len = 0;

	for (; *s != '\0' && *s != '\n' && *s != '#' && len + 1 < size; s++) {
		if (*s == '<' && len > 0 && out[len - 1] == ' ')
			break;
		if (*s == ' ' && (len == 0 || out[len - 1] == ' '))
			continue;
		out[len++] = *s == '\t' ? ' ' : *s;
	}
	while (len > 0 && out[len - 1] == ' ')
		len--;
	out[len] = '\0';
}

/* Goes on to the instruction at @addr or behind it. */
static inline void
oracle_find(struct oracle *o, uint64_t addr)
{
	char line[4096];

	while (!o->is_over && o->addr < addr) {
		uint64_t at;
		char *end;

		o->is_over = fgets(line, sizeof(line), o->in) == NULL;
		if (o->is_over)
			break;
		at = strtoull(line, &end, 16);
		if (end == line || end[0] != ':' || end[1] != '\t')
			continue;
		o->addr = at;
		plain_text(end + 2, o->text, sizeof(o->text));
	}
}

enum { SPELT_MAX = 64 };

/* How a file's listings differ from what objdump says. */
struct differences {
	uint64_t instructions, undecoded, differ, unknown; /* unknown: none begins there */
	char first[1200];
	bool has_no_names; /* then objdump has 0x before addresses */
	struct spelt {
		char ours[64], theirs[64];
		uint64_t count;
	} spelt[SPELT_MAX]; /* what is spelt otherwise, by the first word */
};

static inline void
count_spelt(struct differences *d, const char *ours, const char *theirs)
{
	struct spelt s = { .count = 1 };

	snprintf(s.ours, sizeof(s.ours), "%.*s", (int)strcspn(ours, " "), ours);
	snprintf(s.theirs, sizeof(s.theirs), "%.*s", (int)strcspn(theirs, " "), theirs);
	for (size_t i = 0; i < SPELT_MAX; i++) {
		if (d->spelt[i].count == 0)
			d->spelt[i] = s;
		else if (strcmp(d->spelt[i].ours, s.ours) != 0 ||
			 strcmp(d->spelt[i].theirs, s.theirs) != 0)
			continue;
		else
			d->spelt[i].count++;
		return;
	}
}

static inline void
leave_out_0x(char *text)
{
	char *to = text;

	for (const char *s = text; *s != '\0'; s += s[0] == '0' && s[1] == 'x' ? 2 : 1)
		if (s[0] != '0' || s[1] != 'x')
			*to++ = *s;
	*to = '\0';
}

static inline void
compare_listing(const struct listing *l, struct oracle *o, struct differences *d)
{
	char text[512];

	for (uint32_t i = 0; i < l->count; i++) {
		const struct listing_instruction *in = &l->items[i];

		oracle_find(o, in->addr);
		d->instructions++;
		plain_text(in->text, text, sizeof(text));
		if (d->has_no_names) {
			leave_out_0x(text);
			leave_out_0x(o->text);
		}
		if (o->is_over || o->addr != in->addr)
			d->unknown++;
		else if (in->kind == LISTING_BYTES)
			d->undecoded++;
		else if (strcmp(text, o->text) != 0)
			d->differ++;
		else
			continue;
		if (d->has_no_names && in->kind != LISTING_BYTES)
			count_spelt(d, text, o->addr == in->addr ? o->text : "(none)");
		if (in->kind != LISTING_BYTES && d->first[0] == '\0')
			snprintf(d->first, sizeof(d->first), "%llx: '%s', objdump says %llx: '%s'",
				 (unsigned long long)in->addr, text, (unsigned long long)o->addr,
				 o->text);
	}
}

#endif
