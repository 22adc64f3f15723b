/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's list of functions, read again when modules have come: who records is told.  Names of
 * threads.
 */
#include "engine/leaf/engine_msg.h"
#include "engine/names/names_impl.h"
#include "tests/profile_fixture.h"

static void
count_lists(void *self)
{
	++*(unsigned *)self;
}

/* The room names, with a profile behind it. */
struct room {
	struct fixture b;
	struct engine_config config;
	struct file_policy policy;
	struct engine_env env;
	struct agenda agenda;
	struct own_cost cost;
	struct names nm;
	uint64_t files;
	struct queue *front_end;
};

static void
room_open(struct room *r)
{
	*r = (struct room){ .config = { .vmlinux = NULL } };
	bench_open(&r->b, 24 << 20);
	r->front_end = queue_new();
	r->env = (struct engine_env){ .config = &r->config, .policy = &r->policy,
				      .notes = notes_new(r->front_end), .model = r->b.model,
				      .locations = &r->b.locations, .profile = r->b.profile,
				      .cost = &r->cost };
	r->nm.env = &r->env;
	r->b.locations.kernel_changes = true;
}

static void
room_close(struct room *r)
{
	notes_free(r->env.notes);
	queue_free(r->front_end);
	bench_close(&r->b);
}

/* The answer to the question for the list: @functions NULL: there is no newer one, @why. */
static void
answer_why(struct room *r, struct image *functions, const char *why, const char *remedy)
{
	struct symbol_image_msg m = { .dso = DSO_ID_KERNEL, .image = functions };

	snprintf(m.reason, sizeof(m.reason), "%s", why);
	snprintf(m.remedy, sizeof(m.remedy), "%s", remedy);
	r->nm.kernel.is_asked = true;
	kernel_names_learn(&r->nm, &m);
	assert_false(r->nm.kernel.is_asked);
	image_free(m.image);
}

static void
answer(struct room *r, struct image *functions)
{
	answer_why(r, functions, "", "");
}

/* A recording that goes on has the functions of modules that are loaded meanwhile. */
static void
a_recorder_is_told_of_each_new_list_of_the_kernels_functions(void **state)
{
	static const struct names_observer recorder = { .kernel = count_lists };
	unsigned lists = 0;
	struct room r;

	(void)state;
	room_open(&r);
	names_observe(&r.nm, &recorder, &lists);
	answer(&r, make_image(10, 16));
	assert_int_equal(lists, 1);
	answer(&r, NULL);
	assert_int_equal(lists, 1);
	answer(&r, make_image(20, 16));
	assert_int_equal(lists, 2);
	room_close(&r);
}

/* Code without a name must not have the list read every three seconds for ever. */
static void
each_list_that_is_read_again_is_looked_for_after_twice_as_long(void **state)
{
	struct room r;

	(void)state;
	room_open(&r);
	answer(&r, make_image(10, 16));
	assert_int_equal(r.nm.kernel.again_ns, 3 * NSEC_PER_SEC);
	for (uint64_t s = 6; s < 600; s *= 2) {
		answer(&r, make_image(10, 16));
		assert_int_equal(r.nm.kernel.again_ns, s * NSEC_PER_SEC);
	}
	for (int i = 0; i < 2; i++) {
		answer(&r, make_image(10, 16));
		assert_int_equal(r.nm.kernel.again_ns, 600 * NSEC_PER_SEC);
	}
	/* To see that nothing has changed costs next to nothing. */
	answer(&r, NULL);
	assert_int_equal(r.nm.kernel.again_ns, 3 * NSEC_PER_SEC);
	room_close(&r);
}

