/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/recording/history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "base/pages.h"

enum {
	CHUNK_BYTES = 256 << 10,
	POPULATE_BYTES = 32 << 10, /* pages that are mapped at once: cheaper than a fault for each */
	/*
	 * So much, or a fourth of the bound, is held unpacked: a short look at ptop pays for no
	 * packing.  Beyond that the oldest chunks are packed, and the memory held grows slowly.  The
	 * newest stay unpacked: the rate is measured by them.
	 */
	HELD_BYTES = 2 << 20,
	HELD_PART = 4,
	NEWEST_BYTES = 2 * CHUNK_BYTES,
	AT_ONCE = 4, /* chunks that are packed: it takes milliseconds */
	/*
	 * Above BRIEF_BYTES_S nothing is packed: it would be forgotten soon, and cost much CPU
	 * time.  Packing begins again below LONG_BYTES_S (hysteresis), or memory would go up and
	 * down.
	 */
	BRIEF_BYTES_S = 2 << 20,
	LONG_BYTES_S = 1 << 20,
	SEEN = 512, /* a power of two */
	NOTED = 1024, /* likewise: the kernel counts ids up, so few of them collide */
	LATE_S_MAX = 60, /* no sample comes so late: a newer one was of another clock */
};

/*
 * Stands for a sample that differs from an earlier one in its chunk by time and period only: a word
 * with the place of that one.  If the period is the same, too, the low 32 bits of the time since
 * the previous sample follow; else time and period.  No type of records has the high bit.
 */
#define AGAIN UINT32_C(0x80000000)
#define AGAIN_LONG UINT32_C(0x40000000)
#define AGAIN_AT (~(AGAIN | AGAIN_LONG))

struct again_short {
	uint32_t what, later_ns;
};

struct again_long {
	uint32_t what;
	uint32_t time_ns[2], period[2]; /* 64 bits each, not aligned */
};

struct history {
	struct history_keys keys;
	size_t max_bytes;
	struct history_chunk *first, *last, *open;
	struct history_chunk *unpacked; /* the oldest that may be packed */
	bool is_brief;           /* records come too fast to be packed */
	size_t unpacked_bytes;   /* from that one on, and */
	size_t held_bytes;       /* of all the sealed ones as they lie in memory */
	uint64_t newest_ns;      /* the highest time of a sample */
	uint64_t before_ns;      /* the time of the last sample */
	struct history_pack *pack; /* NULL: not needed yet */
	struct history_chunk *spare; /* forgotten, for its pages: new ones cost more than what they hold */
	uint32_t serial;         /* of the open chunk */
	size_t populated;        /* bytes of it whose pages are there */
	void (*sealed)(void *self, struct history_chunk *c);
	void *self;
	struct seen {
		uint64_t tag, period;
		uint32_t at, serial;
	} seen[SEEN];            /* by the tag */
	struct noted {
		uint64_t id;
		uint32_t serial; /* of the chunk that has it */
	} noted[NOTED];          /* by the id */
};

struct history *
history_new(size_t max_bytes, const struct history_keys *keys)
{
	struct history *h = mem_calloc(1, sizeof(*h));

	h->keys = *keys;
	h->max_bytes = max_bytes;
	h->serial = 1;
	return h;
}

struct history_chunk *
history_chunk_get(struct history_chunk *c)
{
	atomic_fetch_add(&c->refs, 1);
	return c;
}

void
history_chunk_put(struct history_chunk *c)
{
	if (c == NULL || atomic_fetch_sub(&c->refs, 1) > 1)
		return;
	munmap(c->data, c->cap);
	free(c->ids);
	free(c);
}

static size_t
id_bytes(const struct history_chunk *c)
{
	return c->id_len * sizeof(*c->ids);
}

static size_t
held_bytes(const struct history_chunk *c)
{
	return (c->packed_len > 0 ? c->packed_len : c->len) + id_bytes(c);
}

void
history_free(struct history *h)
{
	if (h == NULL)
		return;
	while (h->first != NULL) {
		struct history_chunk *next = h->first->next;

		history_chunk_put(h->first);
		h->first = next;
	}
	history_chunk_put(h->open);
	history_chunk_put(h->spare);
	history_pack_free(h->pack);
	free(h);
}

/* For its pages, if nobody else reads them. */
static void
keep_spare(struct history *h, struct history_chunk *c)
{
	if (h->spare == NULL && c->packed_len == 0 && atomic_load(&c->refs) == 1)
		h->spare = c;
	else
		history_chunk_put(c);
}

static void
pass_unpacked(struct history *h)
{
	h->unpacked_bytes -= h->unpacked->len;
	h->unpacked = h->unpacked->next;
}

