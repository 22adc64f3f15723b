/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doc/coverage.md against the tables of the code, in both directions, and against the header of
 * this machine: nothing of the kernel's interface is missing in silence.
 */
#include "app/config_impl.h"
#include "engine/leaf/session_config.h"
#include "event/event.h"
#include "live/open/attr_table.h"
#include "live/open/open.h"
#include "live/open/open_error.h"
#include "live/session/session.h"
#include "record/put.h"
#include "record/types.h"
#include "view/column.h"
#include "view/view.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/skip.h"

enum { ROWS_MAX = 1000, REASON_LEAST = 20 };

struct doc_row {
	char *section, *name, *state, *how;
};

static struct {
	struct doc_row rows[ROWS_MAX];
	size_t len;
	char *abi, *header; /* texts without comments; header: NULL if there is none */
} page;

static char *
read_text(const char *dir, const char *name)
{
	char path[512];
	struct buf text = { 0 };
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (f == NULL)
		return NULL;
	while ((c = getc(f)) != EOF)
		buf_add_char(&text, (char)c);
	fclose(f);
	return text.data;
}

static void
drop_comments(char *text)
{
	for (char *at = text, *end; at != NULL && (at = strstr(at, "/*")) != NULL; at = end) {
		end = strstr(at, "*/");
		if (end == NULL)
			return;
		memset(at, ' ', (size_t)(end + 2 - at));
	}
}

/* "| `name` | state | how |" */
static void
add_row(char *section, char *line)
{
	struct doc_row *r = &page.rows[page.len];
	char *name = line + 3, *state, *how;

	assert_true(page.len < ROWS_MAX);
	state = strstr(name, "` | ");
	how = state != NULL ? strstr(state + 4, " | ") : NULL;
	if (how == NULL || strlen(how) < 5)
		fail_msg("not three cells: %s", line);
	how[strlen(how) - 2] = '\0';
	*state = *how = '\0';
	*r = (struct doc_row){ section, name, state + 4, how + 3 };
	page.len++;
}

static int
open_page(void **state)
{
	const char *top = getenv("top_srcdir");
	char *text = read_text(top != NULL ? top : ".", "doc/coverage.md"), *section = NULL;

	(void)state;
	page.abi = read_text(top != NULL ? top : ".", "src/record/abi.h");
	page.header = read_text("/usr/include/linux", "perf_event.h");
	drop_comments(page.abi);
	drop_comments(page.header);
	if (text == NULL || page.abi == NULL)
		return -1;
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		if (strncmp(line, "## ", 3) == 0)
			section = line + 3;
		else if (strncmp(line, "| `", 3) == 0)
			add_row(section, line);
	}
	return 0;
}

/* Of any section if that is NULL. */
static const struct doc_row *
find(const char *section, const char *name)
{
	for (size_t i = 0; i < page.len; i++)
		if ((section == NULL || strcmp(page.rows[i].section, section) == 0) &&
		    strcmp(page.rows[i].name, name) == 0)
			return &page.rows[i];
	return NULL;
}

static void
need(const char *section, const char *prefix, const char *name)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	if (find(section, full) == NULL)
		fail_msg("doc/coverage.md has no row for %s", full);
}

static bool
is_done(const struct doc_row *r)
{
	return strcmp(r->state, "done") == 0;
}

static void
each_row_is_done_by_something_or_refused_for_a_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < page.len; i++) {
		const struct doc_row *r = &page.rows[i];

		if (find(r->section, r->name) != r)
			fail_msg("%s is there twice", r->name);
		if (!is_done(r) && strcmp(r->state, "refused") != 0)
			fail_msg("%s is neither done nor refused but %s", r->name, r->state);
		if (!is_done(r) && strlen(r->how) < REASON_LEAST)
			fail_msg("%s: '%s' is no reason", r->name, r->how);
	}
}

/* ---- what rows refer to */

static bool
is_option(const char *word, size_t len)
{
	for (size_t i = 0; i < config_option_count; i++) {
		const struct option_def *o = &config_options[i];

		if (len == 2 && o->letter == word[1] && word[1] != '\0')
			return true;
		if (o->name != NULL && len > 2 && strlen(o->name) == len - 2 &&
		    strncmp(o->name, word + 2, len - 2) == 0)
			return true;
	}
	return false;
}

static bool
is_key(const char *name, size_t len)
{
	for (int k = 0; k < KEY_COUNT; k++)
		if (strlen(columns[k].key) == len && strncmp(columns[k].key, name, len) == 0)
			return true;
	return false;
}

