/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of kernel code that comes and goes: what was sampled keeps the name that it had then. */
#include "profile_fixture.h"

#include "base/buf.h"

enum { REGISTERED, UNREGISTERED };

#define BPF_AT UINT64_C(0xffffffffc0500000)
#define EXT4_AT UINT64_C(0xffffffffc0331000)
#define KERNEL_AT UINT64_C(0xffffffff81000000)

struct symbol {
	uint64_t addr;
	const char *name, *module;
};

static const struct symbol at_first[] = {
	{ KERNEL_AT, "do_one", "" },
	{ KERNEL_AT + 0x100, "do_two", "" },
	{ BPF_AT, "bpf_prog_1111111111111111_old", "bpf" },
};

static const struct symbol with_module[] = {
	{ KERNEL_AT - 0x100, "do_zero", "" }, /* all others have another number than before */
	{ KERNEL_AT, "do_one", "" },
	{ KERNEL_AT + 0x100, "do_two", "" },
	{ EXT4_AT, "ext4_readdir", "ext4" },
	{ EXT4_AT + 0x100, "ext4_write", "ext4" },
	{ EXT4_AT + 0x200, "kprobe_insn_page", "__builtin__kprobes" },
};

static struct image *
image_with(const struct symbol *symbols, size_t n)
{
	struct image_build *build = image_build_new(NULL);
	struct image *image;

	for (size_t i = 0; i < n; i++) {
		const struct symbol *s = &symbols[i];

		image_build_add(build, &(struct image_symbol){
			.addr = s->addr, .size = 0x100, .name = s->name,
			.name_len = strlen(s->name), .binding = IMAGE_GLOBAL,
			.module = image_build_module(build, s->module, strlen(s->module)) });
	}
	image = image_open(image_build_finish(build, NULL), NULL);
	image_build_free(build);
	assert_non_null(image);
	return image;
}

static void
learn(struct fixture *b, const struct symbol *symbols, size_t n)
{
	locations_learn_image(&b->locations, DSO_ID_KERNEL, image_with(symbols, n), "", "");
}

static uint32_t
find(struct fixture *b, uint64_t addr)
{
	return locations_find(&b->locations, DSO_ID_KERNEL, addr);
}

/* "[bpf] name", or "[kernel] -" for what has none. */
static const char *
name_of(const struct fixture *b, uint32_t id)
{
	static char text[128];
	const struct location *loc;

	id = locations_resolve(&b->locations, id);
	loc = &b->locations.items[id];
	snprintf(text, sizeof(text), "%s %s",
		 strs_get(&b->model->strs, dsos_get(&b->model->dsos, loc->dso)->name),
		 loc->kind == LOCATION_FUNCTION ? strs_get(&b->model->strs, loc->name) : "-");
	return text;
}

/* As the engine takes it. */
static void
tell_symbol(struct fixture *b, uint64_t addr, uint16_t flags, const char *name)
{
	struct ksymbol was = { .start = addr, .end = addr + 0x100, .is_bpf = true };

	if (flags == UNREGISTERED)
		was.name = strs_add_str(&b->model->strs, name);
	locations_kernel_changes(&b->locations, &was);
	model_record(b->model, &(struct record){ .type = REC_KSYMBOL, .ksymbol = {
		.addr = addr, .len = 0x100, .kind = 1, .flags = flags, .name = name } });
}

static void
a_program_at_the_place_of_another_does_not_take_its_name(void **state)
{
	struct fixture b;
	uint32_t one, two, three;

	(void)state;
	bench_open(&b, 1 << 20);
	learn(&b, at_first, ARRAY_SIZE(at_first));
	tell_symbol(&b, BPF_AT + 0x200, REGISTERED, "bpf_prog_2_one");
	one = find(&b, BPF_AT + 0x210);
	assert_string_equal(name_of(&b, one), "[bpf] bpf_prog_2_one");
	tell_symbol(&b, BPF_AT + 0x200, UNREGISTERED, "bpf_prog_2_one");
	tell_symbol(&b, BPF_AT + 0x200, REGISTERED, "bpf_prog_3_two");
	two = find(&b, BPF_AT + 0x210);
	assert_string_equal(name_of(&b, two), "[bpf] bpf_prog_3_two");
	assert_string_equal(name_of(&b, one), "[bpf] bpf_prog_2_one");
	tell_symbol(&b, BPF_AT + 0x200, UNREGISTERED, "bpf_prog_3_two");
	three = find(&b, BPF_AT + 0x210);
	assert_string_equal(name_of(&b, three), "[kernel] -");
	bench_close(&b);
}

