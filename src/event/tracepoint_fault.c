/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event/tracepoint.h"

#include "base/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ANSWER_BYTES_MAX = 1 << 14 };

/* The file of @instance that takes the filter of "group:name" or "group:name:modifiers". */
static bool
put_file(const char *instance, const char *name, struct buf *path)
{
	size_t group = strcspn(name, ":");
	const char *own = name + group + 1;

	if (name[group] == '\0' || memchr(name, '/', group) != NULL || strchr(own, '/') != NULL)
		return false;
	buf_addf(path, "%s/events/%.*s/%.*s/filter", instance, (int)group, name,
		 (int)strcspn(own, ":"), own);
	return true;
}

static bool
is_refused(const char *path, const char *filter)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool refused;

	if (fd < 0)
		return false;
	refused = file_write_all(fd, filter, strlen(filter)) < 0;
	close(fd);
	return refused;
}

/* The filter comes back, under it a mark below the place, and "parse_error: Field not found". */
static bool
take_answer(const char *text, struct buf *out)
{
	static const char key[] = "\nparse_error: ";
	const char *what = strstr(text, key), *line = what;

	if (what == NULL)
		return false;
	while (line > text && line[-1] != '\n')
		line--;
	what += strlen(key);
	if (line[strspn(line, " ")] == '^')
		buf_addf(out, "column %zu: ", strspn(line, " ") + 1);
	buf_addf(out, "%.*s", (int)strcspn(what, "\n"), what);
	return true;
}

bool
tracepoint_filter_fault(const struct event_env *env, const char *name, const char *filter,
			struct buf *out)
{
	struct buf instance = { 0 }, path = { 0 }, answer = { 0 };
	bool found = false;

	if (tracepoint_dir(env, &instance, NULL) < 0)
		goto out;
	buf_addf(&instance, "/../instances/ptop-%d", (int)getpid());
	if (put_file(instance.data, name, &path) && mkdir(instance.data, 0700) == 0) {
		if (is_refused(path.data, filter) &&
		    file_read(path.data, &answer, ANSWER_BYTES_MAX) == 0)
			found = take_answer(buf_str(&answer), out);
		rmdir(instance.data);
	}
out:
	buf_release(&instance);
	buf_release(&path);
	buf_release(&answer);
	return found;
}