/* What stands behind the option must be what it takes. */
static void
check_value(const struct doc_row *r, const char *option, const char *value)
{
	enum view_id view;
	struct err err = { 0 };

	if (strcmp(option, "--view") == 0 && view_parse(value, &view, &err) < 0)
		fail_msg("%s: %s", r->name, err.text);
	for (; strcmp(option, "--by") == 0 && *value != '\0'; value += *value == ',') {
		size_t len = strcspn(value, ",");

		if (!is_key(value, len))
			fail_msg("%s: no key %s", r->name, value);
		value += len;
	}
}

static void
check_quoted(const struct doc_row *r, const char *text)
{
	struct event_env env = { 0 };
	struct event_list list = { 0 };
	struct err err = { 0 };
	char event[32], option[32], value[64] = "";

	if (text[0] == ':') {
		snprintf(event, sizeof(event), "cycles%s", text);
		if (event_parse(&env, event, &list, &err) < 0)
			fail_msg("%s: %s: %s", r->name, text, err.text);
		event_list_release(&list);
	}
	if (text[0] != '-' || sscanf(text, "%31s %63s", option, value) < 1)
		return;
	if (!is_option(option, strlen(option)))
		fail_msg("%s: there is no option %s", r->name, option);
	if (*value != '\0')
		check_value(r, option, value);
}

static void
options_views_keys_and_modifiers_that_rows_name_exist(void **state)
{
	(void)state;
	for (size_t i = 0; i < page.len; i++) {
		char *how = mem_strdup(page.rows[i].how), *at = how, *end;

		while ((at = strchr(at, '`')) != NULL && (end = strchr(at + 1, '`')) != NULL) {
			*end = '\0';
			check_quoted(&page.rows[i], at + 1);
			at = end + 1;
		}
		free(how);
	}
}

/* ---- attributes */

/* Names of the kernel for members that the table has by another of the same union. */
static const char *const unions[] = { "kprobe_func", "kprobe_addr", "uprobe_path", "probe_offset" };