static void
a_program_of_the_image_that_was_unloaded_gets_no_more_samples(void **state)
{
	struct fixture b;
	uint32_t old;

	(void)state;
	bench_open(&b, 1 << 20);
	learn(&b, at_first, ARRAY_SIZE(at_first));
	old = find(&b, BPF_AT + 1);
	assert_string_equal(name_of(&b, old), "[bpf] bpf_prog_1111111111111111_old");
	tell_symbol(&b, BPF_AT, UNREGISTERED, "bpf_prog_1111111111111111_old");
	assert_string_equal(name_of(&b, find(&b, BPF_AT + 1)), "[kernel] -");
	tell_symbol(&b, BPF_AT, REGISTERED, "bpf_prog_2_new");
	assert_string_equal(name_of(&b, find(&b, BPF_AT + 1)), "[bpf] bpf_prog_2_new");
	tell_symbol(&b, BPF_AT, UNREGISTERED, "bpf_prog_2_new");
	assert_string_equal(name_of(&b, find(&b, BPF_AT + 1)), "[kernel] -");
	assert_string_equal(name_of(&b, old), "[bpf] bpf_prog_1111111111111111_old");
	bench_close(&b);
}

static void
samples_that_wait_for_the_image_get_the_name_of_their_time(void **state)
{
	struct fixture b;
	uint32_t one, two, kernel;

	(void)state;
	bench_open(&b, 1 << 20);
	kernel = find(&b, KERNEL_AT + 1);
	one = find(&b, BPF_AT + 1);
	tell_symbol(&b, BPF_AT, UNREGISTERED, "bpf_prog_2_one");
	tell_symbol(&b, BPF_AT, REGISTERED, "bpf_prog_3_two");
	two = find(&b, BPF_AT + 1);
	learn(&b, at_first, ARRAY_SIZE(at_first));
	assert_string_equal(name_of(&b, one), "[bpf] bpf_prog_2_one");
	assert_string_equal(name_of(&b, two), "[bpf] bpf_prog_3_two");
	assert_string_equal(name_of(&b, kernel), "[kernel] do_one");
	assert_int_equal(b.locations.pending, 0);
	bench_close(&b);
}

static void
a_module_that_comes_has_names_for_what_was_sampled_before(void **state)
{
	struct fixture b;
	uint32_t one, two, readdir, write;

	(void)state;
	bench_open(&b, 1 << 20);
	b.locations.kernel_changes = true;
	learn(&b, at_first, ARRAY_SIZE(at_first));
	one = find(&b, KERNEL_AT + 1);
	two = find(&b, KERNEL_AT + 0x101);
	assert_false(b.locations.kernel_missed);
	readdir = find(&b, EXT4_AT + 1);
	write = find(&b, EXT4_AT + 0x101);
	assert_true(b.locations.kernel_missed);
	learn(&b, with_module, ARRAY_SIZE(with_module));
	assert_string_equal(name_of(&b, readdir), "[ext4] ext4_readdir");
	assert_string_equal(name_of(&b, write), "[ext4] ext4_write");
	assert_string_equal(name_of(&b, find(&b, EXT4_AT + 0x201)), "[kernel] kprobe_insn_page");
	/* What was known stays the same row, though its number in the image is another one. */
	assert_int_equal(find(&b, KERNEL_AT + 2), one);
	assert_int_equal(find(&b, KERNEL_AT + 0x102), two);
	assert_string_equal(name_of(&b, two), "[kernel] do_two");
	assert_int_equal(b.locations.items[two].fn, 2);
	bench_close(&b);
}

static void
a_module_that_went_leaves_its_name_to_its_samples_alone(void **state)
{
	struct fixture b;
	uint32_t readdir, later;

	(void)state;
	bench_open(&b, 1 << 20);
	b.locations.kernel_changes = true;
	readdir = find(&b, EXT4_AT + 1); /* waits, as at the start */
	learn(&b, with_module, ARRAY_SIZE(with_module));
	assert_string_equal(name_of(&b, readdir), "[ext4] ext4_readdir");
	learn(&b, at_first, ARRAY_SIZE(at_first));
	later = find(&b, EXT4_AT + 1);
	assert_int_equal(locations_keep_image(&b.locations, DSO_ID_KERNEL), 1);
	assert_string_equal(name_of(&b, later), "[kernel] -");
	assert_string_equal(name_of(&b, readdir), "[ext4] ext4_readdir");
	learn(&b, with_module, ARRAY_SIZE(with_module));
	assert_string_equal(name_of(&b, find(&b, EXT4_AT + 1)), "[ext4] ext4_readdir");
	assert_string_equal(name_of(&b, later), "[kernel] -");
	bench_close(&b);
}

