/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SYMBOL_FIXTURE_H
#define PTOP_TESTS_SYMBOL_FIXTURE_H
/*
 * A directory with small programs compiled into it, a symbol service, and a running child whose
 * code can be looked up.  For tests only: everything asserts.
 */
#include "symbol/image/image.h"
#include "symbol/service/service.h"
#include "tests/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "tests/asserts.h"

enum { PROGRAM_MAX = 1 << 20 };

struct fixture {
	char dir[64];
	struct queue *answers;
	struct symbol_service *service;
};

struct child {
	pid_t pid;
	int in, out;
	uint64_t start, end, offset, ino; /* of the map around the address it printed */
	uint32_t maj, min;
	char path[512];
};

static inline const char *
in_dir(const struct fixture *f, const char *name)
{
	static char paths[16][384];
	static unsigned turn;
	char *p = paths[turn++ % ARRAY_SIZE(paths)];

	snprintf(p, sizeof(paths[0]), "%s/%s", f->dir, name);
	return p;
}

static inline void
write_text(const struct fixture *f, const char *name, const char *text)
{
	FILE *out = fopen(in_dir(f, name), "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* names.cc: templates, lambdas and what std inlines, in caller(). */
static inline void
write_names(const struct fixture *f)
{
	write_text(f, "names.cc",
		   "#include <algorithm>\n"
		   "#include <map>\n"
		   "#include <string>\n"
		   "#include <vector>\n"
		   "namespace space { template <class T> struct box { T v; T get() const { return v; } };\n"
		   "__attribute__((noinline)) int caller(int n)\n"
		   "{\n"
		   "	std::vector<box<int>> all;\n"
		   "	for (int i = 0; i < n; i++) all.push_back(box<int>{i ^ 21});\n"
		   "	std::sort(all.begin(), all.end(), [](auto &a, auto &b) {\n"
		   "		return a.get() < b.get(); });\n"
		   "	std::map<std::string, int> names;\n"
		   "	for (auto &b : all) names[std::to_string(b.get())]++;\n"
		   "	return (int)names.size() + all[0].get();\n"
		   "} }\n"
		   "int main(int argc, char **) { return space::caller(argc); }\n");
}

/* Runs a command in the fixture's directory.  false: it failed. */
static inline bool
sh(const struct fixture *f, const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd '%s' && { %s; } >log 2>&1", f->dir, command);
	return system(line) == 0;
}

static inline struct symbol_service *
service_with(const struct fixture *f, const char *proc, const char *cache, bool demangle)
{
	struct symbol_config config = { .proc = proc, .cache = cache, .demangle = demangle };
	char kallsyms[256];

	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", proc);
	config.kallsyms = kallsyms;
	return symbol_service_new(&config, f->answers);
}

static inline struct msg *
answer(const struct fixture *f, int type)
{
	struct msg *m = queue_wait(f->answers, 60000);

	assert_non_null(m);
	assert_int_equal(m->type, type);
	return m;
}

static inline struct symbol_image_msg *
ask_image(const struct fixture *f, const struct symbol_ask *ask)
{
	symbol_service_ask_image(f->service, ask);
	return (struct symbol_image_msg *)answer(f, SYMBOL_MSG_IMAGE);
}

/* Asks for a file of the directory by its path alone. */
static inline struct symbol_image_msg *
ask_path(const struct fixture *f, const char *name)
{
	struct symbol_ask ask = { .dso = 7, .kind = SYMBOL_ELF, .path = in_dir(f, name) };
	struct symbol_image_msg *m = ask_image(f, &ask);

	assert_int_equal(m->dso, 7);
	return m;
}

static inline void
assert_reason(struct symbol_image_msg *m, const char *part)
{
	assert_null(m->image);
	if (strstr(m->reason, part) == NULL)
		fail_msg("'%s' is not in '%s'", part, m->reason);
	msg_free(&m->msg);
}

static inline const char *
name_of(const struct image *img, uint64_t addr)
{
	uint32_t fn = image_find(img, addr);

	return fn == IMAGE_NONE ? "-" : image_raw_name(img, fn);
}

static inline void
find_map(struct child *c, uint64_t addr)
{
	char path[64], line[1024];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)c->pid);
	maps = fopen(path, "r");
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps) != NULL) {
		unsigned long start, end, off, ino;
		unsigned maj, min;
		int at = 0;

		if (sscanf(line, "%lx-%lx %*s %lx %x:%x %lu %n", &start, &end, &off, &maj, &min,
			   &ino, &at) < 6)
			continue;
		if (addr < start || addr >= end)
			continue;
		line[strcspn(line, "\n")] = '\0';
		c->start = start;
		c->end = end;
		c->ino = ino;
		c->maj = maj;
		c->min = min;
		c->offset = addr - start + off;
		snprintf(c->path, sizeof(c->path), "%s", line + at);
	}
	fclose(maps);
	assert_true(c->start != 0);
}