static bool
is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (names[i] != NULL && strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* All names have their row, and all rows of the section with the prefix are one of the names. */
static void
check_names(const char *attr, const char *section, const char *prefix, const char *sum)
{
	const struct attr_field *f = attr_find(attr);
	size_t len = strlen(prefix);

	for (size_t i = 0; i < f->name_count; i++)
		need(section, prefix, f->names[i]);
	for (size_t i = 0; i < page.len; i++) {
		const char *name = page.rows[i].name;

		if (strcmp(page.rows[i].section, section) == 0 && strncmp(name, prefix, len) == 0 &&
		    strcmp(name + len, sum) != 0 &&
		    !is_one_of(name + len, f->names, f->name_count))
			fail_msg("%s: there is no %s in the table", attr, name);
	}
}

static void
each_attribute_and_each_of_its_bits_has_a_row(void **state)
{
	static const char section[] = "Attributes";
	size_t count;
	const struct attr_field *fields = attr_fields(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		need(section, "", fields[i].name);
	for (size_t i = 0; i < page.len; i++) {
		const struct doc_row *r = &page.rows[i];

		if (strcmp(r->section, section) == 0 && attr_find(r->name) == NULL &&
		    !is_one_of(r->name, unions, ARRAY_SIZE(unions)))
			fail_msg("there is no attribute %s", r->name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(unions); i++)
		need(section, "", unions[i]);
	check_names("type", "Types of events", "PERF_TYPE_", "");
	check_names("sample_type", "What a sample carries", "PERF_SAMPLE_", "WEIGHT_TYPE");
	check_names("branch_sample_type", "Branches", "PERF_SAMPLE_BRANCH_", "PLM_ALL");
	check_names("read_format", "Reading counters", "PERF_FORMAT_", "");
}

/* A value that nobody has by default; of what must be there, that it is not. */
static uint64_t
another(const struct attr_field *f, uint64_t value)
{
	bool is_always = strcmp(f->name, "sample_id_all") == 0 || strcmp(f->name, "use_clockid") == 0;

	return f->kind == ATTR_MASK || is_always ? value | 1 : !value;
}

/* What cannot be had otherwise is refused whatever the row says, so it is left out. */
static void
what_is_refused_of_attributes_is_refused_before_it_is_opened(void **state)
{
	struct session_config live = { .freq = 999 };
	struct event_env env = { "/nonexistent" };
	struct event ev = { .name = (char *)(uintptr_t)"cpu-clock", .type = PERF_TYPE_SOFTWARE };
	struct open_options options;
	size_t count;
	const struct attr_field *fields = attr_fields(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct attr_field *f = &fields[i];
		const struct doc_row *r = find("Attributes", f->name);
		struct open_plan plan;
		struct err err = { 0 };
		int res;

		/* Of a second set of the events, which is opened beside this one. */
		if (strcmp(f->name, "write_backward") == 0)
			continue;
		/* All of a session have it. */
		live.clock = strcmp(f->name, "clockid") == 0 ? &clock_defs[2] : NULL;
		session_open_options(&live, &options);
		options.in_aux_group = true;

		open_plan_sampling(&plan, &env, &ev, &options);
		if (live.clock == NULL)
			attr_field_set(&plan.attr, f, another(f, attr_field_get(&plan.attr, f)));
		else
			assert_int_equal(plan.attr.clockid, live.clock->id);
		res = open_plan_check(&plan, &err);
		if ((res == 0) != is_done(r))
			fail_msg("%s is %s, but: %s", f->name, r->state, res == 0 ? "taken" : err.text);
		open_plan_release(&plan);
	}
}

/* ---- records, events, numbers */

static void
upper(char *to, const char *from)
{
	for (; *from != '\0'; from++)
		*to++ = *from == '-' ? '_' : (char)toupper((unsigned char)*from);
	*to = '\0';
}

static bool
is_record(const char *row_name)
{
	char name[64];

	for (uint32_t type = 0; type < RECORD_USER_TYPE_FIRST; type++) {
		upper(name, record_type_name(type));
		if (record_type_is_known(type) && strcmp(row_name + strlen("PERF_RECORD_"), name) == 0)
			return true;
	}
	return false;
}

static void
each_type_of_record_has_a_row(void **state)
{
	char name[64];
	size_t own = 0;

	(void)state;
	for (uint32_t type = 0; type < RECORD_TYPE_COUNT; type++) {
		if (!record_type_is_known(type))
			continue;
		upper(name, record_type_name(type));
		if (type < RECORD_USER_TYPE_FIRST)
			need("Records", "PERF_RECORD_", name);
		else
			need("Records of perf itself", "", record_type_name(type));
		own += type >= RECORD_USER_TYPE_FIRST;
	}
	for (size_t i = 0; i < page.len; i++) {
		const struct doc_row *r = &page.rows[i];

		if (strcmp(r->section, "Records of perf itself") == 0)
			own--;
		if (strcmp(r->section, "Records") == 0 &&
		    strncmp(r->name, "PERF_RECORD_", 12) == 0 &&
		    strncmp(r->name, "PERF_RECORD_KSYMBOL_", 20) != 0 && !is_record(r->name))
			fail_msg("no record %s is decoded", r->name);
	}
	assert_int_equal(own, 0);
}

/* The rows of hardware and software events stand in the order of their numbers. */
static void
each_event_of_the_kernel_is_parsed_to_its_number(void **state)
{
	static const char hw[] = "PERF_COUNT_HW_", sw[] = "PERF_COUNT_SW_", cache[] = "CACHE_";
	uint64_t next[2] = { 0, 0 };

	(void)state;
	for (size_t i = 0; i < page.len; i++) {
		const struct doc_row *r = &page.rows[i];
		struct event_env env = { 0 };
		struct event_list list = { 0 };
		struct err err = { 0 };
		char event[64];

		if (strcmp(r->section, "Events") != 0)
			continue;
		assert_int_equal(sscanf(r->how, "`-e %63[^`]", event), 1);
		if (event_parse(&env, event, &list, &err) < 0)
			fail_msg("%s: %s", r->name, err.text);
		if (strncmp(r->name, sw, strlen(sw)) == 0) {
			assert_int_equal(list.items[0].type, PERF_TYPE_SOFTWARE);
			assert_int_equal(list.items[0].config, next[1]++);
		} else if (strncmp(r->name + strlen(hw), cache, 6) != 0 ||
			   isupper((unsigned char)r->name[strlen(hw) + 6]) == 0 ||
			   list.items[0].type == PERF_TYPE_HARDWARE) {
			assert_int_equal(list.items[0].type, PERF_TYPE_HARDWARE);
			assert_int_equal(list.items[0].config, next[0]++);
		}
		event_list_release(&list);
	}
	assert_int_equal(next[0], PERF_COUNT_HW_MAX);
	assert_true(next[1] >= PERF_COUNT_SW_MAX);
}

static size_t
count_rows(const char *prefix)
{
	size_t n = 0;

	for (size_t i = 0; i < page.len; i++)
		n += strncmp(page.rows[i].name, prefix, strlen(prefix)) == 0;
	return n;
}

/* Whether the decoder says a word of it, and not a number. */
static bool
has_word(uint64_t data_src)
{
	struct buf b = { 0 };
	bool has;

	record_put_data_src(&b, data_src);
	has = b.len > 0 && strchr(buf_str(&b), '=') != NULL &&
	      !isdigit((unsigned char)strchr(buf_str(&b), '=')[1]);
	buf_release(&b);
	return has;
}

static void
each_part_of_a_data_source_is_decoded_to_as_many_words_as_there_are_rows(void **state)
{
	static const struct {
		const char *prefix;
		unsigned shift, bits, numbers; /* one of the two */
	} parts[] = {
		{ "PERF_MEM_OP_", 0, 5, 0 },	   { "PERF_MEM_LVL_", 5, 14, 0 },
		{ "PERF_MEM_SNOOP_", 19, 5, 0 },   { "PERF_MEM_LOCK_", 24, 2, 0 },
		{ "PERF_MEM_TLB_", 26, 7, 0 },	   { "PERF_MEM_LVLNUM_", 33, 0, 16 },
		{ "PERF_MEM_REMOTE_", 37, 1, 0 },  { "PERF_MEM_SNOOPX_", 38, 2, 0 },
		{ "PERF_MEM_BLK_", 40, 3, 0 },	   { "PERF_MEM_HOPS_", 43, 0, 8 },
		{ "PERF_MEM_REGION_", 46, 0, 32 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t rows = count_rows(parts[i].prefix), words = 0;

		for (unsigned bit = 0; bit < parts[i].bits; bit++)
			words += has_word(UINT64_C(1) << bit << parts[i].shift);
		for (uint64_t n = 0; n < parts[i].numbers; n++)
			words += has_word(n << parts[i].shift);
		/* REGION_NA is 0: nothing is said. */
		words += strcmp(parts[i].prefix, "PERF_MEM_REGION_") == 0;
		if (rows != words)
			fail_msg("%s: %zu rows, %zu words", parts[i].prefix, rows, words);
	}
}

/* ---- headers */

/* The next word of the letters of names at or behind @at; NULL: none. */
static const char *
next_word(const char *at, char *word, size_t size)
{
	size_t len = 0;

	while (*at != '\0' && !isalnum((unsigned char)*at) && *at != '_')
		at++;
	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	snprintf(word, size, "%.*s", (int)len, at);
	return len > 0 ? at + len : NULL;
}

static bool
ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

static void
each_name_of_ptops_own_copy_of_the_interface_has_a_row(void **state)
{
	static const struct {
		const char *own, *kernels;
	} prefixes[] = {
		{ "ABI_RECORD_", "PERF_RECORD_" }, { "ABI_SAMPLE_", "PERF_SAMPLE_" },
		{ "ABI_BRANCH_", "PERF_SAMPLE_BRANCH_" }, { "ABI_MISC_", "PERF_RECORD_MISC_" },
		{ "ABI_FORMAT_", "PERF_FORMAT_" }, { "ABI_CONTEXT_", "PERF_CONTEXT_" },
		{ "ABI_ATTR_SIZE_MIN", "PERF_ATTR_SIZE_VER0" },
	};
	char word[128];
	size_t found = 0;

	(void)state;
	for (const char *at = page.abi; (at = next_word(at, word, sizeof(word))) != NULL;) {
		bool is_found = strncmp(word, "ABI_", 4) != 0;

		for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
			size_t len = strlen(prefixes[i].own);

			if (strncmp(word, prefixes[i].own, len) != 0)
				continue;
			need(NULL, prefixes[i].kernels, word + len);
			is_found = true;
			found++;
		}
		if (!is_found)
			fail_msg("what is %s?", word);
	}
	assert_true(found > 20);
}

/* Of a newer kernel: no fault of this source, but worth to be known. */
static bool
is_told(const char *word)
{
	if (ends_with(word, "_MAX") || ends_with(word, "_SHIFT") || find(NULL, word) != NULL)
		return true;
	print_message("the header of this machine has %s, doc/coverage.md does not\n", word);
	return false;
}

static void
what_the_header_of_this_machine_knows_is_known(void **state)
{
	char word[128];
	size_t known = 0, beyond = 0;

	(void)state;
	if (page.header == NULL)
		skip_for("there is no /usr/include/linux/perf_event.h");
	for (const char *at = page.header; (at = next_word(at, word, sizeof(word))) != NULL;) {
		if ((strncmp(word, "PERF_", 5) != 0 && !ends_with(word, "_NS_INDEX")) ||
		    strcmp(word, "PERF_MEM_S") == 0 || ends_with(word, "_"))
			continue;
		*(is_told(word) ? &known : &beyond) += 1;
	}
	assert_true(known > 200);
	/* A kernel that is newer by some names, not another header. */
	assert_true(beyond < known / 10);
}

/* What stands between the braces: members, their types and widths. */
static void
check_members(const char *begin, const char *end)
{
	char word[128];

	for (const char *at = begin; (at = next_word(at, word, sizeof(word))) != NULL && at <= end;) {
		bool is_type = strncmp(word, "__", 2) == 0 || strcmp(word, "struct") == 0 ||
			       strcmp(word, "union") == 0 || isdigit((unsigned char)word[0]);
		bool is_macro = isupper((unsigned char)word[0]) || strncmp(word, "cap_____", 8) == 0;

		if (!is_type && !is_macro && strstr(word, "reserved") == NULL &&
		    strstr(word, "rsvd") == NULL && strcmp(word, "val") != 0)
			is_told(word);
	}
}

static void
members_of_structs_of_the_header_are_known(void **state)
{
	static const char *const names[] = {
		"perf_event_attr {", "perf_event_query_bpf {", "perf_event_mmap_page {",
		"perf_event_header {", "perf_ns_link_info {", "perf_branch_entry {",
	};

	(void)state;
	if (page.header == NULL)
		skip_for("there is no /usr/include/linux/perf_event.h");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *begin = strstr(page.header, names[i]);
		const char *end = begin != NULL ? strstr(begin, "\n};") : NULL;

		if (end == NULL)
			fail_msg("the header has no struct %s", names[i]);
		check_members(begin + strlen(names[i]), end);
	}
	assert_true(find(NULL, "time_mask") != NULL && find(NULL, "aux_tail") != NULL);
}

/* ---- errors */

static bool
has_kind(const struct open_error *rows, size_t count, const char *errno_name, const char *kind)
{
	for (size_t i = 0; i < count; i++) {
		const char *other = open_errno_name(rows[i].sys_too);

		if (strcmp(open_kinds[rows[i].kind].name, kind) == 0 &&
		    (strcmp(open_errno_name(rows[i].sys), errno_name) == 0 ||
		     (other != NULL && strcmp(other, errno_name) == 0)))
			return true;
	}
	return false;
}

static void
need_error(int sys, const char *kind)
{
	const struct doc_row *r = find("Errors of perf_event_open(2)", open_errno_name(sys));

	if (r == NULL || strstr(r->how, kind) == NULL)
		fail_msg("doc/coverage.md does not have %s as %s", kind, open_errno_name(sys));
}

static void
each_error_has_a_row_with_what_it_is_told_as(void **state)
{
	size_t count, ring_count;
	const struct open_error *rows = open_errors(&count), *rings = open_ring_errors(&ring_count);

	(void)state;
	for (size_t i = 0; i < count + ring_count; i++) {
		const struct open_error *e = i < count ? &rows[i] : &rings[i - count];

		need_error(e->sys, open_kinds[e->kind].name);
		if (e->sys_too != 0)
			need_error(e->sys_too, open_kinds[e->kind].name);
	}
	for (size_t i = 0; i < page.len; i++) {
		const struct doc_row *r = &page.rows[i];
		char kind[64];

		if (strcmp(r->section, "Errors of perf_event_open(2)") != 0)
			continue;
		for (const char *at = r->how; (at = next_word(at, kind, sizeof(kind))) != NULL;)
			if (!has_kind(rows, count, r->name, kind) &&
			    !has_kind(rings, ring_count, r->name, kind))
				fail_msg("%s is never told as %s", r->name, kind);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_done_by_something_or_refused_for_a_reason),
		cmocka_unit_test(options_views_keys_and_modifiers_that_rows_name_exist),
		cmocka_unit_test(each_attribute_and_each_of_its_bits_has_a_row),
		cmocka_unit_test(what_is_refused_of_attributes_is_refused_before_it_is_opened),
		cmocka_unit_test(each_type_of_record_has_a_row),
		cmocka_unit_test(each_event_of_the_kernel_is_parsed_to_its_number),
		cmocka_unit_test(each_part_of_a_data_source_is_decoded_to_as_many_words_as_there_are_rows),
		cmocka_unit_test(each_name_of_ptops_own_copy_of_the_interface_has_a_row),
		cmocka_unit_test(what_the_header_of_this_machine_knows_is_known),
		cmocka_unit_test(members_of_structs_of_the_header_are_known),
		cmocka_unit_test(each_error_has_a_row_with_what_it_is_told_as),
	};

	return cmocka_run_group_tests(tests, open_page, NULL);
}
