/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of functions as the symbol service lists it: the instructions are objdump's, what they name
 * is named, their lines and inlined callers are addr2line's; of code that is none, bytes.
 * PTOP_LISTING_FILES, paths separated by colons, has all functions of more files compared,
 * PTOP_LISTING_WHOLE the section .text of files that need no symbols for it, as much of it as
 * PTOP_LISTING_BYTES says, and PTOP_LISTING_LINES the lines of one, of DWARF 4.
 */
#include "config.h"

#include "listing_fixture.h"
#include "symbol/code/disasm.h"
#include "symbol/file/md5.h"
#include "symbol/find/source_open.h"
#include "view/annotate.h"

#include <sys/resource.h>
#include <sys/wait.h>

static void
write_sources(const struct fixture *f)
{
	write_names(f);
	/* The body of the lambda lies in that of a function which is nowhere but inlined. */
	write_text(f, "lambda.cc",
		   "static inline int add(int a) { return a * 7 + 1; }\n"
		   "struct box { int v; int sum(int n) const; };\n"
		   "inline int box::sum(int n) const\n"
		   "{\n"
		   "	auto f = [this, n]() __attribute__((noinline)) -> int {\n"
		   "		int s = 0;\n"
		   "		for (int i = 0; i < n; i++) s += add(v ^ i) * add(s);\n"
		   "		return s; };\n"
		   "	return f() + (n > 5 ? f() * 3 : f());\n"
		   "}\n"
		   "int main(int argc, char **)\n"
		   "{ box b{argc}; return b.sum(argc) + b.sum(argc + 1); }\n");
	write_text(f, "named.c",
		   "#include <stdio.h>\n"
		   "#include <stdlib.h>\n"
		   "int table[100];\n"
		   "__attribute__((noinline)) int helper(int n) { return table[n] * 3; }\n"
		   "__attribute__((noinline)) int hot(int n)\n"
		   "{\n"
		   "	int sum = 0;\n"
		   "	for (int i = 0; i < n; i++)\n"
		   "		sum += helper(i);\n"
		   "	printf(\"GET %s\\n\\033\", getenv(\"HOME\"));\n"
		   "	return sum + table[7];\n"
		   "}\n"
		   "int main(int argc, char **argv) { (void)argv; return hot(argc); }\n");
}

static const struct listing_instruction *
instruction_with(const struct listing *l, const char *operand)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (strcmp(l->items[i].operand, operand) == 0)
			return &l->items[i];
	for (uint32_t i = 0; i < l->count; i++)
		print_message("%s    %s\n", l->items[i].text, l->items[i].operand);
	fail_msg("no instruction has '%s'", operand);
	return NULL;
}

static void
calls_variables_and_texts_are_named(void **state)
{
	const struct fixture *f = *state;
	const struct listing_instruction *in;
	struct listing_lines *lines;
	struct listing *l;

	need_capstone();
	assert_true(sh(f, "gcc -g -O2 -fno-plt -fno-ipa-cp -o noplt named.c && "
			  "gcc -g -O2 -fplt -o named named.c"));
	list_function(f, "named", "hot", &l, &lines);
	assert_string_equal(l->why, "");
	assert_string_equal(l->function, "asked");
	assert_string_equal(l->bytes_from, in_dir(f, "named"));
	in = instruction_with(l, "helper");
	assert_int_equal(in->kind, LISTING_CALL);
	assert_int_equal(in->target_index, LISTING_NONE);
	assert_int_equal(instruction_with(l, "getenv@plt")->kind, LISTING_CALL);
	instruction_with(l, "\"HOME\"");
	instruction_with(l, "table+0x1c");
	assert_int_equal(l->items[l->count - 1].offset + l->items[l->count - 1].len,
			 l->offset + l->size);
	listing_put(l);
	listing_lines_put(lines);
	list_function(f, "noplt", "hot", &l, &lines);
	instruction_with(l, "getenv@got");
	listing_put(l);
	listing_lines_put(lines);
}

static void
samples_of_code_that_is_not_here_are_told_by_address_all_the_same(void **state)
{
	struct cost all = { .samples = 91, .period = 910 }, told = { .samples = 90, .period = 900 };
	struct snapshot_count count = { .offset = 16, .cost = told };
	struct snapshot_code code = { .counts = &count, .count_len = 1, .told = &told, .all = &all };
	struct annotate a = { .code = &code };
	struct cost left = annotate_elsewhere(&a, 0);

	(void)state;
	assert_int_equal(left.samples, 1);
	assert_int_equal(left.period, 10);
}

/* The first instruction that accesses the member, as its variable has it. */
static const struct listing_instruction *
instruction_of(const struct listing *l, const struct listing_lines *lines, const char *member)
{
	assert_non_null(lines->members);
	for (uint32_t i = 0; i < l->count; i++)
		if (strcmp(annotate_member(lines, i), member) == 0)
			return &l->items[i];
	for (uint32_t i = 0; i < l->count; i++)
		print_message("%s    %s\n", l->items[i].text, annotate_member(lines, i));
	fail_msg("no instruction accesses '%s'", member);
	return NULL;
}

