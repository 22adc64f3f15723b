/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pty.h"

#include "base/clock.h"
#include "tests/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vterm.h>

/* In a line of one column, libvterm (0.1 to 0.3) dies of a wide character. */
enum { RAW_MAX = 64 << 20, LOOK_MS = 20, REST_MS = 5000, WIDTH_MIN = 2 };

/* What the leader tells about the program each time that its state changes. */
struct pty_news {
	int status;
	struct rusage usage;
};

struct pty {
	struct pty *next; /* of those that are open */
	int master, slave, news;
	pid_t leader, program;
	struct termios before;
	VTerm *vterm;
	VTermScreen *screen;
	bool alternate, cursor_hidden;
	struct buf raw, text;
	uint64_t bytes, start_ns, first_ns, last_ns;
	char last_byte;
	bool exited, stopped;
	struct pty_news end;
};

/* A test that fails leaves its own here: what it did not free is no leak of what it tests. */
static struct pty *open_ones;

static int
on_prop(VTermProp prop, VTermValue *value, void *user)
{
	struct pty *p = user;

	if (prop == VTERM_PROP_ALTSCREEN)
		p->alternate = value->boolean != 0;
	if (prop == VTERM_PROP_CURSORVISIBLE)
		p->cursor_hidden = value->boolean == 0;
	return 1;
}

static const VTermScreenCallbacks callbacks = { .settermprop = on_prop };

static void
set_env(const struct pty_options *o)
{
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	/* What whoever runs the tests has chosen, or did last, is not theirs. */
	setenv("XDG_CONFIG_HOME", "/dev/null", 0);
	setenv("XDG_STATE_HOME", "/dev/null", 0);
	unsetenv("NO_COLOR");
	unsetenv("LINES");
	unsetenv("COLUMNS");
	for (size_t i = 0; o->env != NULL && o->env[i] != NULL; i++) {
		if (strchr(o->env[i], '=') != NULL)
			putenv((char *)(uintptr_t)o->env[i]);
		else
			unsetenv(o->env[i]);
	}
}