static void
what_nothing_names_waits_once_and_is_a_page_then(void **state)
{
	struct fixture b;
	uint32_t first;

	(void)state;
	bench_open(&b, 1 << 20);
	b.locations.kernel_changes = true;
	learn(&b, at_first, ARRAY_SIZE(at_first));
	first = find(&b, EXT4_AT + 1);
	assert_int_equal(b.locations.items[first].kind, LOCATION_PENDING);
	assert_int_equal(locations_keep_image(&b.locations, DSO_ID_KERNEL), 1);
	b.locations.kernel_missed = false;
	/* Another place of the page: nothing waits, but it is to be looked for again. */
	assert_int_equal(find(&b, EXT4_AT + 7), locations_resolve(&b.locations, first));
	assert_true(b.locations.kernel_missed);
	bench_close(&b);
}

static void
a_recordings_programs_are_those_of_its_records(void **state)
{
	struct fixture b;

	(void)state;
	bench_open(&b, 1 << 20);
	model_set_from_file(b.model);
	learn(&b, at_first, ARRAY_SIZE(at_first));
	assert_string_equal(name_of(&b, find(&b, BPF_AT + 1)), "[kernel] -");
	assert_string_equal(name_of(&b, find(&b, KERNEL_AT + 1)), "[kernel] do_one");
	tell_symbol(&b, BPF_AT, REGISTERED, "bpf_prog_2_its_own");
	assert_string_equal(name_of(&b, find(&b, BPF_AT + 1)), "[bpf] bpf_prog_2_its_own");
	bench_close(&b);
}

static void
what_the_kernel_makes_for_itself_is_its_own(void **state)
{
	struct record page = { .type = REC_KSYMBOL,
			       .ksymbol = { .addr = BPF_AT, .len = 0x1000, .kind = 2,
					    .name = "kprobe_optinsn_page" } };
	struct record poke = { .type = ABI_RECORD_TEXT_POKE, .text_poke = { .addr = KERNEL_AT } };
	struct fixture b;

	(void)state;
	bench_open(&b, 1 << 20);
	learn(&b, at_first, ARRAY_SIZE(at_first));
	model_record(b.model, &page);
	model_record(b.model, &poke);
	assert_string_equal(name_of(&b, find(&b, BPF_AT + 0x800)), "[kernel] kprobe_optinsn_page");
	assert_string_equal(name_of(&b, find(&b, KERNEL_AT)), "[kernel] do_one");
	bench_close(&b);
}

static const char *
source_of(const struct fixture *b, uint32_t dso)
{
	return strs_get(&b->model->strs, dso_source_names(&b->locations, dso));
}

/* Its functions come with the kernel's image, but where a file of its own was looked for. */
static void
a_modules_names_are_the_kernels_until_its_own_file_was_asked_for(void **state)
{
	struct fixture b;
	uint32_t loaded, found;

	(void)state;
	bench_open(&b, 1 << 20);
	learn(&b, at_first, ARRAY_SIZE(at_first));
	dso_source_learn_names(&b.locations, DSO_ID_KERNEL, "/proc/kallsyms");
	loaded = dsos_module(&b.model->dsos, "ext4");
	found = dsos_module(&b.model->dsos, "xfs");
	dsos_learn_path(&b.model->dsos, found, "/lib/modules/xfs.ko");
	locations_symbols(&b.locations, loaded)->state = SYMBOLS_FAILED;
	assert_string_equal(source_of(&b, loaded), "/proc/kallsyms");
	assert_string_equal(source_of(&b, found), "/proc/kallsyms");
	locations_learn_image(&b.locations, found, NULL, "stripped", "");
	assert_string_equal(source_of(&b, found), "");
	dso_source_learn_names(&b.locations, found, "/lib/modules/xfs.ko");
	assert_string_equal(source_of(&b, found), "/lib/modules/xfs.ko");
	bench_close(&b);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_at_the_place_of_another_does_not_take_its_name),
		cmocka_unit_test(a_program_of_the_image_that_was_unloaded_gets_no_more_samples),
		cmocka_unit_test(samples_that_wait_for_the_image_get_the_name_of_their_time),
		cmocka_unit_test(a_module_that_comes_has_names_for_what_was_sampled_before),
		cmocka_unit_test(a_module_that_went_leaves_its_name_to_its_samples_alone),
		cmocka_unit_test(what_nothing_names_waits_once_and_is_a_page_then),
		cmocka_unit_test(a_recordings_programs_are_those_of_its_records),
		cmocka_unit_test(what_the_kernel_makes_for_itself_is_its_own),
		cmocka_unit_test(a_modules_names_are_the_kernels_until_its_own_file_was_asked_for),
	};

	return cmocka_run_group_tests_name("kernel code", tests, NULL, NULL);
}