static void
write_members(const struct fixture *f)
{
	write_text(f, "members.c",
		   "struct header { int kind, len; };\n"
		   "typedef struct request request;\n"
		   "struct request {\n"
		   "	request *next;\n"
		   "	const struct header header;\n"
		   "	union { long whole; struct { short low, high; }; } word;\n"
		   "	char name[6];\n"
		   "	unsigned char is_old : 3, is_hot : 5;\n"
		   "	struct header more[4];\n"
		   "	int (*run)(int);\n"
		   "	long tail[];\n"
		   "};\n"
		   "struct header none;\n"
		   "__attribute__((noinline)) long hot(request *const req, long n)\n"
		   "{\n"
		   "	req->word.whole += req->header.len * n;\n"
		   "	req->name[3] = (char)n;\n"
		   "	req->more[2].len = 7;\n"
		   "	req->tail[1] ^= n;\n"
		   "	req->is_hot = 9;\n"
		   "	req->word.high = (short)(n + 3);\n"
		   "	if (n > 5) none.len = req->run(3);\n"
		   "	return (long)&req->more[1];\n"
		   "}\n"
		   "static inline int sum_of(const struct header *h)\n"
		   "{\n"
		   "	int s = 0;\n"
		   "	for (int i = 0; i < h->len; i++) s += h->kind ^ s;\n"
		   "	return s;\n"
		   "}\n"
		   "__attribute__((noipa)) int sum(request *req) { return sum_of(&req->header); }\n"
		   "static request one;\n"
		   "int main(int argc, char **argv)\n"
		   "{ (void)argv; return (int)hot(&one, argc) + sum(&one); }\n");
	write_text(f, "members.cc",
		   "struct base { long id; long other; };\n"
		   "class box : public base {\n"
		   "public:\n"
		   "	int v; struct { int w; }; static int all;\n"
		   "	__attribute__((noipa)) long sum(int n) const { return other * n + w; }\n"
		   "	int twice() const { return v * 2; }\n"
		   "};\n"
		   "int box::all;\n"
		   "__attribute__((noinline)) int hot(const box &b, int n) { return b.w * n + b.twice(); }\n"
		   "int main(int argc, char **)\n"
		   "{ static box b; b.v = argc; return hot(b, argc) + (int)b.sum(argc); }\n");
}

/* Where a member is as the compiler put it. */
static void
is_at(const struct listing_instruction *in, const char *operand)
{
	if (strstr(in->text, operand) == NULL)
		fail_msg("%s is not at %s", in->text, operand);
}

static void
members_are_named_by_the_variable_whose_register_they_are_behind(void **state)
{
	static const struct { const char *member, *operand; } in_c[] = {
		{ "req->header.len", "0xc(%r" }, { "req->word", "0x10(%r" },
		{ "req->name[3]", "0x1b(%r" }, { "req->more[2].len", "0x34(%r" },
		{ "req->tail[1]", "0x50(%r" }, { "req->is_old|is_hot", "0x1e(%r" },
		{ "req->run", "*0x40(%r" }, { "req->word.high", "0x12(%r" },
		{ "req->more[1]", "lea    0x28(%r" },
	};
	const struct fixture *f = *state;
	struct listing_lines *lines;
	struct listing *l;

	need_capstone();
	need_dwarf();
	need_x86();
	write_members(f);
	assert_true(sh(f, "gcc -g -O2 -o members members.c && g++ -g -O2 -o members2 members.cc && "
			  "gcc -g -gdwarf-4 -fdebug-types-section -O2 -o members4 members.c"));
	for (int i = 0; i < 2; i++) {
		list_function(f, i == 0 ? "members" : "members4", "hot", &l, &lines);
		for (size_t k = 0; k < ARRAY_SIZE(in_c); k++)
			is_at(instruction_of(l, lines, in_c[k].member), in_c[k].operand);
		listing_put(l);
		listing_lines_put(lines);
	}
	/* What is inlined has a name of its own for a part of the other. */
	list_function(f, "members", "sum", &l, &lines);
	is_at(instruction_of(l, lines, "h->kind"), "0x8(%rdi)");
	is_at(instruction_of(l, lines, "h->len"), "0xc(%rdi)");
	listing_put(l);
	listing_lines_put(lines);
	list_function(f, "members2", "_Z3hotRK3boxi", &l, &lines);
	is_at(instruction_of(l, lines, "b.w"), "0x14(%rdi)");
	is_at(instruction_of(l, lines, "b.v"), "0x10(%rdi)");
	listing_put(l);
	listing_lines_put(lines);
	list_function(f, "members2", "_ZNK3box3sumEi", &l, &lines);
	is_at(instruction_of(l, lines, "this->other"), "0x8(%rdi)");
	is_at(instruction_of(l, lines, "this->w"), "0x14(%rdi)");
	listing_put(l);
	listing_lines_put(lines);
}

/* Its code is elsewhere in the file than in memory, and calls nothing before it is loaded. */
static void
calls_of_a_kernel_module_have_the_names_that_it_is_linked_by(void **state)
{
	const struct fixture *f = *state;
	struct listing_lines *lines;
	struct listing *l;

	need_capstone();
	need_x86();
	write_text(f, "module.s",
		   ".section .init.text,\"ax\"\n.fill 100,1,0xcc\n.text\n"
		   ".type near, @function\nnear: mov $7,%eax\n ret\n.size near, .-near\n"
		   ".globl far\n.type far, @function\nfar: call kfree\n call near\n call inner\n"
		   " mov jiffies(%rip),%rax\n jmp kfree\n.size far, .-far\n"
		   ".section .text.inner,\"ax\"\n.type inner, @function\ninner: nop\n ret\n"
		   ".size inner, .-inner\n"
		   ".section .gnu.linkonce.this_module,\"aw\"\n.zero 64\n");
	assert_true(sh(f, "gcc -c module.s && ld -r --unique -o module.ko module.o"));
	list_function(f, "module.ko", "near", &l, &lines);
	assert_string_equal(l->items[0].text, "mov    $0x7,%eax");
	listing_put(l);
	listing_lines_put(lines);
	list_function(f, "module.ko", "far", &l, &lines);
	assert_int_equal(l->count, 5);
	assert_string_equal(l->items[0].operand, "kfree");
	assert_int_equal(l->items[0].kind, LISTING_CALL);
	assert_int_equal(l->items[0].target, 0);
	assert_string_equal(l->items[1].operand, "near");
	assert_string_equal(l->items[2].operand, "inner");
	assert_string_equal(l->items[3].operand, "jiffies");
	assert_string_equal(l->items[4].operand, "kfree");
	listing_put(l);
	listing_lines_put(lines);
}