static NORETURN void
exec_program(char *const argv[], const struct pty_options *o)
{
	setpgid(0, 0);
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(STDIN_FILENO, getpid());
	signal(SIGTTOU, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	set_env(o);
	execvp(argv[0], argv);
	fprintf(stderr, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Starts the program and tells its pid, then each change of its state. */
static NORETURN void
run_leader(const struct pty *p, int news, char *const argv[], const struct pty_options *o)
{
	struct pty_news n = { 0 };
	pid_t pid;

	close(p->master);
	setsid();
	ioctl(p->slave, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(p->slave, fd);
	signal(SIGHUP, SIG_IGN); /* the end of the terminal is the program's business */
	pid = run_fork();
	if (pid == 0)
		exec_program(argv, o);
	close(p->slave);
	setpgid(pid, pid);
	if (write(news, &pid, sizeof(pid)) < 0)
		_exit(1);
	do {
		if (wait4(pid, &n.status, WUNTRACED | WCONTINUED, &n.usage) < 0)
			_exit(1);
		if (write(news, &n, sizeof(n)) < 0)
			_exit(1);
	} while (!WIFEXITED(n.status) && !WIFSIGNALED(n.status));
	_exit(0);
}

static void
start_vterm(struct pty *p, const struct pty_options *o)
{
	p->vterm = vterm_new(o->height, MAX(o->width, WIDTH_MIN));
	vterm_set_utf8(p->vterm, 1);
	p->screen = vterm_obtain_screen(p->vterm);
	vterm_screen_set_callbacks(p->screen, &callbacks, p);
	vterm_screen_enable_altscreen(p->screen, 1);
	vterm_screen_reset(p->screen, 1);
}

static int
open_pair(struct pty *p, int width, int height)
{
	struct winsize ws = { .ws_row = (unsigned short)height, .ws_col = (unsigned short)width };
	char name[64];

	p->slave = -1;
	p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (p->master < 0 || grantpt(p->master) != 0 || unlockpt(p->master) != 0 ||
	    ptsname_r(p->master, name, sizeof(name)) != 0)
		return -1;
	p->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->slave < 0)
		return -1;
	ioctl(p->slave, TIOCSWINSZ, &ws);
	return tcgetattr(p->slave, &p->before);
}

struct pty *
pty_start(char *const argv[], const struct pty_options *o)
{
	struct pty *p = mem_calloc(1, sizeof(*p));
	int news[2];

	if (open_pair(p, o->width, o->height) != 0 || pipe2(news, O_CLOEXEC) != 0)
		goto fail;
	start_vterm(p, o);
	p->start_ns = clock_mono_ns();
	p->leader = run_fork();
	if (p->leader == 0)
		run_leader(p, news[1], argv, o);
	close(news[1]);
	p->news = news[0];
	if (p->leader < 0 || read(p->news, &p->program, sizeof(p->program)) < 0)
		goto fail;
	fcntl(p->news, F_SETFL, O_NONBLOCK);
	p->next = open_ones;
	open_ones = p;
	return p;
fail:
	free(p);
	return NULL;
}

void
pty_free(struct pty *p)
{
	struct pty **at = &open_ones;

	if (p == NULL)
		return;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	if (!p->exited && p->program > 0) {
		kill(p->program, SIGKILL);
		kill(p->program, SIGCONT);
	}
	pty_hangup(p);
	close(p->news);
	waitpid(p->leader, NULL, 0);
	vterm_free(p->vterm);
	buf_release(&p->raw);
	buf_release(&p->text);
	free(p);
}

void
pty_free_all(void)
{
	while (open_ones != NULL)
		pty_free(open_ones);
}

void
pty_hangup(struct pty *p)
{
	if (p->master >= 0)
		close(p->master);
	if (p->slave >= 0)
		close(p->slave);
	p->master = p->slave = -1;
}

static void
take_news(struct pty *p)
{
	struct pty_news n;

	while (read(p->news, &n, sizeof(n)) == (ssize_t)sizeof(n)) {
		p->stopped = WIFSTOPPED(n.status);
		p->exited = WIFEXITED(n.status) || WIFSIGNALED(n.status);
		if (p->exited)
			p->end = n;
	}
}

/* Everything that waits now.  false: nothing did. */
static bool
take_bytes(struct pty *p)
{
	char bytes[16384];
	bool any = false;
	ssize_t n;

	while (p->master >= 0 && (n = read(p->master, bytes, sizeof(bytes))) > 0) {
		any = true;
		p->last_ns = clock_mono_ns();
		p->first_ns = p->first_ns == 0 ? p->last_ns : p->first_ns;
		p->bytes += (uint64_t)n;
		p->last_byte = bytes[n - 1];
		if (p->raw.len + (size_t)n <= RAW_MAX)
			buf_add(&p->raw, bytes, (size_t)n);
		vterm_input_write(p->vterm, bytes, (size_t)n);
	}
	return any;
}

/* Waits up to @ms for something to happen.  false: nothing came. */
static bool
pump(struct pty *p, int ms)
{
	struct pollfd fds[] = {
		{ .fd = p->master, .events = POLLIN },
		{ .fd = p->exited ? -1 : p->news, .events = POLLIN },
	};
	bool any;

	poll(fds, 2, ms);
	any = take_bytes(p);
	take_news(p);
	return any;
}

static double
ms_since(uint64_t start)
{
	return (double)(clock_mono_ns() - start) / (double)NSEC_PER_MSEC;
}

void
pty_run(struct pty *p, int ms)
{
	uint64_t start = clock_mono_ns();
	double left;

	while ((left = ms - ms_since(start)) > 0)
		pump(p, (int)left + 1);
}

void
pty_keys(struct pty *p, const char *keys)
{
	size_t len = strlen(keys);
	ssize_t n;

	while (len > 0) {
		n = write(p->master, keys, len);
		if (n < 0 && errno != EAGAIN)
			return;
		if (n < 0) {
			pump(p, 1);
			continue;
		}
		keys += n;
		len -= (size_t)n;
	}
}

int
pty_unread(struct pty *p)
{
	int n = 0;

	return ioctl(p->slave, FIONREAD, &n) == 0 ? n : -1;
}

void
pty_tell_size(struct pty *p, int width, int height)
{
	struct winsize ws = { .ws_row = (unsigned short)height, .ws_col = (unsigned short)width };

	ioctl(p->master, TIOCSWINSZ, &ws);
}

void
pty_resize(struct pty *p, int width, int height)
{
	take_bytes(p);
	vterm_set_size(p->vterm, height, MAX(width, WIDTH_MIN));
	pty_tell_size(p, width, height);
}

void
pty_signal(struct pty *p, int sig)
{
	kill(p->program, sig);
}

pid_t
pty_pid(const struct pty *p)
{
	return p->program;
}

void
pty_restore(struct pty *p, const char *bytes)
{
	tcsetattr(p->slave, TCSANOW, &p->before);
	if (write(p->slave, bytes, strlen(bytes)) < 0)
		return; /* then it does not show */
}

static bool
wait_for(struct pty *p, const char *text, bool there, int timeout_ms)
{
	uint64_t start = clock_mono_ns();

	while ((strstr(pty_screen(p), text) != NULL) != there) {
		if (ms_since(start) > timeout_ms)
			return false;
		pump(p, LOOK_MS);
	}
	return true;
}

bool
pty_wait_text(struct pty *p, const char *text, int timeout_ms)
{
	return wait_for(p, text, true, timeout_ms);
}

bool
pty_wait_gone(struct pty *p, const char *text, int timeout_ms)
{
	return wait_for(p, text, false, timeout_ms);
}

bool
pty_wait_match(struct pty *p, const char *regex, int timeout_ms)
{
	uint64_t start = clock_mono_ns();
	bool found = false;
	regex_t re;

	if (regcomp(&re, regex, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
		return false;
	for (;;) {
		found = regexec(&re, pty_screen(p), 0, NULL, 0) == 0;
		if (found || ms_since(start) > timeout_ms)
			break;
		pump(p, LOOK_MS);
	}
	regfree(&re);
	return found;
}

/* As of "PID (name) STATE": whether the thread wants a CPU, or has one. */
static bool
wants_cpu(pid_t pid, const char *tid)
{
	char path[300], text[256];
	const char *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", (int)pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	state = strrchr(text, ')');
	return state != NULL && strncmp(state, ") R", 3) == 0;
}

/* Where others have the CPUs, a program that says nothing may have no time to. */
static bool
is_at_work(const struct pty *p)
{
	char path[64];
	bool any = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)p->program);
	dir = opendir(path);
	for (struct dirent *d; !any && dir != NULL && (d = readdir(dir)) != NULL;)
		any = d->d_name[0] != '.' && wants_cpu(p->program, d->d_name);
	if (dir != NULL)
		closedir(dir);
	return any;
}

void
pty_settle(struct pty *p, int quiet_ms, int timeout_ms)
{
	uint64_t start = clock_mono_ns();

	while ((pump(p, quiet_ms) || is_at_work(p)) && ms_since(start) < timeout_ms)
		;
}

double
pty_key_ms(struct pty *p, const char *keys, int quiet_ms)
{
	uint64_t start;

	take_bytes(p);
	start = clock_mono_ns();
	pty_keys(p, keys);
	while (pump(p, quiet_ms))
		;
	return p->last_ns > start ? (double)(p->last_ns - start) / (double)NSEC_PER_MSEC : 0;
}

double
pty_first_byte_ms(const struct pty *p)
{
	if (p->first_ns == 0)
		return -1;
	return (double)(p->first_ns - p->start_ns) / (double)NSEC_PER_MSEC;
}

static void
add_utf8(struct buf *b, uint32_t ch)
{
	char s[8] = "";
	int n = ch < 0x80 ? 1 : ch < 0x800 ? 2 : ch < 0x10000 ? 3 : 4;

	if (n == 1) {
		buf_add_char(b, (char)ch);
		return;
	}
	for (int i = n - 1; i > 0; i--, ch >>= 6)
		s[i] = (char)(0x80 | (ch & 0x3f));
	s[0] = (char)(0xf00 >> n | ch);
	buf_add(b, s, (size_t)n);
}

static void
add_line(struct pty *p, int y)
{
	size_t start = p->text.len;
	int width, height;

	vterm_get_size(p->vterm, &height, &width);
	for (int x = 0; x < width; x++) {
		VTermScreenCell cell;

		if (vterm_screen_get_cell(p->screen, (VTermPos){ y, x }, &cell) == 0)
			break;
		if (cell.chars[0] == (uint32_t)-1) /* second half of a wide one */
			continue;
		add_utf8(&p->text, cell.chars[0] == 0 ? ' ' : cell.chars[0]);
		for (int i = 1; cell.chars[0] != 0 && i < VTERM_MAX_CHARS_PER_CELL; i++)
			if (cell.chars[i] != 0)
				add_utf8(&p->text, cell.chars[i]);
			else
				break;
	}
	while (p->text.len > start && p->text.data[p->text.len - 1] == ' ')
		p->text.data[--p->text.len] = '\0';
}

const char *
pty_line(struct pty *p, int y)
{
	buf_reset(&p->text);
	add_line(p, y);
	return buf_str(&p->text);
}

const char *
pty_screen(struct pty *p)
{
	int width, height;

	vterm_get_size(p->vterm, &height, &width);
	buf_reset(&p->text);
	for (int y = 0; y < height; y++) {
		add_line(p, y);
		buf_add_char(&p->text, '\n');
	}
	return buf_str(&p->text);
}

int
pty_find_line(struct pty *p, const char *text)
{
	int width, height;

	vterm_get_size(p->vterm, &height, &width);
	for (int y = 0; y < height; y++)
		if (strstr(pty_line(p, y), text) != NULL)
			return y;
	return -1;
}

static uint32_t
rgb_of(const struct pty *p, VTermColor color)
{
	vterm_screen_convert_color_to_rgb(p->screen, &color);
	return (uint32_t)color.rgb.red << 16 | (uint32_t)color.rgb.green << 8 | color.rgb.blue;
}

struct pty_cell
pty_cell(struct pty *p, int x, int y)
{
	struct pty_cell res = { 0 };
	VTermScreenCell cell;

	if (vterm_screen_get_cell(p->screen, (VTermPos){ y, x }, &cell) == 0)
		return res;
	res.ch = cell.chars[0];
	res.bold = cell.attrs.bold;
	res.underline = cell.attrs.underline != 0;
	res.reverse = cell.attrs.reverse;
	res.own_fg = VTERM_COLOR_IS_DEFAULT_FG(&cell.fg);
	res.own_bg = VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
	res.colored = !res.own_fg || !res.own_bg;
	if (!res.own_fg)
		res.fg = rgb_of(p, cell.fg);
	if (!res.own_bg)
		res.bg = rgb_of(p, cell.bg);
	return res;
}

bool
pty_line_is_reverse(struct pty *p, int y)
{
	VTermScreenCell cell;

	if (vterm_screen_get_cell(p->screen, (VTermPos){ y, 0 }, &cell) == 0)
		return false;
	return cell.attrs.reverse || !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
}

const struct buf *
pty_raw(const struct pty *p)
{
	return &p->raw;
}

uint64_t
pty_byte_count(const struct pty *p)
{
	return p->bytes;
}

/*
 * A worker of the kernel brings what is written to a terminal to its other end: it may be on its
 * way when the program has ended.  A byte of ours, which no terminal shows, comes after all of it.
 */
static void
take_rest(struct pty *p)
{
	struct pollfd room = { .fd = p->slave, .events = POLLOUT };
	uint64_t start = clock_mono_ns();

	if (p->slave < 0)
		return;
	while (poll(&room, 1, 0) == 0 && ms_since(start) < REST_MS)
		pump(p, LOOK_MS);
	if (room.revents != POLLOUT || write(p->slave, "", 1) != 1)
		return; /* it is stopped */
	p->last_byte = '?';
	while (p->last_byte != '\0' && ms_since(start) < REST_MS)
		pump(p, LOOK_MS);
}

int
pty_wait_exit(struct pty *p, int timeout_ms)
{
	uint64_t start = clock_mono_ns();

	while (!p->exited && ms_since(start) < timeout_ms)
		pump(p, LOOK_MS);
	if (p->exited)
		take_rest(p);
	return p->exited ? p->end.status : -1;
}

bool
pty_wait_stopped(struct pty *p, int timeout_ms)
{
	uint64_t start = clock_mono_ns();

	while (!p->stopped && !p->exited && ms_since(start) < timeout_ms)
		pump(p, LOOK_MS);
	if (p->stopped)
		take_rest(p);
	return p->stopped;
}

const struct rusage *
pty_usage(const struct pty *p)
{
	return &p->end.usage;
}

/* What was said of it last. */
static bool
brackets_pastes(const struct pty *p)
{
	static const char mode[] = "\033[?2004";
	const char *at = p->raw.data, *end = at + p->raw.len;
	bool is_on = false;

	while (at != NULL && (at = memmem(at, (size_t)(end - at), mode, sizeof(mode) - 1)) != NULL) {
		at += sizeof(mode) - 1;
		is_on = at < end && *at == 'h';
	}
	return is_on;
}

const char *
pty_not_restored(struct pty *p)
{
	struct termios now;

	pump(p, 0);
	if (tcgetattr(p->slave, &now) != 0)
		return "the terminal cannot be asked";
	if (now.c_lflag != p->before.c_lflag)
		return "echo, line mode or signal keys";
	if (now.c_iflag != p->before.c_iflag || now.c_oflag != p->before.c_oflag ||
	    now.c_cflag != p->before.c_cflag)
		return "input, output or control modes";
	if (p->alternate)
		return "still in the alternate screen";
	if (p->cursor_hidden)
		return "the cursor is hidden";
	if (brackets_pastes(p))
		return "pastes have marks around them";
	return NULL;
}

bool
pty_in_alternate_screen(const struct pty *p)
{
	return p->alternate;
}
