/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that could not be read by way of the process that was asked through: when they are asked for
 * again, and that places counted meanwhile get their names.
 */
#include "engine/names/names_impl.h"
#include "engine/leaf/file_policy.h"
#include "profile/place/location.h"
#include "tests/profile_fixture.h"
#include "tests/skip.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHORT = 20, LONG = 21, LATER = 22, START = 0x400000, TRIES = 16 };

static const struct symbol_unread gone = { ERR_GONE, SHORT };

struct world {
	struct fixture b;
	struct unread_files u;
	uint32_t dso;
	uint64_t now_ns;
};

static void
process(struct world *w, int pid)
{
	bench_exec(&w->b, pid, 0);
	tell_map(w->b.model, pid, START, 0x10000, 0, "/lib/libc.so.6", w->b.now_ns);
	w->dso = space_find(model_space(w->b.model, model_find_task(w->b.model, pid)), START)->dso;
	w->b.now_ns++;
}

static void
begin(struct world *w)
{
	*w = (struct world){ .now_ns = 100 * NSEC_PER_SEC };
	bench_open(&w->b, 24 << 20);
	process(w, SHORT);
}

static void
end(struct world *w)
{
	unread_release(&w->u);
	bench_close(&w->b);
}

/* Through whom the file is asked for that many seconds later; 0: it is not. */
static int
asked_after(struct world *w, unsigned seconds)
{
	w->now_ns += seconds * NSEC_PER_SEC;
	unread_look(&w->u, w->b.model, w->now_ns);
	if (w->u.ask_len == 0)
		return 0;
	assert_int_equal(w->u.ask_len, 1);
	assert_int_equal(w->u.asks[0].file.dso, w->dso);
	assert_int_equal(w->u.asks[0].file.start, START);
	return w->u.asks[0].file.pid;
}

static void
a_file_is_asked_for_again_by_way_of_the_oldest_that_maps_it(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	process(&w, LONG);
	process(&w, LATER);
	tell_exit(w.b.model, SHORT, SHORT, 0, w.b.now_ns);
	assert_true(unread_note(&w.u, w.dso, UNREAD_RULES, &gone, w.now_ns));
	assert_true(unread_note(&w.u, w.dso, UNREAD_IMAGE, &gone, w.now_ns));
	assert_int_equal(asked_after(&w, 0), 0);
	assert_int_equal(asked_after(&w, 1), LONG);
	assert_int_equal(w.u.asks[0].wants, UNREAD_IMAGE | UNREAD_RULES);
	/* Until there is an answer it is not asked for once more. */
	assert_int_equal(asked_after(&w, 100), 0);
	assert_true(unread_end(&w.u, w.dso, UNREAD_IMAGE));
	assert_true(unread_end(&w.u, w.dso, UNREAD_RULES));
	assert_int_equal(w.u.items[w.dso].tries, 0);
	assert_false(unread_end(&w.u, w.dso, UNREAD_IMAGE));
	assert_int_equal(asked_after(&w, 100), 0);
	end(&w);
}

static void
a_file_waits_for_a_process_that_maps_it(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	assert_true(unread_note(&w.u, w.dso, UNREAD_IMAGE, &gone, w.now_ns));
	/* By way of the one that still has it, the answer would be the same. */
	assert_int_equal(asked_after(&w, 1), 0);
	assert_true(w.u.items[w.dso].is_there);
	tell_exit(w.b.model, SHORT, SHORT, 0, w.b.now_ns);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(asked_after(&w, 10), 0);
	assert_false(w.u.items[w.dso].is_there);
	process(&w, LONG);
	assert_int_equal(asked_after(&w, 10), LONG);
	end(&w);
}

static void
what_was_busy_is_asked_for_after_a_pause_by_way_of_the_same_process(void **state)
{
	const struct symbol_unread busy = { ERR_BUSY, SHORT };
	struct world w;

	(void)state;
	begin(&w);
	assert_true(unread_note(&w.u, w.dso, UNREAD_IMAGE, &busy, w.now_ns));
	assert_int_equal(asked_after(&w, 9), 0);
	assert_int_equal(asked_after(&w, 1), SHORT);
	end(&w);
}

static void
a_file_is_asked_for_each_ten_seconds_and_not_for_ever(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	process(&w, LONG);
	tell_exit(w.b.model, SHORT, SHORT, 0, w.b.now_ns);
	assert_true(unread_note(&w.u, w.dso, UNREAD_IMAGE, &gone, w.now_ns));
	assert_int_equal(asked_after(&w, 1), LONG);
	for (unsigned i = 1; i < TRIES; i++) {
		assert_true(unread_note(&w.u, w.dso, UNREAD_IMAGE, &gone, w.now_ns));
		assert_int_equal(asked_after(&w, 9), 0);
		assert_int_equal(asked_after(&w, 1), LONG);
	}
	assert_false(unread_note(&w.u, w.dso, UNREAD_IMAGE, &gone, w.now_ns));
	assert_int_equal(asked_after(&w, 1000), 0);
	end(&w);
}