/* Their numbers are those of functions of the list before. */
static void
a_new_list_waits_while_names_of_the_last_one_are_on_their_way(void **state)
{
	struct room r;
	struct image *first = make_image(10, 16);

	(void)state;
	room_open(&r);
	answer(&r, first);
	for (int i = 0; i < 2; i++) {
		r.nm.asked_names = i == 0;
		r.b.locations.name_len = i == 1;
		r.b.locations.kernel_missed = false;
		answer(&r, make_image(20, 16));
		assert_ptr_equal(locations_symbols(&r.b.locations, DSO_ID_KERNEL)->image, first);
		assert_true(r.b.locations.kernel_missed);
	}
	r.b.locations.name_len = 0;
	answer(&r, make_image(20, 16));
	assert_ptr_not_equal(locations_symbols(&r.b.locations, DSO_ID_KERNEL)->image, first);
	room_close(&r);
}

/* What was counted before there was a list, or beyond it, moves to its function. */
static void
counts_move_to_their_function_once_the_list_has_it(void **state)
{
	struct room r;

	(void)state;
	room_open(&r);
	locations_find(&r.b.locations, DSO_ID_KERNEL, 5 * 16);
	answer(&r, make_image(10, 16));
	assert_true(r.b.profile->fold_due);
	r.b.profile->fold_due = false;
	answer(&r, make_image(10, 16));
	answer(&r, NULL);
	assert_false(r.b.profile->fold_due);
	/* In no list, this one and the next: it is code without a name. */
	locations_find(&r.b.locations, DSO_ID_KERNEL, 5000 * 16);
	answer(&r, NULL);
	assert_true(r.b.profile->fold_due);
	room_close(&r);
}

static void
assert_said(struct room *r, const char *text)
{
	struct msg *m = queue_take(r->front_end);

	if (text == NULL) {
		assert_null(m);
		return;
	}
	assert_non_null(m);
	assert_true(((struct engine_text_msg *)m)->is_error);
	assert_string_equal(((struct engine_text_msg *)m)->text, text);
	msg_free(m);
}

static struct image *
recorded_image(const struct file_policy *p, const char *path)
{
	(void)p;
	return path == NULL ? make_image(30, 16) : NULL;
}

static size_t
kernel_build_id(const struct file_policy *p, uint8_t id[BUILD_ID_MAX])
{
	(void)p;
	memset(id, 1, BUILD_ID_MAX);
	return BUILD_ID_MAX;
}

static uint64_t
kernel_text(const struct file_policy *p)
{
	(void)p;
	return 0xffffffff81000000;
}