static void
forget_oldest(struct history *h)
{
	struct history_chunk *c = h->first;

	h->held_bytes -= held_bytes(c);
	if (c == h->unpacked)
		pass_unpacked(h);
	h->first = c->next;
	if (h->first == NULL)
		h->last = NULL;
	keep_spare(h, c);
}

static void
forget_excess(struct history *h, size_t max_bytes)
{
	while (h->first != NULL && h->held_bytes > max_bytes)
		forget_oldest(h);
}

static size_t
whole_pages(size_t len)
{
	return (len + page_size() - 1) / page_size() * page_size();
}

static void
give_back_tail(struct history_chunk *c)
{
	size_t used = whole_pages(c->len);

	if (used < c->cap)
		munmap(c->data + used, c->cap - used);
	c->cap = used;
}

/* Pages of its own: in the heap, chunks that come and go for hours would leave holes. */
static struct history_chunk *
chunk_new(size_t len)
{
	struct history_chunk *c = mem_calloc(1, sizeof(*c));

	c->refs = 1;
	c->cap = whole_pages(MAX(len, CHUNK_BYTES));
	c->data = mmap(NULL, c->cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->data == MAP_FAILED)
		die("out of memory");
	return c;
}

/* A chunk that nobody else has any more, as a new one; what was given back of it comes again. */
static struct history_chunk *
chunk_again(struct history_chunk *c, size_t len)
{
	size_t cap = whole_pages(MAX(len, CHUNK_BYTES));
	uint8_t *data = mremap(c->data, c->cap, cap, MREMAP_MAYMOVE);

	if (data == MAP_FAILED)
		die("out of memory");
	free(c->ids);
	*c = (struct history_chunk){ .refs = 1, .cap = cap, .data = data };
	return c;
}

/* In pages of their own, as raw ones; NULL: it cannot be done, or is not worth it. */
static uint8_t *
packed_copy(struct history *h, const struct history_chunk *c, size_t *len, size_t *cap)
{
	size_t room = whole_pages(history_pack_bound(c->len));
	uint8_t *to = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (to == MAP_FAILED)
		return NULL;
	*len = history_pack(h->pack, c->data, c->len, to, room);
	*cap = *len > 0 && *len < c->len ? whole_pages(*len) : 0;
	if (*cap < room)
		munmap(to + *cap, room - *cap);
	return *cap > 0 ? to : NULL;
}

/* Nobody else reads it: the only references are this one and those given out by this thread. */
static void
pack_chunk(struct history *h, struct history_chunk *c)
{
	struct history_chunk *raw;
	size_t len, cap;
	uint8_t *data;

	if (h->pack == NULL)
		h->pack = history_pack_new();
	data = h->pack != NULL ? packed_copy(h, c, &len, &cap) : NULL;
	if (data == NULL)
		return;
	raw = mem_calloc(1, sizeof(*raw));
	raw->refs = 1;
	raw->data = c->data;
	raw->cap = c->cap;
	c->data = data;
	c->cap = cap;
	c->packed_len = len;
	h->held_bytes -= c->len - len;
	keep_spare(h, raw);
}

static bool
stays_long(struct history *h)
{
	uint64_t ns = MAX(h->last->last_ns - h->unpacked->first_ns, 1);
	uint64_t most = h->is_brief ? LONG_BYTES_S : BRIEF_BYTES_S;

	h->is_brief = h->unpacked_bytes * NSEC_PER_SEC / ns >= most;
	return !h->is_brief;
}

static void
pack_excess(struct history *h)
{
	const size_t held_max = MIN(h->max_bytes / HELD_PART, (size_t)HELD_BYTES);

	for (int n = 0; n < AT_ONCE && h->held_bytes > held_max &&
			h->unpacked_bytes > NEWEST_BYTES && stays_long(h); n++) {
		if (atomic_load(&h->unpacked->refs) == 1)
			pack_chunk(h, h->unpacked);
		pass_unpacked(h);
	}
}

