/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/encode.h"
#include "record/abi.h"

#include <string.h>
#include <sys/mman.h>

/* Names of kernel threads are longer in /proc than in the kernel's own records. */
enum { COMM_MAX = 64, NAME_MAX_BYTES = 4096, KSYMBOL_NAME_MAX = 512, RECORD_MAX = UINT16_MAX & ~7 };

static void
add_u16(struct buf *b, uint16_t value)
{
	buf_add(b, &value, sizeof(value));
}

/* NUL-terminated and filled up to whole words, as the kernel does. */
static void
add_name(struct buf *b, const char *name, size_t max)
{
	size_t len = strnlen(name, max - 1);

	buf_add(b, name, len);
	buf_add_fill(b, '\0', 8 - len % 8);
}

/* The header, whose size is known at the end; where it is. */
static size_t
begin(struct buf *b, uint32_t type, uint16_t misc)
{
	const struct perf_event_header head = { .type = type, .misc = misc };

	buf_add(b, &head, sizeof(head));
	return b->len - sizeof(head);
}

static void
set_size(struct buf *b, size_t at)
{
	struct perf_event_header head;

	memcpy(&head, b->data + at, sizeof(head));
	head.size = (uint16_t)(b->len - at);
	memcpy(b->data + at, &head, sizeof(head));
}

static void
end(struct buf *b, size_t at, const struct record_layout *layout)
{
	buf_add_fill(b, '\0', layout->trailer_bytes);
	set_size(b, at);
}

void
record_encode_comm(struct buf *b, const struct record_layout *layout, int pid, int tid,
		   const char *comm)
{
	size_t at = begin(b, PERF_RECORD_COMM, 0);

	buf_add_raw32(b, (uint32_t)pid);
	buf_add_raw32(b, (uint32_t)tid);
	add_name(b, comm, COMM_MAX);
	end(b, at, layout);
}

void
record_encode_mmap2(struct buf *b, const struct record_layout *layout, const struct record_mmap *m)
{
	bool is_data = !(m->prot & PROT_EXEC);
	size_t at = begin(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER |
						(is_data ? PERF_RECORD_MISC_MMAP_DATA : 0));

	buf_add_raw32(b, m->pid);
	buf_add_raw32(b, m->tid);
	buf_add_raw64(b, m->start);
	buf_add_raw64(b, m->len);
	buf_add_raw64(b, m->pgoff);
	buf_add_raw32(b, m->maj);
	buf_add_raw32(b, m->min);
	buf_add_raw64(b, m->ino);
	buf_add_raw64(b, m->ino_generation);
	buf_add_raw32(b, m->prot);
	buf_add_raw32(b, m->flags);
	add_name(b, m->name, NAME_MAX_BYTES);
	end(b, at, layout);
}

void
record_encode_kernel_mmap(struct buf *b, const struct record_layout *layout,
			  const struct record_mmap *m)
{
	size_t at = begin(b, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	buf_add_raw32(b, UINT32_MAX); /* of no process */
	buf_add_raw32(b, 0);
	buf_add_raw64(b, m->start);
	buf_add_raw64(b, m->len);
	buf_add_raw64(b, m->pgoff);
	add_name(b, m->name, NAME_MAX_BYTES);
	end(b, at, layout);
}

void
record_encode_ksymbol(struct buf *b, const struct record_layout *layout,
		      const struct encode_ksymbol *k)
{
	enum { BPF = 1, OUT_OF_LINE = 2 }; /* PERF_RECORD_KSYMBOL_TYPE_* */
	size_t at = begin(b, ABI_RECORD_KSYMBOL, 0);

	buf_add_raw64(b, k->start);
	buf_add_raw32(b, (uint32_t)MIN(k->len, UINT32_MAX));
	add_u16(b, k->is_bpf ? BPF : OUT_OF_LINE);
	add_u16(b, 0);
	add_name(b, k->name, KSYMBOL_NAME_MAX);
	end(b, at, layout);
}

void
record_encode_lost(struct buf *b, const struct record_layout *layout, uint64_t id, uint64_t lost)
{
	size_t at = begin(b, PERF_RECORD_LOST, 0);

	buf_add_raw64(b, id);
	buf_add_raw64(b, lost);
	end(b, at, layout);
}

void
record_encode_lost_samples(struct buf *b, const struct record_layout *layout, uint64_t id,
			   uint64_t lost)
{
	size_t at = begin(b, PERF_RECORD_LOST_SAMPLES, 0);

	buf_add_raw64(b, lost);
	end(b, at, layout);
	/* The last of the trailer. */
	memcpy(b->data + b->len - sizeof(id), &id, sizeof(id));
}

/* How many words of its chain stay: the kernel's, or all if there is no other. */
static size_t
words_kept(const struct record_sample *s, bool has_other)
{
	size_t n = 0;

	while (n < s->chain_len && !(has_other && s->chain[n] == (uint64_t)PERF_CONTEXT_USER))
		n++;
	return n;
}

static void
add_chain(struct buf *b, const uint8_t *kept, size_t kept_len, const struct record_unwound *user,
	  size_t len)
{
	bool has_user = len > 0 || user->is_cut;

	buf_add_raw64(b, kept_len + has_user + len + user->is_cut);
	buf_add(b, kept, kept_len * 8);
	if (has_user)
		buf_add_raw64(b, (uint64_t)PERF_CONTEXT_USER);
	buf_add(b, user->addrs, len * 8);
	if (user->is_cut)
		buf_add_raw64(b, (uint64_t)PERF_CONTEXT_USER);
}

/* Its parts: up to the chain, chain, what is between, registers and copy, the rest. */
void
record_encode_unwound(struct buf *b, const struct record *rec, struct bytes bytes,
		      const struct record_unwound *user)
{
	const struct record_sample *s = &rec->sample;
	const size_t regs = s->regs_user.words != NULL
				    ? (size_t)__builtin_popcountll(s->regs_user.mask) : 0;
	const uint8_t *chain = bytes.data + sizeof(struct perf_event_header) +
			       RECORD_WORDS(s->carries, RECORD_BEFORE_PERIOD | PERF_SAMPLE_PERIOD);
	const uint8_t *between = chain + (1 + s->chain_len) * 8;
	const uint8_t *copies = s->stack_user.data - (2 + regs) * 8;
	const uint8_t *rest = s->stack_user.data + s->stack_user.len + (s->stack_user.len > 0 ? 8 : 0);
	size_t at = b->len, kept = words_kept(s, user->len > 0 || user->is_cut);
	size_t taken = bytes.len - (size_t)(rest - copies) - (s->chain_len - kept) * 8;

	buf_add(b, bytes.data, (size_t)(chain - bytes.data));
	/* The copy has made room for the chain that was in it, but for marks at its ends. */
	add_chain(b, chain + 8, kept, user, MIN(user->len, (RECORD_MAX - taken) / 8 - 2));
	buf_add(b, between, (size_t)(copies - between));
	buf_add(b, rest, (size_t)(bytes.data + bytes.len - rest));
	set_size(b, at);
}

void
record_attr_unwound(struct event_attr *attr)
{
	attr->sample_type &= ~RECORD_COPIES;
	attr->sample_regs_user = 0;
	attr->sample_stack_user = 0;
	attr->exclude_callchain_user = 0;
}
