/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/procfs.h"

#include <string.h>
#include <sys/mman.h>

/* What is left of a text.  A step that fails leaves failed set, and all later ones fail too. */
struct cursor {
	const char *pos, *end;
	bool failed;
};

static struct cursor
cursor_over(const char *text, size_t len)
{
	return (struct cursor){ .pos = text, .end = text + len };
}

/* The next byte, NUL at the end. */
static char
peek(const struct cursor *c)
{
	return c->pos < c->end ? *c->pos : '\0';
}

static void
skip_blanks(struct cursor *c)
{
	while (peek(c) == ' ')
		c->pos++;
}

static void
expect(struct cursor *c, char want)
{
	if (peek(c) != want)
		c->failed = true;
	else
		c->pos++;
}

static unsigned
digit_value(char ch)
{
	if (ch >= '0' && ch <= '9')
		return (unsigned)(ch - '0');
	if (ch >= 'a' && ch <= 'f')
		return (unsigned)(ch - 'a') + 10;
	return 99;
}

static uint64_t
read_number(struct cursor *c, unsigned base)
{
	const char *from = c->pos;
	uint64_t v = 0;
	unsigned d;

	for (; (d = digit_value(peek(c))) < base; c->pos++)
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			c->failed = true;
	if (c->pos == from)
		c->failed = true;
	return v;
}

/* A decimal field after blanks. */
static uint64_t
field(struct cursor *c)
{
	skip_blanks(c);
	return read_number(c, 10);
}

static int
field_int(struct cursor *c)
{
	uint64_t v = field(c);

	if (v > INT32_MAX)
		c->failed = true;
	return c->failed ? 0 : (int)v;
}

static int
field_signed(struct cursor *c)
{
	bool is_negative;

	skip_blanks(c);
	is_negative = peek(c) == '-';
	c->pos += is_negative;
	return is_negative ? -field_int(c) : field_int(c);
}

/* Fields of any kind (they can be negative) that nobody asks for. */
static void
skip_fields(struct cursor *c, unsigned n)
{
	while (n-- > 0) {
		skip_blanks(c);
		if (c->pos == c->end)
			c->failed = true;
		while (c->pos < c->end && *c->pos != ' ')
			c->pos++;
	}
}

/* The name stands between the first '(' and the last ')': it can hold both, and newlines. */
static void
read_comm(struct cursor *c, char *comm, size_t size)
{
	const char *last = memrchr(c->pos, ')', (size_t)(c->end - c->pos));
	size_t len;

	expect(c, '(');
	if (last == NULL || c->failed) {
		c->failed = true;
		return;
	}
	len = MIN((size_t)(last - c->pos), size - 1);
	memcpy(comm, c->pos, len);
	comm[len] = '\0';
	c->pos = last + 1;
}

bool
procfs_stat(const char *text, size_t len, struct procfs_stat *out)
{
	struct cursor c = cursor_over(text, len);

	out->pid = field_int(&c);
	skip_blanks(&c);
	read_comm(&c, out->comm, sizeof(out->comm));
	skip_blanks(&c);
	out->state = peek(&c);
	skip_fields(&c, 1);
	out->ppid = field_int(&c);
	skip_fields(&c, 4); /* pgrp, session, tty_nr, tpgid */
	out->flags = (uint32_t)field(&c);
	skip_fields(&c, 4); /* page faults */
	out->utime = field(&c);
	out->stime = field(&c);
	skip_fields(&c, 2); /* cutime, cstime */
	out->priority = field_signed(&c);
	out->nice = field_signed(&c);
	out->threads = field_int(&c);
	skip_fields(&c, 1); /* itrealvalue */
	out->start_ticks = field(&c);
	out->virt_bytes = field(&c);
	out->rss_pages = field(&c);
	skip_fields(&c, 3); /* rsslim, startcode, endcode */
	out->start_stack = field(&c);
	return !c.failed;
}

bool
procfs_schedstat(const char *text, size_t len, struct procfs_schedstat *out)
{
	struct cursor c = cursor_over(text, len);

	out->run_ns = field(&c);
	out->queue_ns = field(&c);
	out->turns = field(&c);
	return !c.failed;
}

/* Whether @word is one of the words that commas part. */
static bool
has_word(const char *words, size_t len, const char *word)
{
	size_t word_len = strlen(word);

	while (len >= word_len) {
		const char *comma = memchr(words, ',', len);
		size_t n = comma != NULL ? (size_t)(comma - words) : len;

		if (n == word_len && memcmp(words, word, n) == 0)
			return true;
		n += comma != NULL;
		words += n;
		len -= n;
		if (n == 0)
			break;
	}
	return false;
}