/* A number is an address only where code lies where it was linked for. */
static void
numbers_are_no_addresses(void **state)
{
	const struct fixture *f = *state;
	struct listing_lines *lines;
	struct listing *l;

	need_capstone();
	need_x86();
	write_text(f, "numbers.c", "char text[] = \"text\";\n"
		   "__attribute__((noinline)) unsigned hot(unsigned n) { return n % 4099; }\n"
		   "__attribute__((noinline)) char *where(void) { return text; }\n"
		   "int main(int argc, char **argv) { return (int)hot((unsigned)argc) + *where(); }\n");
	assert_true(sh(f, "gcc -O2 -pie -fPIE -o moves numbers.c && gcc -O2 -no-pie -fno-pie -o stays numbers.c"));
	list_function(f, "moves", "hot", &l, &lines);
	assert_that(l->count, >, 3);
	for (uint32_t i = 0; i < l->count; i++)
		assert_string_equal(l->items[i].operand, "");
	listing_put(l);
	listing_lines_put(lines);
	list_function(f, "stays", "where", &l, &lines);
	instruction_with(l, "text");
	listing_put(l);
	listing_lines_put(lines);
}

static void
jumps_lead_to_instructions(void **state)
{
	const struct fixture *f = *state;
	struct listing_lines *lines;
	unsigned conditional = 0, returns = 0;
	struct listing *l;

	need_capstone();
	assert_true(sh(f, "gcc -g -O1 -o jumps named.c"));
	list_function(f, "jumps", "hot", &l, &lines);
	for (uint32_t i = 0; i < l->count; i++) {
		const struct listing_instruction *in = &l->items[i];

		returns += in->kind == LISTING_RETURN;
		if (in->kind != LISTING_CONDITIONAL)
			continue;
		conditional++;
		assert_that(in->target_index, <, l->count);
		assert_int_equal(l->items[in->target_index].addr, in->target);
		assert_int_equal(listing_find(l, l->items[in->target_index].offset),
				 in->target_index);
	}
	assert_that(conditional, >, 0);
	assert_that(returns, >, 0);
	listing_put(l);
	listing_lines_put(lines);
}

/* Every function of the file. */
static struct differences
compare_file(const struct fixture *f, const char *path)
{
	struct symbol_ask ask = { .dso = 7, .kind = SYMBOL_ELF, .path = path };
	struct symbol_image_msg *m = ask_image(f, &ask);
	struct differences d = { 0 };
	struct oracle o;

	assert_non_null(m->image);
	oracle_open(&o, path);
	for (uint32_t fn = 0; fn < image_count(m->image); fn++) {
		struct listing_lines *lines;
		struct listing *l;

		if (image_size(m->image, fn) == 0)
			continue;
		ask_listing_of(f, path, image_address(m->image, fn), image_size(m->image, fn), &l,
			       &lines);
		compare_listing(l, &o, &d);
		listing_put(l);
		listing_lines_put(lines);
	}
	oracle_close(&o);
	msg_free(&m->msg);
	return d;
}

/* Where in the file its section .text is.  false: it has none. */
static bool
find_text(const char *path, uint64_t *offset, uint64_t *size)
{
	char command[700], line[512];
	unsigned long long at[3];
	bool found = false;
	FILE *in;

	snprintf(command, sizeof(command), "objdump -h '%s'", path);
	in = popen(command, "r");
	while (fgets(line, sizeof(line), in) != NULL) {
		if (found || sscanf(line, " %*d .text %llx %*x %llx %llx", &at[0], &at[1], &at[2]) != 3)
			continue;
		*size = at[0];
		*offset = at[2];
		found = true;
	}
	pclose(in);
	return found;
}

/* Leaves out what the end of the piece may have cut, and all that is listed behind that. */
static uint64_t
leave_out_cut(struct listing *l)
{
	enum { LONGEST = 15 }; /* of x86 */
	uint64_t end = l->offset + l->size;

	while (l->count > 1 && end - l->items[l->count - 1].offset <= LONGEST)
		l->count--;
	return l->items[l->count - 1].offset + l->items[l->count - 1].len;
}

/* All of the section, a piece after the other. */
static struct differences
compare_whole(const struct fixture *f, const char *path)
{
	enum { PIECE = 256 << 10 };
	struct differences d = { .has_no_names = true };
	uint64_t at = 0, size = 0, end, most = UINT64_MAX;
	struct oracle o;

	if (getenv("PTOP_LISTING_BYTES") != NULL)
		most = strtoull(getenv("PTOP_LISTING_BYTES"), NULL, 0);
	assert_true(find_text(path, &at, &size));
	end = at + MIN(size, most);
	oracle_open(&o, path);
	while (at < end) {
		struct listing_lines *lines;
		struct listing *l;

		ask_listing_of(f, path, at, MIN(end - at, (uint64_t)PIECE), &l, &lines);
		assert_that(l->count, >, 1);
		at = l->offset + l->size;
		if (at < end)
			at = leave_out_cut(l);
		compare_listing(l, &o, &d);
		listing_put(l);
		listing_lines_put(lines);
	}
	oracle_close(&o);
	for (size_t i = 0; i < SPELT_MAX && d.spelt[i].count > 0; i++)
		print_message("  %s for %s: %llu\n", d.spelt[i].ours, d.spelt[i].theirs,
			      (unsigned long long)d.spelt[i].count);
	return d;
}

static void
assert_alike(const char *path, const struct differences *d)
{
	print_message("%s: %llu instructions, %llu undecoded, %llu spelt otherwise, %llu where "
		      "objdump has none; first: %s\n", path, (unsigned long long)d->instructions,
		      (unsigned long long)d->undecoded, (unsigned long long)d->differ,
		      (unsigned long long)d->unknown, d->first);
	assert_that(d->instructions, >, 100);
	assert_that(d->differ * 1000, <=, d->instructions);
	assert_that(d->undecoded * 200, <=, d->instructions);
	assert_that(d->unknown * 1000, <=, d->instructions);
}

