/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/kernel_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/index.h"
#include "live/sys/procfs.h"

enum {
	TEXT_MAX = 4096,   /* bytes of a stack: the kernel writes 64 frames at most */
	NAME_MAX_LEN = 127,
	NAMES_MAX = 4096,
	SYMBOLS_MAX = 1 << 20, /* are kept, 16 MiB: kernels have some 130,000 */
	BLOCK = 64 << 10,  /* of kallsyms, read at once */
	PENDING_MAX = 16,  /* names that one address has */
	STEP_NS = 2000000, /* of CPU time: more of it is read later, */
	STEP_READS = 16,   /* each some KiB */
	SOON_MS = 2000,
	AGAIN_MS = 100,    /* kallsyms costs some 50 ms: not sooner, and then ever later */
	AGAIN_TIMES = 16,
	AGAIN_MOST_MS = 64000,
	COMMONS = 16,      /* stacks that many threads have, */
	COMMON_USES = 32,  /* one of so many is read, to see that it still is so */
};

struct kernel_name {
	char *text;
	uint64_t size, address;
	bool is_looked_up, is_exact; /* exact: of that size, else another may have the name, too */
};

/* Symbols of one address, whose size the next one tells. */
struct pending {
	uint64_t address;
	uint32_t names[PENDING_MAX];
	size_t len;
};

/* kallsyms, being read. */
struct scan {
	int fd; /* -1: it is not */
	uint64_t begun_ns;
	size_t names; /* that are looked for: those before */
	struct pending pending;
	char *block;
	size_t held;  /* bytes of a line in block that has no end yet */
};

/* A function of the kernel, by the hash of its name. */
struct symbol {
	uint64_t hash, address;
};

/* What was read last of those that wait alike. */
struct common {
	uint64_t number; /* see struct kernel_reader */
	bool is_sure;    /* the one before it had the same */
	unsigned uses;
	size_t len;
	struct kernel_frame frames[KERNEL_STACK_MAX];
};

struct kernel_stacks {
	struct scan scan;
	struct common commons[COMMONS]; /* by number */
	struct kernel_name *names;
	size_t len, cap;
	size_t looked_up;    /* those before it, in kallsyms */
	struct symbol *symbols; /* of the first scan, as they came: names that come later need none */
	size_t symbol_len, symbol_cap;
	size_t searched;     /* names before it were looked for among them */
	bool has_symbols;    /* the first scan has ended */
	struct index by_name; /* place in names, from 1 */
	uint64_t due_ns, again_ms;
	bool is_denied;
};

struct kernel_stacks *
kernel_stacks_new(void)
{
	struct kernel_stacks *ks = mem_calloc(1, sizeof(*ks));

	ks->again_ms = AGAIN_MS;
	ks->scan.fd = -1;
	return ks;
}

void
kernel_stacks_free(struct kernel_stacks *ks)
{
	if (ks == NULL)
		return;
	if (ks->scan.fd >= 0)
		close(ks->scan.fd);
	free(ks->scan.block);
	for (size_t i = 0; i < ks->len; i++)
		free(ks->names[i].text);
	free(ks->names);
	free(ks->symbols);
	index_release(&ks->by_name);
	free(ks);
}

bool
kernel_stacks_is_denied(const struct kernel_stacks *ks)
{
	return ks->is_denied;
}

static uint64_t
name_hash(const char *text, size_t len)
{
	return hash_mix(hash_bytes(text, len), len);
}

static bool
is_called(const struct kernel_name *name, const char *text, size_t len)
{
	return strncmp(name->text, text, len) == 0 && name->text[len] == '\0';
}

/* From 1; 0: there is no room.  Functions of one name are told apart by their size. */
static uint32_t
find_name(struct kernel_stacks *ks, const char *text, size_t len, uint64_t size)
{
	uint64_t hash = name_hash(text, len);
	uint32_t id, pos;

	for (id = index_first(&ks->by_name, hash, &pos); id != 0;
	     id = index_next(&ks->by_name, hash, &pos))
		if (ks->names[id - 1].size == size && is_called(&ks->names[id - 1], text, len))
			return id;
	if (ks->len == NAMES_MAX)
		return 0;
	VEC_ADD(ks->names, ks->len, ks->cap) =
		(struct kernel_name){ .text = mem_strndup(text, len), .size = size };
	index_add(&ks->by_name, hash, (uint32_t)ks->len);
	return (uint32_t)ks->len;
}