static void
a_file_that_is_itself_to_blame_is_not_asked_for_again(void **state)
{
	const struct symbol_unread none = { ERR_NONE, 0 }, broken = { ERR_FORMAT, SHORT };
	struct world w;

	(void)state;
	begin(&w);
	assert_false(unread_note(&w.u, w.dso, UNREAD_IMAGE, &none, w.now_ns));
	assert_false(unread_note(&w.u, w.dso, UNREAD_IMAGE, &broken, w.now_ns));
	end(&w);
}

/* The room names with a symbol service, and a program of which only who maps it has the file. */
struct room {
	struct fixture b;
	struct engine_config config;
	struct agenda agenda;
	struct own_cost cost;
	struct feed feed;
	struct record_layouts layouts;
	struct engine_env env;
	struct names nm;
	char dir[32], path[64];
	void *map;
	size_t len;
	struct image_ask ask; /* by way of a process that has ended */
	uint64_t main_at;     /* offset of main() in the file */
};

/* What /proc/self/maps says of the map around @addr. */
static void
map_around(const void *addr, struct dso *dso, uint64_t *start, uint64_t *pgoff)
{
	FILE *in = fopen("/proc/self/maps", "r");
	unsigned long long from, to, offset, ino;
	char line[512];

	assert_non_null(in);
	*dso = (struct dso){ .kind = DSO_UNKNOWN };
	while (fgets(line, sizeof(line), in) != NULL) {
		if (sscanf(line, "%llx-%llx %*s %llx %x:%x %llu", &from, &to, &offset, &dso->maj,
			   &dso->min, &ino) == 6 &&
		    (uintptr_t)addr >= from && (uintptr_t)addr < to)
			break;
	}
	fclose(in);
	dso->ino = ino;
	*start = from;
	*pgoff = offset;
}

static pid_t
dead_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

int main(void);

