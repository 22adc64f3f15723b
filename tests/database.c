/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/database.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <glob.h>
#include <grp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "tests/run.h"
#include "tests/run_output.h"
#include "tests/skip.h"

enum { PATIENCE_S = 60, NOBODY = 65534 };

/* "": there is none. */
static char folder[64], program[128];
static pid_t server;

static void
write_file(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* What a command of the shell writes, in the folder. */
static char *
shell(const char *command)
{
	struct buf b = { 0 };
	char *out;

	buf_addf(&b, "cd %s && %s", folder, command);
	out = run_output(PATIENCE_S, (char *[]){ "sh", "-c", b.data, NULL });
	buf_release(&b);
	return out;
}

static void
load_sqlite(const char *sql)
{
	write_file("load.sql", sql);
	free(shell("sqlite3 -batch -bail rows.db '.read load.sql'"));
}

static char *
ask_sqlite(const char *sql)
{
	write_file("ask.sql", sql);
	return shell("sqlite3 -batch -bail -csv -header rows.db '.read ask.sql'");
}

const struct database_kind database_sqlite = { "SQLite", "/usr/bin/sqlite3", load_sqlite, ask_sqlite };

/* A server refuses to be root's. */
static void
be_nobody(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
		_exit(1);
}

static pid_t
start_server(char *const argv[])
{
	pid_t pid = run_fork();

	if (pid != 0)
		return pid;
	be_nobody();
	if (chdir(folder) == 0 && freopen("/dev/null", "w", stdout) != NULL &&
	    freopen("log", "w", stderr) != NULL)
		execv(argv[0], argv);
	_exit(1);
}

/* What psql writes, called with more words. */
static char *
psql(const char *words)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "psql -X -q -v ON_ERROR_STOP=1 -h %s -U ptop -d postgres %s", folder, words);
	return shell(command);
}

/* Nothing of it is to outlast the test: it need not reach a disk. */
static void
start_postgres(void)
{
	char postgres[sizeof(program)];
	char *const init[] = { program, "-D", "data", "-A", "trust", "-U", "ptop", "-N",
			       "--no-instructions", NULL };
	char *const serve[] = { postgres, "-D", "data", "-k", folder, "-c", "listen_addresses=", "-c",
				"fsync=off", "-c", "autovacuum=off", "-c", "shared_buffers=16MB", NULL };
	pid_t pid;
	int status;

	pid = start_server(init);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	snprintf(postgres, sizeof(postgres), "%.*s/postgres",
		 (int)(strrchr(program, '/') - program), program);
	server = start_server(serve);
	free(shell("for i in $(seq 500); do pg_isready -q -h $PWD && exit; sleep 0.1; done; "
		   "cat log >&2; exit 1"));
}

static void
load_postgres(const char *sql)
{
	start_postgres();
	write_file("load.sql", sql);
	free(psql("-f load.sql"));
}

static char *
ask_postgres(const char *sql)
{
	write_file("ask.sql", sql);
	return psql("--csv -f ask.sql");
}

const struct database_kind database_postgres = {
	"PostgreSQL", "/usr/lib/postgresql/*/bin/initdb", load_postgres, ask_postgres,
};

/* One that is free now. */
static unsigned
free_port(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	close(fd);
	return ntohs(in.sin_port);
}

static char *
clickhouse(const char *words)
{
	char command[160];

	snprintf(command, sizeof(command), "clickhouse-client --port $(cat port) %s", words);
	return shell(command);
}

static void
start_clickhouse(void)
{
	char *const serve[] = { program, "--config-file=config.xml", NULL };
	const unsigned port = free_port();
	struct buf b = { 0 };

	buf_addf(&b, "%u", port);
	write_file("port", b.data);
	buf_reset(&b);
	buf_addf(&b, "<yandex><logger><level>warning</level><console>1</console></logger>"
		 "<listen_host>127.0.0.1</listen_host><tcp_port>%u</tcp_port>"
		 "<path>%s/data/</path><tmp_path>%s/tmp/</tmp_path>"
		 "<users_config>users.xml</users_config><default_profile>default</default_profile>"
		 "<default_database>default</default_database>"
		 "<mark_cache_size>67108864</mark_cache_size></yandex>\n", port, folder, folder);
	write_file("config.xml", b.data);
	buf_release(&b);
	write_file("users.xml", "<yandex><profiles><default/></profiles><quotas><default/></quotas>"
		   "<users><default><password></password><networks><ip>127.0.0.1</ip></networks>"
		   "<profile>default</profile><quota>default</quota></default></users></yandex>\n");
	server = start_server(serve);
	free(shell("for i in $(seq 200); do clickhouse-client --port $(cat port) --query 'SELECT 1' "
		   "2>/dev/null && exit; sleep 0.2; done; cat log >&2; exit 1"));
}

static void
load_clickhouse(const char *sql)
{
	start_clickhouse();
	write_file("load.sql", sql);
	free(clickhouse("--multiquery <load.sql"));
	free(clickhouse("--query 'INSERT INTO ptop FORMAT JSONEachRow' <rows.ndjson"));
}

static char *
ask_clickhouse(const char *sql)
{
	write_file("ask.sql", sql);
	return clickhouse("--multiquery --format CSVWithNames <ask.sql");
}

const struct database_kind database_clickhouse = {
	"ClickHouse", "/usr/sbin/clickhouse-server", load_clickhouse, ask_clickhouse,
};

void
database_begin(const struct database_kind *kind, const char *rows)
{
	glob_t found;

	if (glob(kind->program, 0, NULL, &found) != 0)
		skip_for("there is no %s here", kind->name);
	snprintf(program, sizeof(program), "%s", found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	strcpy(folder, "/tmp/ptop-database-XXXXXX");
	assert_non_null(mkdtemp(folder));
	if (geteuid() == 0)
		assert_int_equal(chown(folder, NOBODY, NOBODY), 0);
	write_file("rows.ndjson", rows);
}

void
database_end(void)
{
	struct run_result r;

	if (server > 0) {
		kill(server, SIGINT);
		waitpid(server, NULL, 0);
	}
	server = 0;
	if (*folder == '\0')
		return;
	run_program(&r, PATIENCE_S, (char *[]){ "rm", "-rf", folder, NULL });
	run_release(&r);
	*folder = '\0';
}
