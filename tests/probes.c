/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/probes.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/file.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 60, STEP_US = 20000, LIST_MAX = 1 << 20 };

const char probes_path[] = "/sys/kernel/tracing/uprobe_events";

void
need_probes(void)
{
	need_uprobes();
	if (access(probes_path, W_OK) != 0 &&
	    (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	     mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) != 0 ||
	     access(probes_path, W_OK) != 0))
		skip_for("no probes can be made in tracefs");
}

int
probes_count(pid_t ptop)
{
	struct buf list = { 0 };
	char head[32];
	int count;

	snprintf(head, sizeof(head), "p:ptop_%d_", (int)ptop);
	assert_int_equal(file_read(probes_path, &list, LIST_MAX), 0);
	count = (int)run_count_text(buf_str(&list), head);
	buf_release(&list);
	return count;
}

void
probes_come(pid_t ptop)
{
	for (int i = 0; probes_count(ptop) == 0; i++) {
		if (i * STEP_US > PATIENCE_S * 1000000 || waitpid(ptop, NULL, WNOHANG) != 0)
			fail_msg("there is no probe");
		usleep(STEP_US);
	}
}

void
assert_no_probes(pid_t ptop, bool at_once)
{
	for (int i = 0; probes_count(ptop) > 0; i++) {
		if (at_once || i * STEP_US > PATIENCE_S * 1000000)
			fail_msg("a probe is left behind");
		usleep(STEP_US);
	}
}

void
probes_remove(pid_t ptop)
{
	struct buf list = { 0 };
	char *save = NULL;
	int pid;

	assert_int_equal(file_read(probes_path, &list, LIST_MAX), 0);
	for (char *line = strtok_r(list.data, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "p:ptop_%d_", &pid) != 1 || pid != ptop)
			continue;
		*line = '-';
		line[strcspn(line, " ")] = '\0';
		probes_order(line);
	}
	buf_release(&list);
	assert_int_equal(probes_count(ptop), 0);
}

void
probes_order(const char *order)
{
	int fd = open(probes_path, O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, order, strlen(order)), (int)strlen(order));
	close(fd);
}