/* "[<0>] futex_wait+0x6b/0x100 [module]"; false: it names no function. */
static bool
parse_line(struct kernel_stacks *ks, const char *line, struct kernel_frame *frame)
{
	char name[NAME_MAX_LEN + 1];
	unsigned offset, size;

	if (sscanf(line, "[<%*[^>]>] %127[^+ \n]+0x%8x/0x%8x", name, &offset, &size) != 3 ||
	    offset > size)
		return false;
	frame->name = find_name(ks, name, strlen(name), size);
	frame->offset = offset;
	return frame->name != 0;
}

size_t
kernel_stacks_parse(struct kernel_stacks *ks, const char *text, size_t len,
		    struct kernel_frame frames[KERNEL_STACK_MAX])
{
	const char *end = text + len;
	size_t count = 0;

	while (text < end && count < KERNEL_STACK_MAX) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		char line[256];

		if (stop == NULL) /* it is cut there */
			break;
		snprintf(line, sizeof(line), "%.*s", (int)MIN(stop - text, 255), text);
		count += parse_line(ks, line, &frames[count]);
		text = stop + 1;
	}
	return count;
}

static size_t
read_stack(struct kernel_stacks *ks, const struct kernel_reader *who,
	   struct kernel_frame frames[KERNEL_STACK_MAX])
{
	char path[64], text[TEXT_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "%d/task/%d/stack", who->pid, who->tid);
	n = proc_file_read(who->proc_fd, path, text, sizeof(text));
	/* Of who may not be looked at it is EPERM; ENOENT: the kernel is built without. */
	ks->is_denied = n < 0 && errno == EACCES;
	return n > 0 ? kernel_stacks_parse(ks, text, (size_t)n, frames) : 0;
}

/* One that waits elsewhere by the time that it is read is not taken for all. */
static void
learn_common(struct common *c, uint64_t number, const struct kernel_frame *frames, size_t len)
{
	c->is_sure = c->number == number && c->len == len && len > 0 &&
		     memcmp(c->frames, frames, len * sizeof(*frames)) == 0;
	c->number = number;
	c->uses = 0;
	c->len = len;
	memcpy(c->frames, frames, len * sizeof(*frames));
}

size_t
kernel_stacks_read(struct kernel_stacks *ks, const struct kernel_reader *who,
		   struct kernel_frame frames[KERNEL_STACK_MAX])
{
	struct common *c = &ks->commons[who->common % COMMONS];
	size_t len;

	if (ks->is_denied)
		return 0;
	if (who->common != 0 && c->number == who->common && c->is_sure && ++c->uses < COMMON_USES) {
		memcpy(frames, c->frames, c->len * sizeof(*frames));
		return c->len;
	}
	len = read_stack(ks, who, frames);
	if (who->common != 0)
		learn_common(c, who->common, frames, len);
	return len;
}

/* A function of that name and size is there. */
static void
learn_address(struct kernel_name *name, uint64_t address, uint64_t size)
{
	bool is_exact = size == name->size;

	if (name->is_exact || (name->address != 0 && !is_exact))
		return;
	name->address = address;
	name->is_exact = is_exact;
}

static void
settle(struct kernel_stacks *ks, struct pending *p, uint64_t next)
{
	for (size_t i = 0; i < p->len; i++)
		learn_address(&ks->names[p->names[i] - 1], p->address, next - p->address);
	p->len = 0;
}

/* "ffffffff81000000 T name", and a module behind a tab. */
static void
take_symbol(struct kernel_stacks *ks, struct pending *p, const char *line)
{
	uint64_t address, hash;
	const char *text;
	uint32_t id, pos;
	char *rest;
	size_t len;

	address = strtoull(line, &rest, 16);
	if (address == 0 || rest[0] != ' ' || rest[1] == '\0' || rest[2] != ' ')
		return;
	if (address != p->address)
		settle(ks, p, address);
	p->address = address;
	text = rest + 3;
	len = strcspn(text, "\t\n");
	hash = name_hash(text, len);
	if (!ks->has_symbols && ks->symbol_len < SYMBOLS_MAX && strchr("tTwW", rest[1]) != NULL)
		VEC_ADD(ks->symbols, ks->symbol_len, ks->symbol_cap) =
			(struct symbol){ hash, address };
	for (id = index_first(&ks->by_name, hash, &pos); id != 0;
	     id = index_next(&ks->by_name, hash, &pos))
		if (is_called(&ks->names[id - 1], text, len) && p->len < PENDING_MAX)
			p->names[p->len++] = id;
}

/* Whole lines of it; how many bytes they are. */
static size_t
take_lines(struct kernel_stacks *ks, struct pending *p, char *text, size_t len)
{
	size_t at = 0;
	char *stop;

	while ((stop = memchr(text + at, '\n', len - at)) != NULL) {
		*stop = '\0';
		take_symbol(ks, p, text + at);
		at = (size_t)(stop - text) + 1;
	}
	return at;
}