/* Lines "4:cpu,perf_event:/user", and "0::/user" of the second version; "... (deleted)". */
bool
procfs_cgroup(const char *text, size_t len, const char **path, size_t *path_len)
{
	static const char gone[] = " (deleted)";
	const char *end = text + len, *line, *next;
	bool found = false;

	for (line = text; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line)), *names, *at;
		bool is_first;

		if (newline == NULL) /* it was cut */
			break;
		next = newline + 1;
		names = memchr(line, ':', (size_t)(newline - line));
		at = names != NULL ? memchr(names + 1, ':', (size_t)(newline - names - 1)) : NULL;
		if (at == NULL || at + 1 == newline || at[1] != '/')
			continue;
		is_first = has_word(names + 1, (size_t)(at - names - 1), "perf_event");
		if (!is_first && (found || at != names + 1))
			continue;
		found = true;
		*path = at + 1;
		*path_len = (size_t)(newline - at - 1);
		if (is_first)
			break;
	}
	if (found && *path_len > sizeof(gone) - 1 &&
	    memcmp(*path + *path_len - sizeof(gone) + 1, gone, sizeof(gone) - 1) == 0)
		*path_len -= sizeof(gone) - 1;
	return found;
}

bool
procfs_ns_pid(const char *text, size_t len, int *id)
{
	static const char name[] = "\nNSpid:";
	const char *at = memmem(text, len, name, sizeof(name) - 1);
	size_t ids = 0, left;
	struct cursor c;

	if (at == NULL)
		return false;
	at += sizeof(name) - 1;
	left = len - (size_t)(at - text);
	if (memchr(at, '\n', left) != NULL)
		left = (size_t)((const char *)memchr(at, '\n', left) - at);
	/* From the namespace of this /proc to its own. */
	for (c = cursor_over(at, left); peek(&c) == '\t'; ids++) {
		expect(&c, '\t');
		*id = field_int(&c);
	}
	if (ids < 2)
		*id = 0;
	return ids > 0 && !c.failed;
}

/* @name: with what is around it on its line. */
static bool
status_number(const char *text, size_t len, const char *name, uint64_t *out)
{
	const char *at = memmem(text, len, name, strlen(name));
	struct cursor c;

	if (at == NULL)
		return false;
	at += strlen(name);
	c = cursor_over(at, len - (size_t)(at - text));
	*out = field(&c);
	return !c.failed;
}

bool
procfs_switches(const char *text, size_t len, struct procfs_switches *out)
{
	return status_number(text, len, "\nvoluntary_ctxt_switches:\t", &out->sleeps) &&
	       status_number(text, len, "\nnonvoluntary_ctxt_switches:\t", &out->yielded);
}

static uint64_t
field_hex(struct cursor *c)
{
	skip_blanks(c);
	expect(c, '0');
	expect(c, 'x');
	return read_number(c, 16);
}

bool
procfs_syscall(const char *text, size_t len, struct procfs_syscall *out)
{
	static const char running[] = "running";
	struct cursor c = cursor_over(text, len);

	*out = (struct procfs_syscall){ .number = PROCFS_NO_CALL };
	if (len >= sizeof(running) - 1 && memcmp(text, running, sizeof(running) - 1) == 0) {
		out->is_running = true;
		return true;
	}
	if (peek(&c) == '-') {
		expect(&c, '-');
		field(&c);
	} else {
		out->number = field_int(&c);
		for (size_t i = 0; i < ARRAY_SIZE(out->args); i++)
			out->args[i] = field_hex(&c);
	}
	out->sp = field_hex(&c);
	out->pc = field_hex(&c);
	return !c.failed;
}

static uint32_t
read_prot(struct cursor *c)
{
	static const struct {
		char letter;
		uint32_t prot;
	} letters[] = { { 'r', PROT_READ }, { 'w', PROT_WRITE }, { 'x', PROT_EXEC } };
	uint32_t prot = 0;

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		if (peek(c) == letters[i].letter)
			prot |= letters[i].prot;
		else if (peek(c) != '-')
			c->failed = true;
		if (!c->failed)
			c->pos++;
	}
	skip_fields(c, 1); /* 'p' or 's' */
	return prot;
}

bool
procfs_map(const char *line, size_t len, struct procfs_map *out)
{
	struct cursor c = cursor_over(line, len);

	out->start = read_number(&c, 16);
	expect(&c, '-');
	out->end = read_number(&c, 16);
	expect(&c, ' ');
	out->prot = read_prot(&c);
	skip_blanks(&c);
	out->pgoff = read_number(&c, 16);
	skip_blanks(&c);
	out->maj = (uint32_t)read_number(&c, 16);
	expect(&c, ':');
	out->min = (uint32_t)read_number(&c, 16);
	out->ino = field(&c);
	skip_blanks(&c);
	out->name = c.pos;
	out->name_len = (size_t)(c.end - c.pos);
	return !c.failed && out->start < out->end;
}

/* seq_path() escapes the newline and nothing else: another "\ooo" is part of the name. */
size_t
procfs_map_name(const char *name, size_t len, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (len - i >= 4 && memcmp(name + i, "\\012", 4) == 0) {
			out[n++] = '\n';
			i += 3;
		} else {
			out[n++] = name[i];
		}
	}
	return n;
}

