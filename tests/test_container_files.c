/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What containers are called by files as containerd, CRI-O, docker, podman and nerdctl write them. */
#include <config.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/service/service.h"
#include "tests/fake_root.h"

enum { ANSWER_MS = 60000, LARGE_BYTES = 1 << 30 };

#define ID_OF(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c \
	c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c

_Static_assert(sizeof(ID_OF("1")) == 65, "an id");

struct fixture {
	struct queue *answers;
	struct symbol_service *service;
	char dir[48]; /* of files that are made */
};

static int
open_below(void **state, const char *root)
{
	struct fixture *f = *state;
	const struct symbol_config config = {
		.kallsyms = "/dev/null", .proc = "/proc", .container_root = root,
	};

	f->answers = queue_new();
	f->service = symbol_service_new(&config, f->answers);
	return 0;
}

static void
close_service(struct fixture *f)
{
	symbol_service_free(f->service);
	queue_free(f->answers);
}

static int
setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return 0;
}

static int
teardown(void **state)
{
	free(*state);
	return 0;
}

static void
assert_called(struct fixture *f, const char *id, const char *name, const char *pod)
{
	struct symbol_container_msg *m;

	symbol_service_ask_container(f->service, 7, id);
	m = (struct symbol_container_msg *)queue_wait(f->answers, ANSWER_MS);
	assert_non_null(m);
	assert_int_equal(m->msg.type, SYMBOL_MSG_CONTAINER);
	assert_int_equal(m->number, 7);
	if (strcmp(m->name, name) != 0 || strcmp(m->pod, pod) != 0)
		fail_msg("%.12s is '%s' in '%s', not '%s' in '%s'", id, m->name, m->pod, name, pod);
	msg_free(&m->msg);
}

static void
each_engine_has_its_own_files(void **state)
{
	struct fixture *f = *state;
	const char *top = getenv("top_srcdir");
	char relative[PATH_MAX / 2], root[PATH_MAX];

#ifndef HAVE_JANSSON
	skip();
#endif
	snprintf(relative, sizeof(relative), "%s/tests/data/containers", top != NULL ? top : ".");
	assert_non_null(realpath(relative, root));
	open_below(state, root);
	assert_called(f, ID_OF("1"), "shop/web-7d4b9c6f5-x2x8k/nginx", "shop/web-7d4b9c6f5-x2x8k");
	assert_called(f, ID_OF("2"), "shop/web-7d4b9c6f5-x2x8k/pause", "shop/web-7d4b9c6f5-x2x8k");
	assert_called(f, ID_OF("3"), "store/db-0/db", "store/db-0");
	assert_called(f, ID_OF("4"), "shop-cache-1", "");
	assert_called(f, ID_OF("5"), "queue", "");
	assert_called(f, ID_OF("6"), "shop/api-1/api", "shop/api-1");
	assert_called(f, ID_OF("7"), "mail", "");
	assert_called(f, ID_OF("a"), "", "");
	/* What is shown is made safe where it is written: these are its bytes. */
	assert_called(f, ID_OF("8"), "\xc3\xa9/a/b/\033[2J;\n\xe2\x80\xae", "\xc3\xa9/a/b");
	close_service(f);
}

/* The file of the container @id, below folders that are made for it. */
static void
path_of(const struct fixture *f, const char *id, char path[PATH_MAX])
{
	size_t len;

	snprintf(path, PATH_MAX, "%s/var/lib/docker/containers/%s/config.v2.json", f->dir, id);
	len = strlen(f->dir);
	for (char *slash = strchr(path + len + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) < 0)
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
}

static void
write_file(const struct fixture *f, const char *id, const char *text, mode_t mode)
{
	char path[PATH_MAX];
	FILE *file;

	path_of(f, id, path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

/* JSON that goes deeper than any parser likes. */
static void
write_deep(const struct fixture *f, const char *id)
{
	enum { DEPTH = 1 << 20 };
	char *text = malloc(DEPTH + 1);

	memset(text, '[', DEPTH);
	text[DEPTH] = '\0';
	write_file(f, id, text, 0644);
	free(text);
}

/* None hangs, and the one that is right is read after all of them. */
static void
files_that_are_none_name_nothing(void **state)
{
	static const char good[] = "{\"Name\":\"/good\"}";
	struct fixture *f = *state;
	char path[PATH_MAX], other[PATH_MAX];
	int fd;

#ifndef HAVE_JANSSON
	skip();
#endif
	snprintf(f->dir, sizeof(f->dir), "/tmp/ptop-containers-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	chmod(f->dir, 0755);
	open_below(state, f->dir);
	write_file(f, ID_OF("1"), good, 0644);
	path_of(f, ID_OF("2"), path);
	assert_int_equal(mkfifo(path, 0644), 0);
	path_of(f, ID_OF("3"), path);
	path_of(f, ID_OF("1"), other);
	assert_int_equal(symlink(other, path), 0);
	path_of(f, ID_OF("4"), path);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	assert_true(fd >= 0 && ftruncate(fd, LARGE_BYTES) == 0);
	close(fd);
	write_file(f, ID_OF("5"), good, 0666);
	write_file(f, ID_OF("6"), "{\"Name\":\"/cut off", 0644);
	write_file(f, ID_OF("7"), "\xff\xfe{}", 0644);
	write_deep(f, ID_OF("8"));
	write_file(f, ID_OF("9"), "", 0644);
	write_file(f, ID_OF("b"), "{\"Name\":[1],\"annotations\":7,\"Config\":{\"Labels\":\"x\"}}", 0644);
	path_of(f, ID_OF("c"), path);
	assert_int_equal(mkdir(path, 0755), 0);
	for (const char *c = "23456789bc"; *c != '\0'; c++) {
		char id[65];

		memset(id, *c, 64);
		id[64] = '\0';
		assert_called(f, id, "", "");
	}
	assert_called(f, ID_OF("1"), "good", "");
	close_service(f);
	fake_root_remove(f->dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_engine_has_its_own_files, setup, teardown),
		cmocka_unit_test_setup_teardown(files_that_are_none_name_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