/* Some of it; false: that was all. */
static bool
read_symbols(struct kernel_stacks *ks, struct scan *scan)
{
	uint64_t end = clock_thread_cpu_ns() + STEP_NS;
	ssize_t n = 1;

	while (n > 0 && clock_thread_cpu_ns() < end) {
		for (unsigned i = 0; i < STEP_READS && n > 0; i++) {
			size_t len, at;

			n = read(scan->fd, scan->block + scan->held, BLOCK - scan->held);
			len = scan->held + (size_t)MAX(n, 0);
			at = take_lines(ks, &scan->pending, scan->block, len);
			scan->held = at == 0 && len == BLOCK ? 0 : len - at; /* no line is so long */
			memmove(scan->block, scan->block + at, scan->held);
		}
	}
	return n > 0;
}

static void
begin_scan(struct kernel_stacks *ks, int proc_fd, uint64_t now_ns)
{
	ks->scan = (struct scan){ .names = ks->len, .begun_ns = now_ns };
	ks->scan.fd = openat(proc_fd, "kallsyms", O_RDONLY | O_CLOEXEC);
	ks->scan.block = mem_calloc(1, BLOCK);
}

/* Names that came meanwhile may have been passed by. */
static void
end_scan(struct kernel_stacks *ks, uint64_t now_ns)
{
	settle(ks, &ks->scan.pending, 0);
	ks->has_symbols |= ks->scan.fd >= 0;
	for (; ks->looked_up < ks->scan.names; ks->looked_up++)
		ks->names[ks->looked_up].is_looked_up = true;
	free(ks->scan.block);
	if (ks->scan.fd >= 0)
		close(ks->scan.fd);
	ks->scan = (struct scan){ .fd = -1 };
	ks->due_ns = now_ns + ks->again_ms * NSEC_PER_MSEC;
	ks->again_ms = MIN(AGAIN_TIMES * ks->again_ms, (uint64_t)AGAIN_MOST_MS);
}

bool
kernel_stacks_is_at_it(const struct kernel_stacks *ks)
{
	return ks->scan.block != NULL;
}

bool
kernel_stacks_is_soon(const struct kernel_stacks *ks, uint64_t now_ns)
{
	return kernel_stacks_is_at_it(ks) && now_ns - ks->scan.begun_ns < SOON_MS * NSEC_PER_MSEC;
}

/* Where the next symbol begins. */
static uint64_t
end_of(const struct kernel_stacks *ks, size_t at)
{
	size_t next = at + 1;

	while (next < ks->symbol_len && ks->symbols[next].address == ks->symbols[at].address)
		next++;
	return next < ks->symbol_len ? ks->symbols[next].address : 0;
}

/* Names that came since the first scan; what is in no list of that time is looked for in a newer one. */
static void
search_symbols(struct kernel_stacks *ks)
{
	bool has_all;

	ks->searched = MAX(ks->searched, ks->looked_up);
	has_all = ks->searched == ks->looked_up;
	for (size_t i = 0; i < ks->symbol_len; i++) {
		const struct symbol *s = &ks->symbols[i];
		uint32_t id, pos;

		for (id = index_first(&ks->by_name, s->hash, &pos); id != 0;
		     id = index_next(&ks->by_name, s->hash, &pos)) {
			struct kernel_name *name = &ks->names[id - 1];

			if (id <= ks->searched || name_hash(name->text, strlen(name->text)) != s->hash)
				continue;
			learn_address(name, s->address, end_of(ks, i) - s->address);
			name->is_looked_up = true;
		}
	}
	for (; ks->searched < ks->len; ks->searched++)
		has_all = has_all && ks->names[ks->searched].is_looked_up;
	if (has_all)
		ks->looked_up = ks->len;
}

bool
kernel_stacks_step(struct kernel_stacks *ks, int proc_fd, uint64_t now_ns)
{
	if (!kernel_stacks_is_at_it(ks)) {
		if (ks->has_symbols && ks->searched < ks->len)
			search_symbols(ks);
		if (ks->looked_up == ks->len || now_ns < ks->due_ns)
			return false;
		begin_scan(ks, proc_fd, now_ns);
	}
	if (ks->scan.fd < 0 || !read_symbols(ks, &ks->scan))
		end_scan(ks, now_ns);
	return true;
}

size_t
kernel_stacks_addresses(const struct kernel_stacks *ks, const struct kernel_frame *frames,
			size_t len, uint64_t addrs[KERNEL_STACK_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++) {
		const struct kernel_name *name = &ks->names[frames[i].name - 1];

		if (!name->is_looked_up)
			return 0;
		if (name->address != 0)
			addrs[count++] = name->address + frames[i].offset;
	}
	return count;
}