static int
compare_ids(const void *a, const void *b)
{
	const struct history_id *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Two that were in each other's way were noted again and again. */
static void
settle_ids(struct history_chunk *c)
{
	size_t kept = 0;

	if (c->id_len == 0)
		return;
	qsort(c->ids, c->id_len, sizeof(*c->ids), compare_ids);
	for (size_t i = 1; i < c->id_len; i++)
		if (c->ids[i].id != c->ids[kept].id)
			c->ids[++kept] = c->ids[i];
	c->id_len = c->id_cap = kept + 1;
	c->ids = mem_realloc(c->ids, c->id_len, sizeof(*c->ids));
}

void
history_seal(struct history *h)
{
	struct history_chunk *c = h->open;

	if (c == NULL)
		return;
	h->open = NULL;
	h->serial++;
	give_back_tail(c);
	settle_ids(c);
	if (h->sealed != NULL)
		h->sealed(h->self, c);
	if (h->last != NULL)
		h->last->next = c;
	else
		h->first = c;
	h->last = c;
	h->held_bytes += held_bytes(c);
	if (h->unpacked == NULL)
		h->unpacked = c;
	h->unpacked_bytes += c->len;
	pack_excess(h);
	forget_excess(h, h->max_bytes);
}

void
history_set_sink(struct history *h, void (*sealed)(void *self, struct history_chunk *c), void *self)
{
	h->sealed = sealed;
	h->self = self;
}

/* The pages for @len bytes more of the open chunk, and for what comes next. */
static void
populate(struct history *h, size_t len)
{
	struct history_chunk *c = h->open;
	size_t end = MIN(whole_pages(c->len + len + POPULATE_BYTES), c->cap);

	pages_populate(c->data + h->populated, end - h->populated);
	h->populated = end;
}

/* In the open chunk, for a record and its id: ids count as if they lay among the records. */
static bool
has_room(const struct history *h, size_t len)
{
	const struct history_chunk *c = h->open;

	return c->cap - c->len >= len + id_bytes(c) + sizeof(*c->ids);
}

/* Room for @len bytes in the open chunk. */
static uint8_t *
room(struct history *h, size_t len)
{
	struct history_chunk *c = h->open;

	if (c != NULL && !has_room(h, len)) {
		history_seal(h);
		c = NULL;
	}
	if (c == NULL) {
		/* The chunk that is open counts as well. */
		forget_excess(h, h->max_bytes - MIN(h->max_bytes, CHUNK_BYTES));
		h->populated = h->spare != NULL ? h->spare->cap : 0;
		c = h->open = h->spare != NULL ? chunk_again(h->spare, len) : chunk_new(len);
		c->clock_ahead_ns = h->keys.layouts->clock_ahead_ns;
		h->spare = NULL;
	}
	if (c->len + len > h->populated)
		populate(h, len);
	c->len += len;
	return c->data + c->len - len;
}

void
history_note_id(struct history *h, uint64_t id)
{
	struct history_chunk *c = h->open;
	struct noted *n = &h->noted[id % NOTED];

	if (id == 0 || (n->id == id && n->serial == h->serial))
		return;
	*n = (struct noted){ id, h->serial };
	VEC_ADD(c->ids, c->id_len, c->id_cap) =
		(struct history_id){ id, h->keys.event_of(h->keys.self, id) };
}

/* Others look for the id at the end of a record, as long as it says it is. */
void
history_add(struct history *h, struct bytes bytes)
{
	struct perf_event_header head;
	uint8_t *at;

	bytes.len = record_true_len(h->keys.layouts->items, bytes);
	at = room(h, bytes.len);
	memcpy(&head, bytes.data, sizeof(head));
	head.size = (uint16_t)bytes.len;
	memcpy(at, &head, sizeof(head));
	memcpy(at + sizeof(head), bytes.data + sizeof(head), bytes.len - sizeof(head));
	history_note_id(h, record_layouts_id(h->keys.layouts, bytes));
}

static void
note_sample(struct history *h, uint64_t time_ns)
{
	struct history_chunk *c = h->open;

	h->before_ns = time_ns;
	if (time_ns > h->newest_ns || h->newest_ns - time_ns > LATE_S_MAX * NSEC_PER_SEC)
		h->newest_ns = time_ns;
	if (c->samples++ == 0)
		c->first_ns = h->newest_ns;
	c->last_ns = h->newest_ns;
}

static void
add_again(struct history *h, const struct seen *s, uint64_t time_ns, uint64_t period)
{
	uint64_t later_ns = time_ns - h->before_ns;

	if (period == s->period && later_ns <= UINT32_MAX) {
		const struct again_short again = { AGAIN | s->at, (uint32_t)later_ns };

		memcpy(room(h, sizeof(again)), &again, sizeof(again));
	} else {
		struct again_long again = { .what = AGAIN | AGAIN_LONG | s->at };

		time_ns -= (uint64_t)h->open->clock_ahead_ns;
		memcpy(again.time_ns, &time_ns, sizeof(time_ns));
		memcpy(again.period, &period, sizeof(period));
		memcpy(room(h, sizeof(again)), &again, sizeof(again));
	}
}

static struct seen *
seen_by(struct history *h, uint64_t tag)
{
	return &h->seen[(tag >> 32) % SEEN];
}

/* A reference leads to its own chunk alone. */
static bool
is_known(const struct history *h, const struct seen *s, uint64_t tag)
{
	return tag != 0 && s->tag == tag && s->serial == h->serial &&
	       has_room(h, sizeof(struct again_long));
}

void
history_add_sample(struct history *h, struct bytes bytes, uint64_t tag, uint64_t time_ns)
{
	struct seen *s = seen_by(h, tag);
	uint64_t period = tag != 0 ? record_sample_period(h->keys.layouts->items, bytes) : 0;

	if (h->open != NULL && h->open->clock_ahead_ns != h->keys.layouts->clock_ahead_ns)
		history_seal(h);
	if (is_known(h, s, tag)) {
		add_again(h, s, time_ns, period);
	} else {
		history_add(h, bytes);
		*s = (struct seen){ tag, period, (uint32_t)(h->open->len - bytes.len), h->serial };
	}
	note_sample(h, time_ns);
}

void
history_note_tag(struct history *h, uint64_t tag, uint64_t other)
{
	const struct seen *s = seen_by(h, tag);

	if (s->tag != tag || s->serial != h->serial)
		return;
	*seen_by(h, other) = (struct seen){ other, s->period, s->at, s->serial };
}

bool
history_knows(struct history *h, uint64_t tag)
{
	return h->open != NULL && h->open->clock_ahead_ns == h->keys.layouts->clock_ahead_ns &&
	       is_known(h, seen_by(h, tag), tag);
}

uint64_t
history_tag(const struct record_layout *layout, uint64_t sample_type, struct bytes bytes)
{
	const uint64_t head = RECORD_BEFORE_PERIOD | PERF_SAMPLE_PERIOD;

	return (sample_type ^ layout->sample_type) & head ? 0 : record_sample_tag(layout, bytes);
}

struct history_chunk *
history_first(const struct history *h)
{
	return h->first;
}

uint64_t
history_since(const struct history *h)
{
	for (const struct history_chunk *c = h->first; c != NULL; c = c->next)
		if (c->samples > 0)
			return c->first_ns;
	return h->open != NULL ? h->open->first_ns : 0;
}

size_t
history_bytes(const struct history *h)
{
	return h->held_bytes + (h->open != NULL ? h->open->len + id_bytes(h->open) : 0);
}

/* Adds a copy of the record at @at; where it is. */
static uint8_t *
copy_record(const struct history_chunk *c, size_t at, struct buf *out)
{
	struct perf_event_header head;

	memcpy(&head, c->data + at, sizeof(head));
	buf_add(out, c->data + at, head.size);
	return (uint8_t *)out->data + out->len - head.size;
}

/* The same for what stands for it at @at; how many bytes that takes. */
static size_t
expand_again(const struct history_chunk *c, size_t at, const struct record_layout *layout,
	     uint64_t last_ns, struct buf *out)
{
	struct again_short brief;
	struct again_long full;
	uint8_t *copy;

	memcpy(&brief, c->data + at, sizeof(brief));
	copy = copy_record(c, brief.what & AGAIN_AT, out);
	if (brief.what & AGAIN_LONG) {
		memcpy(&full, c->data + at, sizeof(full));
		memcpy(copy + layout->sample_time_at, full.time_ns, 8);
		memcpy(copy + layout->sample_period_at, full.period, 8);
		return sizeof(full);
	}
	last_ns += brief.later_ns;
	memcpy(copy + layout->sample_time_at, &last_ns, 8);
	return sizeof(brief);
}

static void
expand(const struct history_chunk *c, const struct record_layout *layout, struct buf *out)
{
	uint64_t last_ns = 0;

	for (size_t at = 0; at < c->len;) {
		size_t begin = out->len, len;
		uint32_t what;

		memcpy(&what, c->data + at, sizeof(what));
		if (what & AGAIN) {
			at += expand_again(c, at, layout, last_ns, out);
		} else {
			copy_record(c, at, out);
			at += out->len - begin;
		}
		len = out->len - begin;
		memcpy(&what, out->data + begin, sizeof(what));
		if (what == PERF_RECORD_SAMPLE && len >= (size_t)layout->sample_time_at + 8)
			memcpy(&last_ns, out->data + begin + layout->sample_time_at, 8);
	}
}

void
history_chunk_expand(const struct history_chunk *c, const struct record_layout *layout,
		     struct buf *out)
{
	struct history_chunk raw = { .len = c->len };

	if (c->packed_len == 0) {
		expand(c, layout, out);
		return;
	}
	raw.data = mem_calloc(1, c->len);
	history_unpack(c->data, c->packed_len, raw.data, c->len);
	expand(&raw, layout, out);
	free(raw.data);
}
