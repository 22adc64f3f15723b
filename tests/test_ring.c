/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/ring.h"
#include "live/session/past_ring.h"

#include "core_fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

/* A ring as the kernel lays it out, in a memfd: the test is the kernel. */
struct fake {
	int fd;
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t size;
	struct ring *ring;
};

static void
fake_open(struct fake *f, unsigned pages, uint64_t start)
{
	struct err err = { 0 };
	size_t len = (pages + 1) * page_size();
	void *map;

	f->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_that(f->fd, >=, 0);
	assert_int_equal(ftruncate(f->fd, (off_t)len), 0);
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	f->page = map;
	f->size = pages * page_size();
	f->data = (uint8_t *)map + page_size();
	f->page->data_head = f->page->data_tail = start;
	f->page->data_offset = page_size();
	f->page->data_size = f->size;
	f->ring = ring_new(f->fd, pages, &err);
	assert_non_null(f->ring);
}

static void
fake_close(struct fake *f)
{
	munmap(f->page, f->size + page_size());
	ring_free(f->ring);
	close(f->fd);
}

static void
fake_write(struct fake *f, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		f->data[(f->page->data_head + i) % f->size] = ((const uint8_t *)bytes)[i];
	f->page->data_head += len;
}

/* A record of @size bytes, filled with @fill; its header may tell another size. */
static void
fake_record(struct fake *f, size_t size, size_t told, uint8_t fill)
{
	uint8_t *bytes = mem_calloc(1, size);
	struct perf_event_header h = { .type = 3, .misc = fill, .size = (uint16_t)told };

	memset(bytes, fill, size);
	memcpy(bytes, &h, sizeof(h));
	fake_write(f, bytes, size);
	free(bytes);
}

static void
assert_record(struct fake *f, size_t size, uint8_t fill)
{
	struct bytes b;

	assert_int_equal(ring_peek(f->ring, &b), 1);
	assert_int_equal(b.len, size);
	for (size_t i = sizeof(struct perf_event_header); i < size; i++)
		assert_int_equal(b.data[i], fill);
}

static void
records_come_in_order_and_their_room_goes_back_on_commit(void **state)
{
	struct fake f;
	struct bytes b;

	(void)state;
	fake_open(&f, 1, 0);
	assert_int_equal(ring_size_bytes(f.ring), page_size());
	fake_record(&f, 64, 64, 1);
	fake_record(&f, 8, 8, 2);
	assert_int_equal(ring_peek(f.ring, &b), 0); /* not refreshed yet */
	ring_refresh(f.ring);
	assert_int_equal(ring_fill_bytes(f.ring), 72);
	assert_record(&f, 64, 1);
	assert_record(&f, 64, 1); /* a look takes nothing */
	ring_advance(f.ring);
	assert_record(&f, 8, 2);
	ring_advance(f.ring);
	assert_int_equal(ring_peek(f.ring, &b), 0);
	ring_advance(f.ring); /* nothing to pass */
	assert_int_equal(f.page->data_tail, 0);
	ring_commit(f.ring);
	assert_int_equal(f.page->data_tail, 72);
	assert_int_equal(ring_fill_bytes(f.ring), 0);
	assert_int_equal(ring_take_skipped(f.ring), 0);
	fake_close(&f);
}

static void
a_record_that_wraps_around_the_end_is_whole(void **state)
{
	struct fake f;
	size_t page = page_size();

	(void)state;
	for (size_t before = 8; before < 200; before += 8) {
		fake_open(&f, 1, 5 * page - before);
		fake_record(&f, 200, 200, 7);
		fake_record(&f, page - 200, page - 200, 9);
		ring_refresh(f.ring);
		assert_record(&f, 200, 7);
		ring_advance(f.ring);
		assert_record(&f, page - 200, 9);
		ring_advance(f.ring);
		ring_commit(f.ring);
		assert_int_equal(f.page->data_tail, f.page->data_head);
		fake_close(&f);
	}
}

static void
positions_run_on_past_four_gigabytes(void **state)
{
	struct fake f;

	(void)state;
	fake_open(&f, 2, (UINT64_C(1) << 40) - 16);
	for (uint8_t i = 0; i < 100; i++) {
		fake_record(&f, 1000, 1000, i);
		ring_refresh(f.ring);
		assert_record(&f, 1000, i);
		ring_advance(f.ring);
		ring_commit(f.ring);
	}
	assert_int_equal(f.page->data_tail, (UINT64_C(1) << 40) - 16 + 100000);
	fake_close(&f);
}