/* Maps a copy of this program that is then no more where it was. */
static void
map_program(struct room *r)
{
	char command[160];
	struct dso dso;
	uint64_t start, pgoff;
	int fd;

	map_around((const void *)(uintptr_t)&main, &dso, &start, &pgoff);
	r->main_at = (uint64_t)(uintptr_t)&main - start + pgoff;
	strcpy(r->dir, "/tmp/ptop-unread-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	snprintf(r->path, sizeof(r->path), "%s/program", r->dir);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", (int)getpid(), r->path);
	assert_int_equal(system(command), 0);
	fd = open(r->path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	r->len = (size_t)lseek(fd, 0, SEEK_END);
	r->map = mmap(NULL, r->len, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(r->map, MAP_FAILED);
	close(fd);
	map_around(r->map, &dso, &start, &pgoff);
	snprintf(command, sizeof(command), "mv %s %s/elsewhere", r->path, r->dir);
	assert_int_equal(system(command), 0);
	r->ask = (struct image_ask){
		.dso = dsos_file(&r->b.model->dsos, r->path, dso.maj, dso.min, dso.ino, 0),
		.pid = dead_process(), .start = start, .end = start + r->len,
	};
}

/* A process that maps it. */
static void
lives(struct room *r, int pid)
{
	struct model *m = r->b.model;

	bench_exec(&r->b, pid, 0);
	space_add(model_space(m, model_find_task(m, pid)),
		  &(struct map){ r->ask.start, r->ask.end, 0, r->ask.dso });
}

static void
room_open(struct room *r)
{
	const struct symbol_config symbols = { .proc = "/proc", .kallsyms = "/nonexistent" };

	*r = (struct room){ .config = { .vmlinux = NULL } };
	bench_open(&r->b, 24 << 20);
	feed_init(&r->feed, r->b.model, &r->b.locations, r->b.profile, &r->layouts);
	r->env = (struct engine_env){ .config = &r->config, .policy = &live_policy,
				      .agenda = &r->agenda, .cost = &r->cost, .feed = &r->feed,
				      .model = r->b.model, .locations = &r->b.locations,
				      .profile = r->b.profile, .answers = queue_new() };
	r->env.symbols = symbol_service_new(&symbols, r->env.answers);
	r->nm.env = &r->env;
	map_program(r);
}

static void
room_close(struct room *r)
{
	char command[64];

	munmap(r->map, r->len);
	snprintf(command, sizeof(command), "rm -r %s", r->dir);
	assert_int_equal(system(command), 0);
	symbol_service_free(r->env.symbols);
	queue_free(r->env.answers);
	free(r->nm.files);
	unread_release(&r->nm.unread);
	feed_release(&r->feed);
	bench_close(&r->b);
}

/* Takes answers until nothing is asked any more. */
static void
take_answers(struct room *r)
{
	while (r->nm.asked_images + r->nm.asked_rules > 0) {
		struct msg *m = queue_wait(r->env.answers, 60000);

		assert_non_null(m);
		for (size_t i = 0; i < names_part.message_count; i++)
			if (names_part.messages[i].type == m->type)
				names_part.messages[i].handle(&r->nm, m);
		msg_free(m);
	}
}

static void
ask_first(struct room *r)
{
	struct symbol_ask a;

	assert_null(files_ask(&r->nm, &r->ask, &a));
	files_ask_image(&r->nm, &r->ask, &a);
	files_ask_rules(&r->nm, &a);
	take_answers(r);
}

static const char *
reason_of(struct room *r, uint32_t location)
{
	return strs_get(&r->b.model->strs, dso_source_reason(&r->b.locations, location));
}

static void
a_file_whose_first_process_has_ended_gets_its_names_and_rules(void **state)
{
	struct room r;
	struct locations *l = &r.b.locations;
	uint32_t loc, seen;

	(void)state;
	if (geteuid() != 0)
		skip_for("files that are nowhere any more are root's to open");
	room_open(&r);
	loc = locations_find(l, r.ask.dso, r.main_at);
	ask_first(&r);
	assert_int_equal(locations_symbols(l, r.ask.dso)->state, SYMBOLS_FAILED);
	assert_int_equal(r.feed.unwinder.dsos[r.ask.dso].state, RULES_FAILED);
	assert_true(r.feed.unwinder.dsos[r.ask.dso].is_unread);
	assert_string_equal(reason_of(&r, loc), "the process ended before the file could be opened");
	/* What is sampled in between waits with it, and says so. */
	seen = locations_find(l, r.ask.dso, r.main_at + 1);
	assert_string_equal(reason_of(&r, seen), "the process ended before the file could be opened");
	lives(&r, (int)getpid());
	files_ask_unread(&r.nm, clock_mono_ns() + 2 * NSEC_PER_SEC);
	take_answers(&r);
	assert_int_equal(locations_symbols(l, r.ask.dso)->state, SYMBOLS_READY);
	assert_int_equal(r.feed.unwinder.dsos[r.ask.dso].state, RULES_READY);
	loc = locations_resolve(l, loc);
	assert_int_equal(loc, locations_resolve(l, seen));
	assert_string_equal(strs_get(&r.b.model->strs, l->items[loc].name), "main");
	room_close(&r);
}

static void
places_do_not_wait_for_ever(void **state)
{
	struct room r;
	struct locations *l = &r.b.locations;
	uint32_t loc;

	(void)state;
	room_open(&r);
	loc = locations_find(l, r.ask.dso, r.main_at);
	ask_first(&r);
	files_ask_unread(&r.nm, clock_mono_ns() + 50 * NSEC_PER_SEC);
	assert_int_equal(locations_resolve(l, loc), loc);
	files_ask_unread(&r.nm, clock_mono_ns() + 61 * NSEC_PER_SEC);
	assert_int_equal(l->items[locations_resolve(l, loc)].kind, LOCATION_PAGE);
	assert_string_equal(reason_of(&r, locations_resolve(l, loc)),
			    "the process ended before the file could be opened");
	assert_int_equal(l->pending, 0);
	room_close(&r);
}

static void
places_do_not_wait_in_the_last_report(void **state)
{
	struct room r;
	struct locations *l = &r.b.locations;
	uint32_t loc;

	(void)state;
	room_open(&r);
	loc = locations_find(l, r.ask.dso, r.main_at);
	ask_first(&r);
	names_end_downloads(&r.nm);
	assert_int_equal(l->items[locations_resolve(l, loc)].kind, LOCATION_PAGE);
	room_close(&r);
}

/* Nobody else will have it while that process lives: what has no name is counted by page. */
static void
places_of_a_process_that_lives_do_not_wait(void **state)
{
	struct room r;
	struct locations *l = &r.b.locations;
	uint32_t loc;

	(void)state;
	room_open(&r);
	loc = locations_find(l, r.ask.dso, r.main_at);
	ask_first(&r);
	lives(&r, r.ask.pid);
	files_ask_unread(&r.nm, clock_mono_ns() + 2 * NSEC_PER_SEC);
	assert_int_equal(l->items[locations_resolve(l, loc)].kind, LOCATION_PAGE);
	assert_int_equal(r.nm.asked_images, 0);
	room_close(&r);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_asked_for_again_by_way_of_the_oldest_that_maps_it),
		cmocka_unit_test(a_file_waits_for_a_process_that_maps_it),
		cmocka_unit_test(what_was_busy_is_asked_for_after_a_pause_by_way_of_the_same_process),
		cmocka_unit_test(a_file_is_asked_for_each_ten_seconds_and_not_for_ever),
		cmocka_unit_test(a_file_that_is_itself_to_blame_is_not_asked_for_again),
		cmocka_unit_test(a_file_whose_first_process_has_ended_gets_its_names_and_rules),
		cmocka_unit_test(places_do_not_wait_for_ever),
		cmocka_unit_test(places_do_not_wait_in_the_last_report),
		cmocka_unit_test(places_of_a_process_that_lives_do_not_wait),
	};

	return cmocka_run_group_tests_name("unread files", tests, NULL, NULL);
}
