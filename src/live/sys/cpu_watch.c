/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine that was suspended took all CPUs but one off line and on again, without uevents.  The
 * difference of CLOCK_BOOTTIME and CLOCK_MONOTONIC shows that it was.
 */
#include "live/sys/cpu_watch.h"

#include "base/buf.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	KERNEL_GROUP = 1,      /* of messages; those that udev passes on are another one */
	MESSAGE_BYTES_MAX = 2048,
	CPU_DIGITS_MAX = 5,
	ASLEEP_LEAST_NS = 100 * 1000 * 1000,
};

/* Of all devices, those that go or come: "offline@..." and "online@...". */
static void
filter_messages(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x6f66666c /* "offl" */, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x6f6e6c69 /* "onli" */, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	/* Without it there is more to be passed over. */
	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static int
open_messages(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -1;
	filter_messages(fd);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void
read_list(const struct cpu_watch *w, char *text, size_t size)
{
	ssize_t n = w->list_fd >= 0 ? pread(w->list_fd, text, size - 1, 0) : 0;

	text[MAX(n, 0)] = '\0';
}

void
cpu_watch_open(struct cpu_watch *w, const struct event_env *env)
{
	struct buf path = { 0 };

	buf_addf(&path, "%s/sys/devices/system/cpu/online", env->root);
	w->list_fd = open(path.data, O_RDONLY | O_CLOEXEC);
	buf_release(&path);
	/* Messages are of this machine, not of what lies below another root. */
	w->uevent_fd = *env->root == '\0' ? open_messages() : -1;
	w->asleep_ns = clock_asleep_ns();
	read_list(w, w->last, sizeof(w->last));
}

int
cpu_watch_fd(const struct cpu_watch *w)
{
	return w->uevent_fd;
}

int
cpu_watch_parse(const char *text, size_t len)
{
	static const char prefix[] = "offline@/devices/system/cpu/cpu";
	size_t at = sizeof(prefix) - 1;
	int cpu = 0, digits = 0;

	if (len <= at || memcmp(text, prefix, at) != 0)
		return -1;
	for (; at < len && text[at] >= '0' && text[at] <= '9' && digits < CPU_DIGITS_MAX; digits++)
		cpu = cpu * 10 + (text[at++] - '0');
	return digits > 0 && at < len && text[at] == '\0' && cpu < CPUS_MAX ? cpu : -1;
}

static void
add_off(struct cpus *off, unsigned cpu)
{
	off->items = mem_realloc(off->items, off->len + 1, sizeof(*off->items));
	off->items[off->len++] = cpu;
}

static void
read_messages(struct cpu_watch *w, struct cpu_changes *out)
{
	char text[MESSAGE_BYTES_MAX];
	struct sockaddr_nl from;
	socklen_t from_len = sizeof(from);
	ssize_t n;

	if (w->uevent_fd < 0)
		return;
	while ((n = recvfrom(w->uevent_fd, text, sizeof(text), 0, (struct sockaddr *)&from,
			     &from_len)) >= 0 || errno == ENOBUFS || errno == EINTR) {
		int cpu;

		if (n < 0) {
			out->all_off |= errno == ENOBUFS;
			continue;
		}
		/* Anybody with the right to may send; the kernel is 0. */
		out->any |= from.nl_pid == 0;
		cpu = from.nl_pid == 0 ? cpu_watch_parse(text, (size_t)n) : -1;
		if (cpu >= 0)
			add_off(&out->off, (unsigned)cpu);
		from_len = sizeof(from);
	}
}

void
cpu_watch_look(struct cpu_watch *w, struct cpu_changes *out)
{
	char now[sizeof(w->last)];
	int64_t asleep_ns = clock_asleep_ns();

	*out = (struct cpu_changes){ 0 };
	/*
	 * Before the list: a CPU that is in it then, of which a message will still come, has been
	 * off after this look.
	 */
	read_messages(w, out);
	out->all_off |= asleep_ns > w->asleep_ns + ASLEEP_LEAST_NS;
	w->asleep_ns = asleep_ns;
	read_list(w, now, sizeof(now));
	out->any |= out->all_off || strcmp(now, w->last) != 0;
	memcpy(w->last, now, sizeof(now));
}

void
cpu_watch_again(struct cpu_watch *w)
{
	w->last[0] = '\0';
}

void
cpu_watch_close(struct cpu_watch *w)
{
	if (w->list_fd >= 0)
		close(w->list_fd);
	if (w->uevent_fd >= 0)
		close(w->uevent_fd);
	w->list_fd = w->uevent_fd = -1;
}

bool
cpu_changes_were_off(const struct cpu_changes *c, unsigned cpu)
{
	return c->all_off || cpus_has(&c->off, cpu);
}

void
cpu_changes_release(struct cpu_changes *c)
{
	cpus_release(&c->off);
}