static void
texts_are_those_of_objdump(void **state)
{
	const struct fixture *f = *state;
	static const struct {
		const char *variable;
		struct differences (*compare)(const struct fixture *f, const char *path);
	} more[] = { { "PTOP_LISTING_FILES", compare_file }, { "PTOP_LISTING_WHOLE", compare_whole } };
	struct differences d;

	need_capstone();
	if (system("objdump --version >/dev/null 2>&1") != 0)
		skip_for("no objdump is here");
	assert_true(sh(f, "g++ -g -O2 -o names names.cc"));
	d = compare_file(f, in_dir(f, "names"));
	assert_alike("names", &d);
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		const char *list = getenv(more[i].variable);
		char *files = list != NULL ? strdup(list) : NULL, *rest = files;

		for (char *path; rest != NULL && (path = strsep(&rest, ":")) != NULL;) {
			d = more[i].compare(f, path);
			assert_alike(path, &d);
		}
		free(files);
	}
}

/*
 * What addr2line -i says of an address, each function's line, the innermost first.  That of binutils
 * 2.40 takes the name of the unit for the first file that a table of DWARF 5 changes to, so of that
 * the numbers of lines alone are compared.
 */
static void
oracle_lines(FILE *in, bool has_files, char *out, size_t size)
{
	char line[4096];
	size_t len = 0;

	/* Behind each answer comes that to 0, which has one line of question marks. */
	out[0] = '\0';
	while (fgets(line, sizeof(line), in) != NULL && strncmp(line, "??:", 3) != 0) {
		line[strcspn(line, " \n")] = '\0';
		len += (size_t)snprintf(out + len, size - len, "%s\n",
					has_files ? line : strrchr(line, ':') + 1);
		assert_that(len, <, size);
	}
}

static void
own_lines(const struct listing_lines *lines, uint32_t place, bool has_files, char *out,
	  size_t size)
{
	size_t len = 0;

	out[0] = '\0';
	if (place == LISTING_NONE)
		return;
	for (uint32_t i = 0; i < lines->places[place].count; i++) {
		const struct listing_frame *frame = &lines->places[place].frames[i];
		const char *path = frame->file != LISTING_NONE ? lines->files[frame->file].path
							       : "??";

		if (has_files)
			len += (size_t)snprintf(out + len, size - len, "%s:", path);
		if (frame->line != 0)
			len += (size_t)snprintf(out + len, size - len, "%u\n", frame->line);
		else
			len += (size_t)snprintf(out + len, size - len, "?\n");
		assert_that(len, <, size);
	}
}

/* Those of @l against addr2line; returns how many were compared. */
static unsigned
compare_lines(const char *path, const struct listing *l, const struct listing_lines *lines,
	      bool has_files)
{
	char command[512], want[16384], have[16384], list[64] = "/tmp/ptop-lines-XXXXXX";
	FILE *out = fdopen(mkstemp(list), "w"), *in;

	for (uint32_t i = 0; i < l->count; i++)
		fprintf(out, "%llx\n0\n", (unsigned long long)l->items[i].addr);
	fclose(out);
	snprintf(command, sizeof(command), "addr2line -i -e '%s' <%s", path, list);
	in = popen(command, "r");
	for (uint32_t i = 0; i < l->count; i++) {
		oracle_lines(in, has_files, want, sizeof(want));
		own_lines(lines, lines->count > 0 ? lines->places_of[i] : LISTING_NONE, has_files,
			  have, sizeof(have));
		if (strcmp(want, have) != 0)
			fail_msg("%llx: '%s', addr2line says '%s'",
				 (unsigned long long)l->items[i].addr, have, want);
	}
	pclose(in);
	unlink(list);
	return l->count;
}

/* Of all functions of a file; returns how many addresses were compared. */
static unsigned
compare_lines_of(const struct fixture *f, const char *path, bool has_files)
{
	struct symbol_ask ask = { .dso = 7, .kind = SYMBOL_ELF, .path = path };
	struct symbol_image_msg *m = ask_image(f, &ask);
	unsigned count = 0;

	for (uint32_t fn = 0; fn < image_count(m->image); fn++) {
		struct listing_lines *lines;
		struct listing *l;

		if (strstr(image_raw_name(m->image, fn), "plt") != NULL ||
		    strncmp(image_raw_name(m->image, fn), "_", 1) != 0 ||
		    image_size(m->image, fn) < 16)
			continue;
		ask_listing_of(f, path, image_address(m->image, fn),
			       image_size(m->image, fn), &l, &lines);
		if (lines->count > 0)
			count += compare_lines(path, l, lines, has_files);
		listing_put(l);
		listing_lines_put(lines);
	}
	msg_free(&m->msg);
	print_message("%u addresses\n", count);
	return count;
}

static void
lines_and_inlined_callers_are_those_of_addr2line(void **state)
{
	const struct fixture *f = *state;

	need_capstone();
	need_dwarf();
	if (system("addr2line --version >/dev/null 2>&1") != 0)
		skip_for("no addr2line is here");
	assert_true(sh(f, "g++ -gdwarf-4 -g -O2 -o inlined4 names.cc && "
			  "g++ -gdwarf-5 -g -O2 -o inlined5 names.cc && "
			  "g++ -gdwarf-4 -g -O1 -o lambda lambda.cc"));
	assert_that(compare_lines_of(f, in_dir(f, "inlined4"), true), >, 500);
	assert_that(compare_lines_of(f, in_dir(f, "inlined5"), false), >, 500);
	assert_that(compare_lines_of(f, in_dir(f, "lambda"), true), >, 20);
	if (getenv("PTOP_LISTING_LINES") != NULL)
		compare_lines_of(f, getenv("PTOP_LISTING_LINES"), true);
}