size_t
procfs_command(char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] == '\0')
			bytes[i] = ' ';
	while (len > 0 && bytes[len - 1] == ' ')
		len--;
	return len;
}

/* Takes a line that begins with "cpu"; the number is left alone in the line of the sum. */
static void
read_cpu(struct cursor *c, struct procfs_cpu *cpu)
{
	c->pos += strlen("cpu");
	if (peek(c) != ' ')
		cpu->cpu = (unsigned)read_number(c, 10);
	for (size_t i = 0; i < PROCFS_CPU_TIMES; i++) {
		skip_blanks(c);
		if (peek(c) == '\n' && i > PROCFS_IDLE)
			break;
		cpu->ticks[i] = read_number(c, 10);
	}
}

static bool
is_cpu_line(const struct cursor *c)
{
	return c->end - c->pos > 3 && memcmp(c->pos, "cpu", 3) == 0;
}

static void
skip_line(struct cursor *c)
{
	const char *nl = memchr(c->pos, '\n', (size_t)(c->end - c->pos));

	c->pos = nl != NULL ? nl + 1 : c->end;
}

bool
procfs_cpus(const char *text, size_t len, struct procfs_cpu *all, struct procfs_cpu *cpus,
	    size_t max, size_t *count)
{
	struct cursor c = cursor_over(text, len);

	*count = 0;
	*all = (struct procfs_cpu){ 0 };
	if (!is_cpu_line(&c) || c.pos[3] != ' ')
		return false;
	read_cpu(&c, all);
	if (c.failed)
		return false;
	for (skip_line(&c); is_cpu_line(&c) && *count < max; skip_line(&c)) {
		struct procfs_cpu cpu = { 0 };

		read_cpu(&c, &cpu);
		if (c.failed || (*count > 0 && cpu.cpu <= cpus[*count - 1].cpu))
			break;
		cpus[(*count)++] = cpu;
	}
	return true;
}

/* "12.34": two digits after the point, as the kernel writes it. */
static double
read_load(struct cursor *c)
{
	uint64_t whole = field(c), hundredths;

	expect(c, '.');
	hundredths = read_number(c, 10);
	return (double)whole + (double)hundredths / 100;
}

bool
procfs_loadavg(const char *text, size_t len, struct procfs_loadavg *out)
{
	struct cursor c = cursor_over(text, len);

	for (size_t i = 0; i < ARRAY_SIZE(out->load); i++)
		out->load[i] = read_load(&c);
	out->running = (unsigned)field_int(&c);
	expect(&c, '/');
	out->tasks = (unsigned)field_int(&c);
	return !c.failed;
}

/* Behind @name, at the beginning of a line. */
static bool
find_value(const char *text, size_t len, const char *name, struct cursor *c)
{
	for (*c = cursor_over(text, len); c->pos < c->end; skip_line(c)) {
		if ((size_t)(c->end - c->pos) < strlen(name) || memcmp(c->pos, name, strlen(name)) != 0)
			continue;
		c->pos += strlen(name);
		return true;
	}
	return false;
}

bool
procfs_meminfo(const char *text, size_t len, struct procfs_memory *out)
{
	enum { KILO = 1024 };
	const struct {
		const char *name;
		uint64_t *to;
	} values[] = {
		{ "MemTotal:", &out->total }, { "MemAvailable:", &out->available },
		{ "SwapTotal:", &out->swap_total }, { "SwapFree:", &out->swap_free },
	};
	struct cursor c;

	*out = (struct procfs_memory){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		uint64_t kb;

		if (!find_value(text, len, values[i].name, &c))
			continue;
		kb = field(&c);
		if (!c.failed && kb <= UINT64_MAX / KILO)
			*values[i].to = kb * KILO;
	}
	return out->total > 0;
}

bool
procfs_io(const char *text, size_t len, uint64_t *read_bytes, uint64_t *write_bytes)
{
	struct cursor r, w;

	if (!find_value(text, len, "read_bytes:", &r) || !find_value(text, len, "write_bytes:", &w))
		return false;
	*read_bytes = field(&r);
	*write_bytes = field(&w);
	return !r.failed && !w.failed;
}

bool
procfs_pressure(const char *text, size_t len, double *some)
{
	struct cursor c;

	if (!find_value(text, len, "some avg10=", &c))
		return false;
	*some = read_load(&c);
	return !c.failed;
}

bool
procfs_uptime(const char *text, size_t len, uint64_t *seconds)
{
	struct cursor c = cursor_over(text, len);

	*seconds = field(&c);
	return !c.failed;
}

bool
procfs_pid(const char *name, int *pid)
{
	size_t len = strnlen(name, 8);
	struct cursor c = cursor_over(name, len);
	uint64_t v = read_number(&c, 10);

	if (c.failed || c.pos != c.end || name[0] == '0' || v >= PROCFS_PID_MAX)
		return false;
	*pid = (int)v;
	return true;
}