/* A file that the user named and that is of no use is said, once, and names come from elsewhere. */
static void
a_list_that_the_user_named_and_cannot_be_read_is_told(void **state)
{
	static const struct {
		bool is_vmlinux, is_this_kernel;
		const char *remedy, *said;
	} rows[] = {
		{ true, false, "name another", "--vmlinux: it is empty: name another" },
		{ false, false, "", "--kallsyms: it is empty" },
		{ false, true, "", "--kallsyms: it is empty" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct dso_symbols *kernel;
		struct room r;

		room_open(&r);
		kernel = locations_symbols(&r.b.locations, DSO_ID_KERNEL);
		if (rows[i].is_vmlinux)
			r.config.vmlinux = "/file";
		else
			r.config.kallsyms = "/file";
		r.policy = (struct file_policy){ .is_this_kernel = rows[i].is_this_kernel,
						 .image = recorded_image,
						 .kernel_text = kernel_text,
						 .kernel_build_id = kernel_build_id };
		answer_why(&r, NULL, "it is empty", rows[i].remedy);
		assert_said(&r, rows[i].said);
		assert_int_equal(kernel->state, rows[i].is_this_kernel ? SYMBOLS_READY
								       : SYMBOLS_FAILED);
		answer_why(&r, NULL, "it is empty", rows[i].remedy);
		assert_said(&r, NULL);
		room_close(&r);
	}
}

static void
identify(const struct file_policy *p, struct symbol_ask *ask)
{
	(void)p;
	(void)ask;
}

static uint64_t
no_kernel_text(const struct file_policy *p)
{
	(void)p;
	return 0;
}

static size_t
no_build_id(const struct file_policy *p, uint8_t id[BUILD_ID_MAX])
{
	(void)p;
	(void)id;
	return 0;
}

/* Who may not see addresses reads the truth, and the vdso depends on the build alone. */
static void
a_kernel_whose_addresses_are_hidden_is_not_called_another_one(void **state)
{
	static const struct {
		struct file_policy policy;
		const char *reason, *of_vdso; /* NULL: it is had */
	} rows[] = {
		{ { .is_this_build = true, .is_kernel_hidden = true, .kernel_text = kernel_text,
		    .kernel_build_id = kernel_build_id },
		  "the kernel's addresses are hidden from this user", NULL },
		{ { .is_this_build = true, .kernel_text = no_kernel_text,
		    .kernel_build_id = kernel_build_id },
		  "the recording does not say where the kernel was", NULL },
		{ { .kernel_text = no_kernel_text, .kernel_build_id = no_build_id },
		  "the recording does not say where the kernel was",
		  "not known whether it is this kernel's" },
		{ { .kernel_text = kernel_text, .kernel_build_id = kernel_build_id },
		  "another kernel", "another kernel" },
		{ { .kernel_text = kernel_text, .kernel_build_id = no_build_id },
		  "no build-id of its kernel: those that were cut off, from a pipe, or by perf record "
		  "-z or -B, have none",
		  "not known whether it is this kernel's" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct image_ask vdso = { .dso = DSO_ID_VDSO };
		const struct no_image *why;
		const struct dso_symbols *kernel;
		struct symbol_ask a;
		struct room r;

		room_open(&r);
		kernel = locations_symbols(&r.b.locations, DSO_ID_KERNEL);
		r.policy = rows[i].policy;
		r.policy.identify = identify;
		kernel_names_step(&r.nm);
		assert_int_equal(kernel->state, SYMBOLS_FAILED);
		assert_non_null(strstr(strs_get(&r.b.model->strs, kernel->reason), rows[i].reason));
		why = files_ask(&r.nm, &vdso, &a);
		assert_int_equal(why == NULL, rows[i].of_vdso == NULL);
		if (why != NULL)
			assert_non_null(strstr(why->reason, rows[i].of_vdso));
		room_close(&r);
	}
}

/* NULL: nothing is missing. */
static const char *
told(const struct room *r, struct arena *arena)
{
	struct snapshot_limit l;

	if (!kernel_names_limit(&r->nm, arena, &l))
		return NULL;
	return arena_printf(arena, "%s: %s", l.text, l.remedy);
}

/* Why, and what would give them, while there are samples of it. */
static void
a_kernel_without_names_is_told_once_it_has_samples(void **state)
{
	struct arena arena = { 0 };
	struct room r;

	(void)state;
	room_open(&r);
	r.policy.has_processes = true;
	answer_why(&r, NULL, "kptr_restrict hides it", "sudo sysctl kernel.kptr_restrict=0");
	assert_null(told(&r, &arena));
	locations_find(&r.b.locations, DSO_ID_KERNEL, 5 * 16);
	assert_string_equal(told(&r, &arena),
			    "functions of the kernel have no names: kptr_restrict hides it: "
			    "sudo sysctl kernel.kptr_restrict=0");
	arena_release(&arena);
	room_close(&r);
	room_open(&r);
	r.policy.has_processes = true;
	answer(&r, make_image(10, 16));
	locations_find(&r.b.locations, DSO_ID_KERNEL, 5000 * 16);
	assert_null(told(&r, &arena));
	room_close(&r);
}

/* Those of other machines have some samples of their kernel, too. */
static void
a_recorded_kernel_without_names_is_told_if_it_is_much(void **state)
{
	struct arena arena = { 0 };
	struct room r;

	(void)state;
	room_open(&r);
	answer_why(&r, NULL, "it is another one", "--kallsyms");
	bench_exec(&r.b, 40, 0);
	for (int i = 0; i < 19; i++)
		bench_sample(&r.b, 0, 40, 40, 0, DSO_ID_KERNEL, 5 * 16, 0, 1);
	assert_null(told(&r, &arena));
	bench_sample(&r.b, 0, 40, 40, 0, DSO_ID_KERNEL, 5 * 16, 0, 1);
	assert_string_equal(told(&r, &arena),
			    "functions of the kernel have no names: it is another one: --kallsyms");
	for (int i = 0; i < 181; i++)
		bench_sample(&r.b, 0, 40, 40, 0, dsos_code(&r.b.model->dsos, 40), 16, 0, 1);
	assert_null(told(&r, &arena));
	arena_release(&arena);
	room_close(&r);
}

/* On a live screen rows and the view unnamed tell; what a feed sends has its reason. */
static void
files_without_names_are_told_by_reports_if_they_are_much(void **state)
{
	static const struct {
		bool has_processes, is_watched, is_fed, is_told;
	} rows[] = {
		{ false, false, false, true },
		{ false, true, false, true },
		{ true, false, false, true },
		{ true, true, false, false },
		{ true, false, true, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena arena = { 0 };
		struct snapshot_limit l;
		struct room r;
		uint32_t dso;

		room_open(&r);
		r.policy.has_processes = rows[i].has_processes;
		r.config.is_watched = rows[i].is_watched;
		r.config.is_fed = rows[i].is_fed;
		dso = dsos_file(&r.b.model->dsos, "/bin/closed", 8, 1, 7, 0);
		bench_exec(&r.b, 40, 0);
		for (int n = 0; n < 19; n++)
			bench_sample(&r.b, 0, 40, 40, 0, dso, 16, 0, 1);
		locations_learn_image(&r.b.locations, dso, NULL, "Permission denied", "run as root");
		assert_false(unnamed_files_limit(&r.nm, &arena, &l));
		bench_sample(&r.b, 0, 40, 40, 0, dso, 16, 0, 1);
		assert_int_equal(unnamed_files_limit(&r.nm, &arena, &l), rows[i].is_told);
		if (rows[i].is_told) {
			assert_string_equal(l.text, "functions of 'closed' have no names (100.0 % of "
						    "samples): Permission denied");
			assert_string_equal(l.remedy, "run as root");
		}
		for (int n = 0; n < 181; n++)
			bench_sample(&r.b, 0, 40, 40, 0, dsos_code(&r.b.model->dsos, 40), 16, 0, 1);
		assert_false(unnamed_files_limit(&r.nm, &arena, &l));
		arena_release(&arena);
		room_close(&r);
	}
}

/* A report has all that it asked for; a screen goes on meanwhile. */
static void
thousands_of_threads_get_their_names_after_each_other_on_a_screen(void **state)
{
	struct queue *answers = queue_new();
	struct feed feed = { .comm_len = 5000 };
	struct room r;

	(void)state;
	room_open(&r);
	r.env.feed = &feed;
	r.env.proc = proc_reader_new("/", answers);
	feed.comms = mem_calloc(feed.comm_len, sizeof(*feed.comms));
	for (size_t i = 0; i < feed.comm_len; i++)
		feed.comms[i] = (struct comm_ask){ 1, i % 1000 == 0 ? 7 : 8, 7 };
	r.config.is_watched = true;
	names_ask_comms(&r.nm);
	assert_int_equal(r.nm.asked_comms, 105);
	names_ask_comms(&r.nm);
	assert_int_equal(r.nm.asked_comms, 105);
	r.nm.comms_ns -= NSEC_PER_SEC;
	names_ask_comms(&r.nm);
	assert_int_equal(r.nm.asked_comms, 205);
	/* Whoever has gone into a process reads them. */
	r.env.profile->keep_process = 8;
	r.nm.comms_ns -= NSEC_PER_SEC;
	names_ask_comms(&r.nm);
	assert_int_equal(r.nm.asked_comms, 705);
	assert_int_equal(feed.comm_len, 5000 - 705);
	/* Where there is little time for looks there is less for names. */
	r.cost.turn_ns = NSEC_PER_SEC;
	r.nm.comms_ns -= NSEC_PER_SEC;
	names_ask_comms(&r.nm);
	assert_int_equal(r.nm.asked_comms, 705 + 100);
	r.config.is_watched = false;
	names_ask_comms(&r.nm);
	assert_int_equal(r.nm.asked_comms, 5000);
	assert_int_equal(feed.comm_len, 0);
	free(feed.comms);
	proc_reader_free(r.env.proc);
	for (struct msg *m; (m = queue_take(answers)) != NULL;)
		msg_free(m);
	queue_free(answers);
	room_close(&r);
}

static void
take(struct room *r, struct msg *msg)
{
	const struct part_message *m = names_part.messages;

	while (m->type != msg->type)
		m++;
	assert_int_equal(m->handle(&r->nm, msg), PART_DONE);
}

/* The image of another file in which @samples were, with or without names. */
static void
answer_file(struct room *r, size_t samples, struct image *image)
{
	struct symbol_image_msg m = { .msg.type = SYMBOL_MSG_IMAGE, .image = image };

	m.dso = dsos_file(&r->b.model->dsos, "/bin/file", 8, 1, ++r->files, 0);
	for (size_t i = 0; i < samples; i++)
		locations_find(&r->b.locations, m.dso, i * 16);
	r->nm.asked_images++;
	take(r, &m.msg);
	assert_null(m.image);
}

static bool
is_hurried(struct room *r)
{
	bool res = r->agenda.wants & AGENDA_HURRY;

	r->agenda.wants = 0;
	return res;
}

/* The kernel's list takes longest, and other files are on their way all the time. */
static void
first_names_are_shown_while_others_are_on_their_way(void **state)
{
	struct room r;
	struct feed feed;
	int pictures = 0;

	(void)state;
	room_open(&r);
	feed_init(&feed, r.b.model, &r.b.locations, r.b.profile, NULL);
	r.env.feed = &feed;
	r.env.agenda = &r.agenda;
	r.nm.asked_images = 2;
	answer_file(&r, 1, NULL);
	assert_false(is_hurried(&r));
	answer_file(&r, 0, make_image(10, 16));
	assert_false(is_hurried(&r));
	answer_file(&r, 1, make_image(10, 16));
	assert_true(is_hurried(&r));
	/* Each picture is dear: there are few before their time. */
	for (int i = 0; i < 100; i++) {
		answer_file(&r, 1, make_image(10, 16));
		pictures += is_hurried(&r);
	}
	assert_in_range(pictures, 1, 9);
	feed_release(&feed);
	room_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorder_is_told_of_each_new_list_of_the_kernels_functions),
		cmocka_unit_test(each_list_that_is_read_again_is_looked_for_after_twice_as_long),
		cmocka_unit_test(a_new_list_waits_while_names_of_the_last_one_are_on_their_way),
		cmocka_unit_test(counts_move_to_their_function_once_the_list_has_it),
		cmocka_unit_test(a_kernel_without_names_is_told_once_it_has_samples),
		cmocka_unit_test(a_recorded_kernel_without_names_is_told_if_it_is_much),
		cmocka_unit_test(files_without_names_are_told_by_reports_if_they_are_much),
		cmocka_unit_test(thousands_of_threads_get_their_names_after_each_other_on_a_screen),
		cmocka_unit_test(a_list_that_the_user_named_and_cannot_be_read_is_told),
		cmocka_unit_test(a_kernel_whose_addresses_are_hidden_is_not_called_another_one),
		cmocka_unit_test(first_names_are_shown_while_others_are_on_their_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