/* The lines of a file; the caller's. */
static struct listing_source *
ask_source(const struct fixture *f, const char *path, const char *dir, int pid, uint32_t first,
	   uint32_t last)
{
	const char *dirs[] = { dir, NULL };
	struct symbol_source_ask ask = { .dso = { .dso = 1, .pid = pid }, .id = 9, .file = 4,
					 .path = path, .first = first, .last = last,
					 .is_here = dir == NULL && pid == 0, .dirs = dirs };
	struct symbol_listing_msg *m;
	struct listing_source *s;

	symbol_service_ask_source(f->service, &ask);
	m = (struct symbol_listing_msg *)answer(f, SYMBOL_MSG_SOURCE);
	assert_int_equal(m->id, 9);
	assert_int_equal(m->file, 4);
	s = m->source;
	assert_non_null(s);
	m->source = NULL;
	msg_free(&m->msg);
	return s;
}

static void
assert_no_source(struct listing_source *s, const char *why)
{
	assert_int_equal(s->count, 0);
	if (strstr(s->why, why) == NULL)
		fail_msg("'%s' is not in '%s'", why, s->why);
	listing_source_put(s);
}

static void
sources_are_read_where_they_are_and_below_the_folders_of_the_user(void **state)
{
	const struct fixture *f = *state;
	struct listing_source *s = ask_source(f, in_dir(f, "named.c"), NULL, 0, 4, 5);

	assert_string_equal(s->why, "");
	assert_int_equal(s->first, 4);
	assert_int_equal(s->count, 2);
	assert_int_equal(s->total, 13);
	assert_string_equal(s->lines[1], "__attribute__((noinline)) int hot(int n)");
	assert_string_equal(s->found, in_dir(f, "named.c"));
	listing_source_put(s);
	/* The folders in front of it are another machine's. */
	assert_true(sh(f, "mkdir -p mine/src && cp named.c mine/src/"));
	s = ask_source(f, "/build/of-1.2/src/named.c", in_dir(f, "mine"), 0, 8, 8);
	assert_string_equal(s->why, "");
	assert_int_equal(s->count, 1);
	assert_string_equal(s->lines[0], "        for (int i = 0; i < n; i++)");
	assert_string_equal(s->found, in_dir(f, "mine/src/named.c"));
	listing_source_put(s);
	assert_no_source(ask_source(f, "/nowhere/named.cc", in_dir(f, "mine"), 0, 1, 9), "open");
	/* As debug data of a C library have it: no file is looked for, wherever it was recorded. */
	assert_no_source(ask_source(f, "malloc.c", NULL, (int)getpid(), 1, 9),
			 "the debug data do not tell the folder that it was in");
	/* Of a process: below its root, of which this one's is that here. */
	s = ask_source(f, in_dir(f, "named.c"), NULL, (int)getpid(), 1, 1);
	assert_int_equal(s->count, 1);
	listing_source_put(s);
}