static void
bytes_that_are_no_record_are_skipped_to_the_head(void **state)
{
	static const size_t told[] = { 0, 4, 7, 12, 13, 80, 65528 };
	struct bytes b;
	struct fake f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		fake_open(&f, 1, 0);
		fake_record(&f, 16, 16, 1);
		fake_record(&f, 64, told[i], 2);
		ring_refresh(f.ring);
		assert_record(&f, 16, 1);
		ring_advance(f.ring);
		assert_int_equal(ring_peek(f.ring, &b), 0);
		assert_int_equal(ring_peek(f.ring, &b), 0);
		assert_int_equal(ring_take_skipped(f.ring), 4);
		assert_int_equal(ring_take_skipped(f.ring), 0);
		ring_commit(f.ring);
		assert_int_equal(f.page->data_tail, 80);
		fake_record(&f, 32, 32, 3);
		ring_refresh(f.ring);
		assert_record(&f, 32, 3);
		fake_close(&f);
	}
}

static void
a_head_that_cannot_be_is_never_followed_out_of_the_ring(void **state)
{
	struct bytes b;
	struct fake f;

	(void)state;
	/* More than the ring holds, and not a multiple of 8 right before the end. */
	fake_open(&f, 1, 0);
	fake_record(&f, 64, 65528, 1);
	f.page->data_head = 1 << 20;
	ring_refresh(f.ring);
	assert_int_equal(ring_peek(f.ring, &b), 0);
	assert_int_equal(ring_take_skipped(f.ring), 1);
	f.page->data_head = (1 << 20) + page_size() - 1;
	ring_refresh(f.ring);
	ring_peek(f.ring, &b);
	f.page->data_head += 64;
	ring_refresh(f.ring);
	assert_int_equal(ring_peek(f.ring, &b), 0);
	fake_close(&f);
}

static void
a_ring_that_cannot_be_mapped_says_why(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_null(ring_new(-1, 4, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(err.sys, EBADF);
	assert_non_null(strstr(err.text, "4 pages"));
	ring_free(NULL);
}

/* ---- rings of the past */

/* As the kernel does: down from 0, over what is oldest. */
static void
fake_write_backward(struct fake *f, size_t size, uint8_t fill)
{
	struct perf_event_header h = { .type = 3, .misc = fill, .size = (uint16_t)size };
	uint64_t at = f->page->data_head -= size;

	for (size_t i = 0; i < size; i++)
		f->data[(at + i) % f->size] = i < sizeof(h) ? ((const uint8_t *)&h)[i] : fill;
}

/* The records of @b are @count, filled with numbers that rise to @last. */
static void
assert_records(const struct buf *b, size_t count, uint8_t last)
{
	uint8_t fill = (uint8_t)(last - count);
	struct perf_event_header h;
	size_t at;

	for (at = 0; at < b->len; at += h.size, count--) {
		memcpy(&h, b->data + at, sizeof(h));
		assert_int_equal(h.misc, ++fill);
		assert_that(h.size, <=, b->len - at);
		for (size_t i = sizeof(h); i < h.size; i++)
			assert_int_equal((uint8_t)b->data[at + i], fill);
	}
	assert_int_equal(count, 0);
}

static void
a_ring_of_the_past_has_what_was_last_and_whole(void **state)
{
	struct err err = { 0 };
	struct buf b = { 0 };
	struct past_ring *r;
	struct fake f;

	(void)state;
	fake_open(&f, 1, 0);
	r = past_ring_new(f.fd, 1, &err);
	assert_non_null(r);
	assert_int_equal(past_ring_bytes(r), page_size());
	past_ring_copy(r, &b);
	assert_int_equal(b.len, 0);
	for (uint8_t n = 1; n <= 3; n++)
		fake_write_backward(&f, 56, n);
	past_ring_copy(r, &b);
	assert_records(&b, 3, 3);
	/* Over and over: the oldest is cut, and left out. */
	for (uint8_t n = 4; n <= 200; n++)
		fake_write_backward(&f, 72, n);
	buf_reset(&b);
	past_ring_copy(r, &b);
	assert_records(&b, page_size() / 72, 200);
	/* What is no record ends it. */
	f.data[(f.page->data_head + 3 * 72 + 6) % f.size] = 7;
	buf_reset(&b);
	past_ring_copy(r, &b);
	assert_records(&b, 3, 200);
	f.page->data_head += 4;
	buf_reset(&b);
	past_ring_copy(r, &b);
	assert_int_equal(b.len, 0);
	past_ring_free(r);
	fake_close(&f);
	buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_of_the_past_has_what_was_last_and_whole),
		cmocka_unit_test(records_come_in_order_and_their_room_goes_back_on_commit),
		cmocka_unit_test(a_record_that_wraps_around_the_end_is_whole),
		cmocka_unit_test(positions_run_on_past_four_gigabytes),
		cmocka_unit_test(bytes_that_are_no_record_are_skipped_to_the_head),
		cmocka_unit_test(a_head_that_cannot_be_is_never_followed_out_of_the_ring),
		cmocka_unit_test(a_ring_that_cannot_be_mapped_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
