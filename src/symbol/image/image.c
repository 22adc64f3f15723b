/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/image/image.h"
#include "symbol/image/image_format.h"
#include "symbol/file/sealed.h"

#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
	const uint8_t *map;
	size_t bytes;
	struct image_header head; /* a copy: it is read at each lookup, and was checked */
	const uint32_t *starts32; /* one of these two */
	const uint64_t *starts64;
	const uint32_t *sizes, *name_offs, *module_offs;
	const uint16_t *modules; /* NULL: all are of the first module */
	char *module_names;      /* a copy of theirs, one after another, and where each begins */
	uint32_t *module_at;
	const char *names;
	size_t names_at;
	bool is_copy; /* map is allocated */
	int fd; /* names are read from it, -1: from the map */
	/* Of image_index(), NULL: none: how many functions begin before each part of the range. */
	uint32_t *parts;
	unsigned part_shift; /* bytes of a part, as a power of two */
	uint32_t part_count;
};

enum {
	FD_MAX = 512,         /* higher descriptors are for others */
	COPY_BYTES_MAX = 64 << 10, /* a map's pages come by as many at a time */
	NAME_READ_BYTES = 256, /* of a name at a time: most are shorter */
	PART_FUNCTIONS = 4,    /* in a part of the index, were they spread evenly */
};

static int
header_check(const struct image_header *h, size_t bytes, struct err *err)
{
	if (h->magic != IMAGE_MAGIC || (h->flags & ~(uint32_t)IMAGE_FLAGS) != 0)
		return err_set(err, ERR_FORMAT, 0, "not a symbol image");
	if (h->count > IMAGE_MAX_COUNT || h->module_count > IMAGE_MAX_MODULES ||
	    h->names_len == 0 || h->names_len > bytes || h->build_id_len > IMAGE_BUILD_ID_MAX ||
	    h->source[IMAGE_SOURCE_BYTES - 1] != '\0')
		return err_set(err, ERR_FORMAT, 0, "symbol image with bad counts");
	if ((h->flags & IMAGE_MODULES) && h->module_count == 0)
		return err_set(err, ERR_FORMAT, 0, "symbol image without its modules");
	if (image_layout_of(h).bytes != bytes)
		return err_set(err, ERR_FORMAT, 0, "symbol image of a wrong length");
	return 0;
}

static void
place(struct image *img)
{
	struct image_layout l = image_layout_of(&img->head);

	img->names_at = l.names;
	img->names = (const char *)(img->map + l.names);
	if (img->head.flags & IMAGE_WIDE)
		img->starts64 = (const uint64_t *)(img->map + l.starts);
	else
		img->starts32 = (const uint32_t *)(img->map + l.starts);
	img->sizes = (const uint32_t *)(img->map + l.sizes);
	img->name_offs = (const uint32_t *)(img->map + l.name_offs);
	img->module_offs = (const uint32_t *)(img->map + l.module_offs);
	if (img->head.flags & IMAGE_MODULES)
		img->modules = (const uint16_t *)(img->map + l.modules);
}

static bool
starts_are_good(const struct image *img)
{
	uint32_t i, n = img->head.count;
	uint64_t end = 0;

	if (img->starts32 != NULL && n > 0 &&
	    img->head.base + img->starts32[n - 1] < img->head.base)
		return false;
	for (i = 0; i < n; i++) {
		uint64_t start = image_address(img, i);

		if ((i > 0 && start < end) || img->sizes[i] == 0)
			return false;
		end = start + img->sizes[i];
		if (end < start)
			return false;
	}
	return true;
}

/* Lookups rely on it: as the last byte is NUL, a name at any offset inside ends. */
static bool
has_good_ends(const struct image *img)
{
	uint64_t len = img->head.names_len;

	if (img->names[len - 1] != '\0')
		return false;
	for (uint32_t i = 0; i < img->head.module_count; i++)
		if (img->module_offs[i] >= len)
			return false;
	return true;
}

static bool
names_are_good(const struct image *img)
{
	uint32_t i;

	for (i = 0; i < img->head.count; i++)
		if (img->name_offs[i] >= img->head.names_len)
			return false;
	for (i = 0; img->modules != NULL && i < img->head.count; i++)
		if (img->modules[i] >= img->head.module_count)
			return false;
	return true;
}