/* What is refused is that process, and not the file, which all may read. */
static void
the_root_of_another_users_process_is_what_is_closed(void **state)
{
	const struct symbol_ask ask = { .kind = SYMBOL_SOURCE, .path = "/etc/passwd", .pid = (int)getpid() };
	pid_t child;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	child = fork();
	if (child == 0) {
		struct err err;

		if (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
			_exit(2);
		_exit(source_open(&ask, "/proc", &err) == -1 && err.code == ERR_DENIED &&
		      strstr(err.text, "in the root of process") != NULL ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void
hostile_sources_are_refused_cut_or_made_safe(void **state)
{
	const struct fixture *f = *state;
	struct listing_source *s;

	assert_true(sh(f, "mkdir -p top/in && mkfifo fifo && ln -s /etc/passwd top/in/link && "
			  "printf 'a\\0b\\n' >binary.c && printf 'x\\033[2Jy\\n' >escape.c && "
			  "head -c 3000000 /dev/zero | tr '\\0' a >wide.c && "
			  "truncate -s 1G huge.c && printf 'first\\n' | dd of=huge.c conv=notrunc && "
			  "head -c 9000 /dev/zero | tr '\\0' b | dd of=huge.c bs=1 seek=6 conv=notrunc"));
	assert_no_source(ask_source(f, in_dir(f, "fifo"), NULL, 0, 1, 9), "not a regular file");
	assert_no_source(ask_source(f, "/dev/zero", NULL, 0, 1, 9), "not a regular file");
	assert_no_source(ask_source(f, in_dir(f, "binary.c"), NULL, 0, 1, 9), "no text");
	assert_no_source(ask_source(f, "named.c", NULL, 0, 1, 9), "");
	/* Debug data that leads out of the user's folder. */
	assert_no_source(ask_source(f, "/../../../../../../etc/passwd", in_dir(f, "top"), 0, 1, 9), "");
	s = ask_source(f, in_dir(f, "escape.c"), NULL, 0, 1, 9);
	assert_string_equal(s->lines[0], "x\\x1b[2Jy");
	listing_source_put(s);
	s = ask_source(f, in_dir(f, "wide.c"), NULL, 0, 1, 9);
	assert_int_equal(s->count, 1);
	assert_int_equal(strlen(s->lines[0]), LISTING_LINE_MAX + 3);
	listing_source_put(s);
	s = ask_source(f, in_dir(f, "huge.c"), NULL, 0, 1, 1);
	assert_int_equal(s->count, 1);
	assert_string_equal(s->lines[0], "first");
	assert_int_equal(s->total, 0);
	listing_source_put(s);
	if (geteuid() == 0) {
		assert_true(sh(f, "cp named.c secret.c && chmod 600 secret.c"));
		assert_no_source(ask_source(f, in_dir(f, "secret.c"), NULL, 0, 1, 9), "not for all");
	}
}

static void
a_source_newer_than_its_program_is_said_to_be(void **state)
{
	const struct fixture *f = *state;
	struct listing_lines *lines;
	struct listing_source *s;
	struct symbol_source_ask ask = { .id = 1, .is_here = true, .first = 1, .last = 99 };
	struct symbol_listing_msg *m;
	struct listing *l;
	const char *want[] = { "", "newer" };

	assert_true(sh(f, "cp named.c aged.c && touch -d '2 days ago' aged.c && gcc -g -o aged aged.c"));
	for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
		list_function(f, "aged", "hot", &l, &lines);
		ask.path = in_dir(f, "aged.c");
		ask.dso.dso = *listing_dso();
		symbol_service_ask_source(f->service, &ask);
		m = (struct symbol_listing_msg *)answer(f, SYMBOL_MSG_SOURCE);
		s = m->source;
		assert_int_equal(s->count, 13);
		assert_non_null(strstr(s->warning, want[i]));
		assert_int_equal(*s->warning != '\0', *want[i] != '\0');
		msg_free(&m->msg);
		listing_put(l);
		listing_lines_put(lines);
		assert_true(sh(f, "touch -d '2 days' aged.c"));
	}
}

static void
sums_are_those_of_rfc_1321(void **state)
{
	static const struct {
		const char *text, *sum;
	} known[] = {
		{ "", "d41d8cd98f00b204e9800998ecf8427e" },
		{ "message digest", "f96b697d7cb7938d525a2f31aaf161d0" },
		{ "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		  "d174ab98d277d9f5a5611c2c9f419d9f" },
		{ "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
		  "57edf4a22be3c955ac49da2e2107b67a" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		for (size_t step = 1; step < 90; step += 11) {
			size_t len = strlen(known[i].text);
			char hex[2 * MD5_BYTES + 1];
			uint8_t sum[MD5_BYTES];
			struct md5 m;

			md5_begin(&m);
			for (size_t at = 0; at < len; at += step)
				md5_add(&m, known[i].text + at, MIN(step, len - at));
			md5_end(&m, sum);
			for (unsigned k = 0; k < MD5_BYTES; k++)
				snprintf(hex + 2 * k, 3, "%02x", sum[k]);
			assert_string_equal(hex, known[i].sum);
		}
}

/* The warning of a source whose sum the debug data of @lines tell. */
static void
assert_warns(const struct fixture *f, const struct listing_lines *lines, const char *path,
	     const char *warning)
{
	struct symbol_source_ask ask = { .dso.dso = *listing_dso(), .is_here = true, .first = 1,
					 .last = 9, .path = path, .has_md5 = true };
	struct symbol_listing_msg *m;

	assert_that(lines->file_count, >, 0);
	for (uint32_t i = 0; i < lines->file_count; i++)
		assert_true(lines->files[i].has_md5);
	memcpy(ask.md5, lines->files[0].md5, sizeof(ask.md5));
	symbol_service_ask_source(f->service, &ask);
	m = (struct symbol_listing_msg *)answer(f, SYMBOL_MSG_SOURCE);
	assert_that(m->source->count, >, 0);
	if (strncmp(m->source->warning, warning, strlen(warning)) != 0 ||
	    (*warning == '\0' && *m->source->warning != '\0'))
		fail_msg("'%s' is not '%s'", m->source->warning, warning);
	msg_free(&m->msg);
}

/* Assemblers put the sums there that compilers tell; that of binutils 2.40 its bytes the last first. */
static void
a_source_whose_sum_differs_is_said_to_be_another(void **state)
{
	static const char *const sums[] = { "", "| fold -w 2 | tac | tr -d '\\n'" };
	const struct fixture *f = *state;
	struct listing_lines *lines;
	struct listing *l;
	char command[400];

	need_dwarf();
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		write_text(f, "sum.c", "static inline int add(int a) { return a * 7 + 1; }\n"
			   "__attribute__((noinline)) int hot(int n) { return add(n); }\n"
			   "int main(int argc, char **argv) { (void)argv; return hot(argc); }\n");
		snprintf(command, sizeof(command),
			 "gcc -O2 -gdwarf-5 -S sum.c && sum=$(md5sum <sum.c | cut -c1-32 %s) && "
			 "sed -i -E \"s/^(\t\\.file [0-9]+ .*)/\\1 md5 0x$sum/\" sum.s && "
			 "gcc -o sum%zu sum.s && touch -d '2 days' sum.c", sums[i], i);
		assert_true(sh(f, command));
		snprintf(command, sizeof(command), "sum%zu", i);
		list_function(f, command, "hot", &l, &lines);
		assert_warns(f, lines, in_dir(f, "sum.c"), "");
		assert_true(sh(f, "echo >>sum.c && touch -d '2 days ago' sum.c"));
		assert_warns(f, lines, in_dir(f, "sum.c"), "the file is not the text that was compiled");
		listing_put(l);
		listing_lines_put(lines);
	}
}

static void
a_source_that_the_debug_data_has_needs_no_file(void **state)
{
	const struct fixture *f = *state;
	struct listing_lines *lines;
	struct listing *l;

	need_capstone();
	need_dwarf();
	if (system("clang --version >/dev/null 2>&1") != 0)
		skip_for("no clang is here");
	write_text(f, "own.c", "int sink;\n__attribute__((noinline)) void\nhot(int n)\n{\n"
		   "\twhile (n-- > 0) /* \033[31m */\n\t\tsink += n;\n}\nint main(void) { hot(9); return 0; }");
	assert_true(sh(f, "clang -O1 -gdwarf-5 -gembed-source -o own own.c && rm own.c"));
	list_function(f, "own", "hot", &l, &lines);
	assert_that(lines->file_count, >, 0);
	for (uint32_t i = 0; i < lines->file_count; i++) {
		const struct listing_source *s = lines->files[i].text;

		assert_non_null(s);
		assert_string_equal(s->why, "");
		assert_string_equal(s->found, "the debug data");
		assert_int_equal(s->first, 1);
		assert_int_equal(s->total, 8);
		assert_int_equal(s->count, 8);
		assert_string_equal(s->lines[5], "                sink += n;");
		assert_null(strchr(s->lines[4], '\033'));
		assert_non_null(strstr(s->lines[7], "int main(void)"));
	}
	listing_put(l);
	listing_lines_put(lines);
}

static void
what_is_no_code_is_bytes_and_what_is_too_much_is_left_out(void **state)
{
	const struct fixture *f = *state;
	struct listing_lines *lines;
	struct listing *l;

	need_capstone();
	need_x86();
	write_text(f, "odd.s",
		   ".text\n.globl big, none, main, data, twice, over\n"
		   ".type big, @function\nbig: .rept 1200000\n nop\n .endr\n ret\n.size big, .-big\n"
		   ".type data, @function\n"
		   "data: jmp 1f\n.byte 0x06,0x07,0x0e,0x16,0x17,0x1e,0x1f\n1: mov %rax,%rbx\n ret\n"
		   ".size data, .-data\n"
		   ".type twice, @function\n.type over, @function\n"
		   "twice: nop\nover: nop\n ret\n.size twice, .-twice\n.size over, .-over\n"
		   ".type none, @function\nnone: nop\n ret\n.size none, 0\n"
		   ".type main, @function\nmain: ret\n.size main, .-main\n");
	assert_true(sh(f, "gcc -o odd odd.s"));
	list_function(f, "odd", "data", &l, &lines);
	assert_int_equal(l->undecoded, 7);
	assert_string_equal(l->items[1].text, ".byte  0x06");
	assert_string_equal(l->items[8].text, "mov    %rax,%rbx");
	assert_int_equal(l->items[0].target_index, 8);
	assert_int_equal(l->count, 10);
	listing_put(l);
	assert_int_equal(lines->count, 0);
	assert_string_equal(lines->why, "no debug data");
	listing_lines_put(lines);
	list_function(f, "odd", "big", &l, &lines);
	assert_int_equal(l->count, LISTING_BYTES_MAX);
	assert_non_null(strstr(l->notices[l->notice_count - 1], "first MiB"));
	listing_put(l);
	listing_lines_put(lines);
	list_function(f, "odd", "twice", &l, &lines);
	assert_that(l->count, >, 0);
	listing_put(l);
	listing_lines_put(lines);
	list_function(f, "odd", "none", &l, &lines);
	assert_that(l->count, >, 0);
	listing_put(l);
	listing_lines_put(lines);
	/* Nothing is there, or no file. */
	ask_listing_of(f, in_dir(f, "odd"), UINT64_C(1) << 40, 100, &l, &lines);
	assert_int_equal(l->count, 0);
	assert_string_not_equal(l->why, "");
	listing_put(l);
	listing_lines_put(lines);
	ask_listing_of(f, in_dir(f, "is-not-there"), 0, 100, &l, &lines);
	assert_int_equal(l->count, 0);
	assert_string_not_equal(l->why, "");
	listing_put(l);
	listing_lines_put(lines);
}

/* A program of a function in the middle of a million bytes, and a line table of @rows for all. */
static void
assemble_rows(const struct fixture *f, const char *rows)
{
	char *text;

	assert_true(asprintf(&text,
		".text\nbase: .fill 500000,1,0x90\n"
		".globl f, main\n.type f, @function\nf: .fill 1000,1,0x90\n ret\n.size f, .-f\n"
		".fill 500000,1,0x90\nmain: ret\n"
		".section .debug_abbrev,\"\",@progbits\n"
		".byte 1,0x11,1, 0x10,0x17, 0x11,1, 0x12,7, 3,8, 0,0, 2,0x2e,0, 3,8, 0x11,1, 0x12,7,"
		" 0,0, 0\n"
		".section .debug_info,\"\",@progbits\n.long 2f-1f\n1: .value 4\n.long 0\n.byte 8\n"
		".byte 1\n.long 0\n.quad base, 1001001\n.asciz \"rows.c\"\n"
		".byte 2\n.asciz \"f\"\n.quad f, 1001\n.byte 0\n2:\n"
		".section .debug_line,\"\",@progbits\n.long 2f-1f\n1: .value 4\n.long 4f-3f\n"
		"3: .byte 1,1,1, 0,2,13, 0,1,1,1,1,0,0,0,1,0,0,1, 0\n.asciz \"rows.c\"\n"
		".byte 0,0,0, 0\n4: .byte 0,9,2\n.quad base\n%s\n.byte 0,1,1\n2:\n", rows) > 0);
	write_text(f, "rows.s", text);
	free(text);
	assert_true(sh(f, "gcc -o rows rows.s"));
}

static long
peak_kib(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return use.ru_maxrss;
}

/* How long a parser may take, and how much memory, is bounded for any file: symbol/parser. */
static void
line_tables_with_many_rows_or_that_go_in_circles_end(void **state)
{
	enum { GROWTH_MAX_KIB = 32 << 10 };
	const struct fixture *f = *state;
	static const struct {
		const char *rows;
		uint32_t line; /* of the function's first instruction, 0: any, or none */
	} tables[] = {
		{ ".fill 1000000,1,16", 500001 },                /* each a byte and a line further */
		{ ".fill 1000000,1,1\n.byte 2\n.uleb128 1001000", 1 },    /* all at one place */
		{ ".rept 100000\n.byte 0,9,2\n.quad base\n.byte 16\n.endr", 0 },   /* back again */
		{ ".rept 100000\n.byte 2\n.uleb128 0xffffffffffffffff\n.byte 1\n.endr", 0 },
		{ ".fill 1000000,1,0", 0 },                      /* instructions of no bytes */
		{ ".fill 30000000,1,1", 0 },                     /* more than there is memory for */
	};
	/* With a sanitizer memory has no bound: it would take all the time that a parser has. */
	const size_t count = ARRAY_SIZE(tables) - (IS_SANITIZED ? 1 : 0);
	long before_kib = peak_kib();

	need_dwarf();
	need_x86();
	for (size_t i = 0; i < count; i++) {
		struct listing_lines *lines;
		struct listing *l;

		assemble_rows(f, tables[i].rows);
		(*listing_dso())++; /* the same path, and another file */
		list_function(f, "rows", "f", &l, &lines);
		assert_that(l->count, >, 0);
		print_message("table %zu: %u lines, %u places, '%s'\n", i, lines->count,
			      lines->place_count, lines->why);
		if (tables[i].line != 0) {
			assert_int_equal(lines->count, l->count);
			assert_int_equal(lines->places[lines->places_of[0]].frames[0].line,
					 tables[i].line);
		}
		assert_int_equal(lines->count == 0, *lines->why != '\0');
		listing_put(l);
		listing_lines_put(lines);
	}
	assert_that(peak_kib() - before_kib, <, GROWTH_MAX_KIB);
}

/* A function whose every instruction accesses the member b, which is described as told. */
static void
assemble_member(const struct fixture *f, const char *b, const char *more)
{
	char *text;

	assert_true(asprintf(&text,
		".text\n.file 1 \"heavy.c\"\n.globl f, main\n.type f, @function\n"
		"f:\n.rept 1000\n.loc 1 5\n mov 4(%%rdi),%%eax\n.endr\n ret\n.size f, .-f\nmain: ret\nend:\n"
		".section .debug_line,\"\",@progbits\nrows:\n"
		".section .debug_abbrev,\"\",@progbits\n"
		".byte 1,0x11,1, 0x10,0x17, 0x11,1, 0x12,7, 3,8, 0,0\n" /* unit, function, parameter */
		".byte 2,0x2e,1, 3,8, 0x11,1, 0x12,7, 0,0, 3,5,0, 3,8, 0x49,0x13, 2,0x18, 0,0\n"
		".byte 4,0xf,0, 0x49,0x13, 0,0, 5,0x13,1, 0xb,0xb, 0,0\n" /* pointer, structure */
		".byte 6,0xd,0, 3,8, 0x49,0x13, 0x38,0xb, 0,0\n"         /* member, and with children */
		".byte 7,0xd,1, 3,8, 0x49,0x13, 0x38,0xb, 0,0, 8,0x24,0, 0xb,0xb, 0,0\n" /* int */
		".byte 9,1,1, 0x49,0x13, 0,0, 10,0x21,1, 0x2f,0xb, 0,0\n" /* array, its range */
		".byte 11,0xb,0, 0,0, 0\n"                                /* a block */
		".section .debug_info,\"\",@progbits\ninfo: .long 2f-1f\n1: .value 4\n.long 0\n.byte 8\n"
		".byte 1\n.long rows\n.quad f, end-f\n.asciz \"heavy.c\"\n"
		".byte 2\n.asciz \"f\"\n.quad f, main-f\n.byte 3\n.asciz \"p\"\n.long pointer-info\n"
		".byte 1,0x55, 0\npointer: .byte 4\n.long structure-info\nnumber: .byte 8,4\n"
		"structure: .byte 5,8, 6\n.asciz \"a\"\n.long number-info\n.byte 0\n"
		"%s\n.byte 0\n%s\n.byte 0\n2:\n", b, more) > 0);
	write_text(f, "heavy.s", text);
	free(text);
	assert_true(sh(f, "gcc -no-pie -o heavy heavy.s"));
}

/* libdw walks all that lies in an entry to pass it by: here 30 MB, for each of 1,000 instructions. */
static void
members_whose_entries_are_too_heavy_cost_no_lines(void **state)
{
#define HEAVY ".fill 30000000,1,11\n.byte 0\n"
	static const struct { const char *b, *more, *name; } members[] = {
		{ ".byte 6\n.asciz \"b\"\n.long number-info\n.byte 4", "", "p->b" },
		{ ".byte 7\n.asciz \"b\"\n.long number-info\n.byte 4\n" HEAVY, "", NULL },
		{ ".byte 6\n.asciz \"b\"\n.long array-info\n.byte 4",
		  "array: .byte 9\n.long number-info\n.byte 10,1\n" HEAVY ".byte 0", NULL },
	};
	const struct fixture *f = *state;

	need_capstone();
	need_dwarf();
	need_x86();
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		struct listing_lines *lines;
		struct listing *l;

		assemble_member(f, members[i].b, members[i].more);
		(*listing_dso())++; /* the same path, and another file */
		list_function(f, "heavy", "f", &l, &lines);
		assert_that(l->count, >, 1000);
		assert_int_equal(lines->count, l->count);
		if (members[i].name != NULL)
			is_at(instruction_of(l, lines, members[i].name), "0x4(%rdi)");
		listing_put(l);
		listing_lines_put(lines);
	}
#undef HEAVY
}

static int
setup(void **state)
{
	if (fixture_setup(state) != 0)
		return -1;
	write_sources(*state);
	return 0;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_variables_and_texts_are_named),
		cmocka_unit_test(calls_of_a_kernel_module_have_the_names_that_it_is_linked_by),
		cmocka_unit_test(numbers_are_no_addresses),
		cmocka_unit_test(members_are_named_by_the_variable_whose_register_they_are_behind),
		cmocka_unit_test(members_whose_entries_are_too_heavy_cost_no_lines),
		cmocka_unit_test(samples_of_code_that_is_not_here_are_told_by_address_all_the_same),
		cmocka_unit_test(jumps_lead_to_instructions),
		cmocka_unit_test(texts_are_those_of_objdump),
		cmocka_unit_test(what_is_no_code_is_bytes_and_what_is_too_much_is_left_out),
		cmocka_unit_test(sources_are_read_where_they_are_and_below_the_folders_of_the_user),
		cmocka_unit_test(the_root_of_another_users_process_is_what_is_closed),
		cmocka_unit_test(hostile_sources_are_refused_cut_or_made_safe),
		cmocka_unit_test(a_source_newer_than_its_program_is_said_to_be),
		cmocka_unit_test(sums_are_those_of_rfc_1321),
		cmocka_unit_test(a_source_whose_sum_differs_is_said_to_be_another),
		cmocka_unit_test(a_source_that_the_debug_data_has_needs_no_file),
		cmocka_unit_test(lines_and_inlined_callers_are_those_of_addr2line),
		/* The last: it may leave the parser without memory, which ends it. */
		cmocka_unit_test(line_tables_with_many_rows_or_that_go_in_circles_end),
	};

	return cmocka_run_group_tests_name("listings of code", tests, setup, fixture_teardown);
}