/* Starts a program that prints one address and then waits. */
static inline struct child
child_start(const struct fixture *f, const char *name, const char *arg)
{
	struct child c = { 0 };
	int in[2], out[2];
	char line[64];
	ssize_t n;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	c.pid = run_fork();
	if (c.pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execl(in_dir(f, name), name, arg, NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	c.in = in[1];
	c.out = out[0];
	n = read(c.out, line, sizeof(line) - 1);
	assert_that(n, >, 0);
	line[n] = '\0';
	find_map(&c, strtoull(line, NULL, 16));
	return c;
}

static inline void
child_end(const struct child *c)
{
	close(c->in);
	close(c->out);
	waitpid(c->pid, NULL, 0);
}

static inline struct symbol_ask
ask_of_child(const struct child *c)
{
	return (struct symbol_ask){ .dso = 1, .kind = SYMBOL_ELF, .pid = c->pid,
				    .start = c->start, .end = c->end, .ino = c->ino,
				    .maj = c->maj, .min = c->min, .path = c->path };
}

static inline void
write_program_sources(const struct fixture *f)
{
	write_text(f, "lib.c",
		   "int in_the_lib(int n)\n"
		   "{\n"
		   "	return n * 3;\n"
		   "}\n");
	write_text(f, "prog.c",
		   "#include <stdio.h>\n"
		   "#include <unistd.h>\n"
		   "int in_the_lib(int);\n"
		   "int hot_loop(int n);\n"
		   "static int __attribute__((noinline)) cold(int n) { return n + 1; }\n"
		   "int hot_loop(int n)\n"
		   "{\n"
		   "	return cold(n) * 2;\n"
		   "}\n"
		   "int main(int argc, char **argv)\n"
		   "{\n"
		   "	char c;\n"
		   "	(void)argv;\n"
		   "	printf(\"%p\\n\", argc > 1 ? (void *)in_the_lib : (void *)hot_loop);\n"
		   "	fflush(stdout);\n"
		   "	return read(0, &c, 1) + hot_loop(argc) + in_the_lib(argc) == 77;\n"
		   "}\n");
}

/* The programs of each fixture, compiled for the first: that takes a second. */
static inline void
make_programs(const struct fixture *f)
{
	static struct program {
		const char *name, *command;
		struct buf made;
	} programs[] = {
		{ .name = "libt.so", .command = "cc -O0 -g -fPIC -shared lib.c -o libt.so" },
		{ .name = "pie",
		  .command = "cc -O0 -g -fPIE -pie prog.c -o pie -L. -lt -Wl,-rpath,'$ORIGIN'" },
		{ .name = "nopie", .command = "cc -O0 -g -fno-pie -no-pie prog.c lib.c -o nopie" },
		{ .name = "stripped", .command = "cc -O1 -s -fPIE -pie prog.c lib.c -o stripped" },
	};

	for (struct program *p = programs; p < programs + ARRAY_SIZE(programs); p++) {
		const char *path = in_dir(f, p->name);

		if (p->made.len > 0) {
			int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

			assert_int_equal(write(fd, p->made.data, p->made.len), p->made.len);
			assert_int_equal(close(fd), 0);
		} else {
			assert_true(sh(f, p->command));
			assert_int_equal(file_read(path, &p->made, PROGRAM_MAX), 0);
		}
	}
}

/* The same for all: a program tells where it was compiled. */
static inline int
make_folder(struct fixture *f)
{
	static char dir[sizeof(f->dir)];

	if (*dir != '\0') {
		strcpy(f->dir, dir);
		return mkdir(dir, 0700);
	}
	strcpy(f->dir, "/tmp/ptop-symbols-XXXXXX");
	if (mkdtemp(f->dir) == NULL)
		return -1;
	strcpy(dir, f->dir);
	return 0;
}

static inline int
fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (make_folder(f) != 0)
		return -1;
	write_program_sources(f);
	/* Before there is somebody who forks: a program that is open to be written cannot be started. */
	make_programs(f);
	f->answers = queue_new();
	f->service = service_with(f, "/proc", NULL, true);
	*state = f;
	return 0;
}

/* For whoever looks into the user's caches: a home and a folder of debug files of the test's own. */
static inline void
fixture_move_home(struct fixture *f)
{
	const struct symbol_config config = { .kallsyms = "/proc/kallsyms", .proc = "/proc",
					      .debug_dir = in_dir(f, "debug") };

	unsetenv("XDG_CACHE_HOME");
	unsetenv("DEBUGINFOD_CACHE_PATH");
	symbol_service_free(f->service);
	setenv("HOME", in_dir(f, "home"), 1);
	/* Its processes have the environment from when they were started. */
	f->service = symbol_service_new(&config, f->answers);
}

/* "bare", which is stripped, and "its.debug". */
static inline bool
fixture_build_bare(const struct fixture *f)
{
	return sh(f, "cc -O1 -g -fPIE -pie prog.c lib.c -o bare && "
		     "objcopy --only-keep-debug bare its.debug && strip bare");
}

/* Whether the service finds @function in what is asked for. */
static inline bool
fixture_names(const struct fixture *f, const struct symbol_ask *ask, const char *function)
{
	struct symbol_image_msg *m = ask_image(f, ask);
	bool found = false;

	for (uint32_t i = 0; m->image != NULL && i < image_count(m->image); i++)
		found |= strcmp(image_raw_name(m->image, i), function) == 0;
	msg_free(&m->msg);
	return found;
}

static inline int
fixture_teardown(void **state)
{
	struct fixture *f = *state;
	char line[128];

	symbol_service_free(f->service);
	queue_free(f->answers);
	snprintf(line, sizeof(line), "rm -rf '%s'", f->dir);
	free(f);
	return system(line);
}

#endif