static bool
is_good(const struct image *img)
{
	return has_good_ends(img) && starts_are_good(img) && names_are_good(img);
}

/* Most are small: making and unmaking a map takes longer, and as much memory. */
static int
image_copy(struct image *img, int fd, struct err *err)
{
	uint8_t *copy = mem_realloc(NULL, 1, img->bytes);

	img->map = copy;
	img->is_copy = true;
	for (size_t at = 0; at < img->bytes;) {
		ssize_t len = pread(fd, copy + at, img->bytes - at, (off_t)at);

		if (len <= 0)
			return err_set(err, ERR_IO, errno, "cannot read a symbol image");
		at += (size_t)len;
	}
	return 0;
}

static int
image_map(struct image *img, int fd, struct err *err)
{
	struct stat st;
	void *map;

	if (fstat(fd, &st) != 0)
		return err_set(err, ERR_IO, errno, "cannot look at a symbol image");
	if (!sealed_stays(fd, &st))
		return err_set(err, ERR_FORMAT, 0, "symbol image that others could change");
	if ((uint64_t)st.st_size < sizeof(img->head) || (uint64_t)st.st_size > UINT32_MAX * 8ull)
		return err_set(err, ERR_FORMAT, 0, "symbol image of a wrong length");
	img->bytes = (size_t)st.st_size;
	if (img->bytes <= COPY_BYTES_MAX)
		return image_copy(img, fd, err);
	/* Private: kernels before 6.7 refuse a shared mapping of a write-sealed file. */
	map = mmap(NULL, img->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return err_set(err, ERR_LIMIT, errno, "cannot map a symbol image");
	img->map = map;
	return 0;
}

static void
copy_module_names(struct image *img)
{
	struct buf all = { 0 };

	img->module_at = mem_calloc(img->head.module_count + 1, sizeof(*img->module_at));
	for (uint32_t i = 0; i < img->head.module_count; i++) {
		const char *name = img->names + img->module_offs[i];

		img->module_at[i] = (uint32_t)all.len;
		buf_add(&all, name, strlen(name) + 1);
	}
	img->module_names = all.data;
}

static struct image *
open_checked(int fd, bool (*check)(const struct image *img), struct err *err)
{
	struct image *img = mem_calloc(1, sizeof(*img));

	img->fd = fd;
	if (image_map(img, fd, err) != 0)
		goto fail;
	memcpy(&img->head, img->map, sizeof(img->head));
	if (header_check(&img->head, img->bytes, err) != 0)
		goto fail;
	place(img);
	if (!check(img)) {
		err_set(err, ERR_FORMAT, 0, "symbol image with bad contents");
		goto fail;
	}
	copy_module_names(img);
	/* The check has touched tables; from here on only what is looked up need be resident. */
	if (!img->is_copy)
		madvise((void *)(uintptr_t)img->map, img->bytes, MADV_DONTNEED);
	if (fd >= FD_MAX || img->is_copy) {
		close(fd);
		img->fd = -1;
	}
	return img;
fail:
	image_free(img);
	return NULL;
}

struct image *
image_open(int fd, struct err *err)
{
	return open_checked(fd, is_good, err);
}

struct image *
image_open_kept(int fd, struct err *err)
{
	return open_checked(fd, has_good_ends, err);
}

void
image_free(struct image *img)
{
	if (img == NULL)
		return;
	if (img->is_copy)
		free((void *)(uintptr_t)img->map);
	else if (img->map != NULL)
		munmap((void *)(uintptr_t)img->map, img->bytes);
	if (img->fd >= 0)
		close(img->fd);
	free(img->module_names);
	free(img->module_at);
	free(img->parts);
	free(img);
}

uint32_t
image_count(const struct image *img)
{
	return img->head.count;
}

size_t
image_build_id(const struct image *img, uint8_t id[20])
{
	memcpy(id, img->head.build_id, IMAGE_BUILD_ID_MAX);
	return img->head.build_id_len;
}

const char *
image_source(const struct image *img)
{
	return img->head.source;
}

bool
image_is_partial(const struct image *img)
{
	return img->head.flags & IMAGE_PARTIAL;
}

uint64_t
image_address(const struct image *img, uint32_t fn)
{
	if (img->starts64 != NULL)
		return img->starts64[fn];
	return img->head.base + img->starts32[fn];
}

uint64_t
image_size(const struct image *img, uint32_t fn)
{
	return img->sizes[fn];
}

/* The contents of a kept image are not checked: where they are wrong, what is found is. */
void
image_index(struct image *img)
{
	uint32_t count = img->head.count, fn = 0;
	uint64_t base, span;

	if (img->parts != NULL || count < PART_FUNCTIONS)
		return;
	base = image_address(img, 0);
	span = MAX(image_address(img, count - 1), base) - base;
	while (span >> img->part_shift >= count / PART_FUNCTIONS)
		img->part_shift++;
	img->part_count = (uint32_t)(span >> img->part_shift) + 1;
	img->parts = mem_calloc(img->part_count + 1, sizeof(*img->parts));
	for (uint32_t part = 0; part < img->part_count; part++) {
		while (fn < count && (image_address(img, fn) - base) >> img->part_shift < part)
			fn++;
		img->parts[part] = fn;
	}
	img->parts[img->part_count] = count;
}

/* Narrows down where the first function after @addr is: *hi if none before it is. */
static void
find_part(const struct image *img, uint64_t addr, uint32_t *lo, uint32_t *hi)
{
	uint64_t base = image_address(img, 0), part;

	if (addr < base)
		return;
	part = MIN((addr - base) >> img->part_shift, img->part_count - 1);
	*lo = img->parts[part];
	*hi = img->parts[part + 1];
}

uint32_t
image_find(const struct image *img, uint64_t addr)
{
	uint32_t lo = 0, hi = img->head.count;

	if (img->parts != NULL)
		find_part(img, addr, &lo, &hi);
	/* lo becomes the first function that begins after @addr. */
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (image_address(img, mid) <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || addr - image_address(img, lo - 1) >= img->sizes[lo - 1])
		return IMAGE_NONE;
	return lo - 1;
}

/* Where its name begins among the names; of one that is damaged there is only the end. */
static size_t
name_at(const struct image *img, uint32_t fn)
{
	return MIN(img->name_offs[fn], img->head.names_len - 1);
}

const char *
image_raw_name(const struct image *img, uint32_t fn)
{
	return img->names + name_at(img, fn);
}

void
image_copy_name(const struct image *img, uint32_t fn, struct buf *out)
{
	size_t at = img->names_at + name_at(img, fn);
	char part[NAME_READ_BYTES];
	const char *end = NULL;

	if (img->fd < 0) {
		buf_add_str(out, image_raw_name(img, fn));
		return;
	}
	while (end == NULL) {
		ssize_t len = pread(img->fd, part, sizeof(part), (off_t)at);

		/* It was all there when the image was opened. */
		if (len <= 0)
			die("cannot read a symbol image: %s", strerror(errno));
		end = memchr(part, '\0', (size_t)len);
		buf_add(out, part, end != NULL ? (size_t)(end - part) : (size_t)len);
		at += (size_t)len;
	}
}

const char *
image_module(const struct image *img, uint32_t fn)
{
	if (img->modules == NULL || img->modules[fn] >= img->head.module_count)
		return "";
	return img->module_names + img->module_at[img->modules[fn]];
}

bool
image_is_built_in(const char *module)
{
	static const char begin[] = "__builtin__";

	return strncmp(module, begin, sizeof(begin) - 1) == 0;
}

bool
image_is_entry(const char *raw_name)
{
	return strncmp(raw_name, IMAGE_ENTRY_PREFIX, sizeof(IMAGE_ENTRY_PREFIX) - 1) == 0;
}

bool
image_is_mangled(const char *raw_name)
{
	static const char *const prefixes[] = { "_Z", "__Z", "___Z", "_R", "_D", "_GLOBAL_" };
	static const char *const parts[] = { ".llvm.", "%2e", "\302\267", "\342\210\225" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (strncmp(raw_name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(raw_name, parts[i]) != NULL)
			return true;
	return false;
}

size_t
image_bytes(const struct image *img)
{
	return img->bytes;
}
