/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .NET's diagnostic port: a socket dotnet-diagnostic-PID-KEY-socket in /tmp, or in what TMPDIR said
 * when it began; its perf map is in /tmp whatever that says.  A message is a header, its numbers
 * little endian, and what belongs to its command.
 */
#include "broker/broker_impl.h"

#include <dirent.h>
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	SET_PROCESS = 4,  /* and of it: */
	ENABLE_PERF_MAP = 5,
	PERF_MAP = 3,     /* as a file /tmp/perf-PID.map, without a jitdump */
	SET_SERVER = 0xff, /* of answers: */
	ANSWER_OK = 0, ANSWER_ERROR = 0xff,
	NAMES_MAX = 16,
	NAME_BYTES = 100,
};

struct message {
	char magic[14];
	uint16_t size;
	uint8_t set, id;
	uint16_t reserved;
	uint32_t value; /* what is asked for; of an answer: 0, or what is wrong */
} __attribute__((packed));

static const char magic[14] = "DOTNET_IPC_V1";

static bool
is_socket_of(const char *name, int pid)
{
	static const char end[] = "-socket";
	char begin[40];
	size_t len = strlen(name);

	snprintf(begin, sizeof(begin), "dotnet-diagnostic-%d-", pid);
	return len < NAME_BYTES && len > sizeof(end) && strncmp(name, begin, strlen(begin)) == 0 &&
	       strcmp(name + len - (sizeof(end) - 1), end) == 0;
}

/* Below its root and through no link, so that it is the process's own folder. */
static bool
enter_tmpdir(const struct subject *s)
{
	const int how = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	char path[SUBJECT_TMPDIR], *rest = path, *name;
	int fd, next;
	bool res;

	memcpy(path, s->tmpdir, sizeof(path));
	if (*path != '/')
		return false;
	fd = openat(s->root, ".", how);
	while (fd >= 0 && (name = strsep(&rest, "/")) != NULL) {
		if (*name == '\0' || strcmp(name, ".") == 0)
			continue;
		next = strcmp(name, "..") != 0 ? openat(fd, name, how) : -1;
		close(fd);
		fd = next;
	}
	res = fd >= 0 && fchdir(fd) == 0;
	if (fd >= 0)
		close(fd);
	return res;
}

/* Of several the one that somebody listens at: who had its number before may have left one. */
static int
find_socket(const struct subject *s, struct outcome *o)
{
	struct outcome why = { .result = BROKER_NO_SOCKET };
	DIR *dir = opendir(".");
	struct dirent *entry;
	int fd = -1, got = 0, tried = 0;

	*o = why;
	while (dir != NULL && got <= 0 && tried < NAMES_MAX && (entry = readdir(dir)) != NULL) {
		if (!is_socket_of(entry->d_name, s->inner_pid))
			continue;
		got = peer_connect(s, entry->d_name, &fd, &why);
		tried++;
		if (got < 0)
			*o = why;
	}
	if (dir != NULL)
		closedir(dir);
	return got > 0 ? fd : -1;
}

static void
judge(const struct message *m, struct outcome *o)
{
	const bool is_answer = memcmp(m->magic, magic, sizeof(magic)) == 0 &&
			       le16toh(m->size) >= sizeof(*m) && m->set == SET_SERVER;

	*o = (struct outcome){ .result = BROKER_STRANGE, .value = (int32_t)le32toh(m->value) };
	if (is_answer && m->id == ANSWER_OK && m->value == 0)
		o->result = BROKER_DONE;
	else if (is_answer && (m->id == ANSWER_ERROR || m->id == ANSWER_OK))
		o->result = BROKER_UNWILLING;
}

struct outcome
ask_dotnet(const struct subject *s, uint64_t until_ns)
{
	struct message m = { .size = htole16(sizeof(m)), .set = SET_PROCESS, .id = ENABLE_PERF_MAP,
			     .value = htole32(PERF_MAP) };
	struct outcome o;
	int fd = find_socket(s, &o), len;

	if (fd < 0 && o.result == BROKER_NO_SOCKET && enter_tmpdir(s))
		fd = find_socket(s, &o);
	if (fd < 0)
		return o;
	memcpy(m.magic, magic, sizeof(magic));
	if (peer_send(fd, &m, sizeof(m), until_ns, &o) == 0) {
		memset(&m, 0, sizeof(m));
		len = peer_receive(fd, &m, sizeof(m), until_ns, &o);
		if (len >= 0)
			judge(&m, &o);
	}
	close(fd);
	return o;
}
