/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/dso.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	enum dso_kind kind;
	const char *name;
} fixed_dsos[] = {
	[DSO_ID_UNKNOWN] = { DSO_UNKNOWN, "[unknown]" },
	[DSO_ID_KERNEL] = { DSO_KERNEL, "[kernel]" },
	[DSO_ID_VDSO] = { DSO_VDSO, "[vdso]" },
	[DSO_ID_VDSO32] = { DSO_VDSO32, "[vdso]" },
	[DSO_ID_VSYSCALL] = { DSO_VSYSCALL, "[vsyscall]" },
	[DSO_ID_UPROBES] = { DSO_UPROBES, "[uprobes]" },
	[DSO_ID_ANON] = { DSO_ANON, "[anon]" },
	[DSO_ID_GUEST_KERNEL] = { DSO_GUEST_KERNEL, "[guest.kernel]" },
	[DSO_ID_GUEST_USER] = { DSO_GUEST_USER, "[guest.user]" },
	[DSO_ID_HYPERVISOR] = { DSO_HYPERVISOR, "[hypervisor]" },
	[DSO_ID_WAITING] = { DSO_WAITING, "[waiting]" },
	[DSO_ID_CROWDED] = { DSO_CROWDED, "[too many files]" },
};

/* Map names that stand for no file, by their beginning. */
static const struct {
	const char *prefix;
	uint32_t id;
} special_names[] = {
	{ "[vdso]", DSO_ID_VDSO },
	{ "[vsyscall]", DSO_ID_VSYSCALL },
	{ "[uprobes", DSO_ID_UPROBES }, /* also [uprobes-trampoline] */
	{ "//anon", DSO_ID_ANON },
	{ "/dev/zero", DSO_ID_ANON },
	{ "/anon_hugepage", DSO_ID_ANON },
	{ "/SYSV", DSO_ID_ANON },
	/* What runtimes map twice, once to write and once to run. */
	{ "/memfd:doublemapper", DSO_ID_ANON },
	{ "/memfd:jit-cache", DSO_ID_ANON },
	{ "/memfd:jit-zygote-cache", DSO_ID_ANON },
	{ "/dev/ashmem/dalvik-jit-code-cache", DSO_ID_ANON },
	{ "[", DSO_ID_ANON }, /* [heap], [stack], [anon:name] */
};

static uint32_t
dsos_append(struct dsos *d, struct dso dso)
{
	vec_reserve(&d->items, &d->cap, d->len + 1, sizeof(*d->items));
	d->items[d->len] = dso;
	return (uint32_t)d->len++;
}

void
dsos_init(struct dsos *d, struct strs *strs)
{
	*d = (struct dsos){ .strs = strs };
	for (size_t i = 0; i < ARRAY_SIZE(fixed_dsos); i++) {
		uint32_t name = 0;

		if (fixed_dsos[i].name != NULL)
			name = strs_add_str(strs, fixed_dsos[i].name);
		dsos_append(d, (struct dso){ .kind = fixed_dsos[i].kind, .path = name, .name = name });
	}
}

void
dsos_name_kernel(struct dsos *d, const char *name)
{
	d->items[DSO_ID_KERNEL].name = strs_add_str(d->strs, name);
}

void
dsos_release(struct dsos *d)
{
	free(d->items);
	index_release(&d->index);
	*d = (struct dsos){ 0 };
}

/*
 * The base name, without the kernel's mark for files that are gone.  Names in brackets are of what is no
 * file: one that is called so has its path.
 */
static uint32_t
shown_name(struct dsos *d, const char *path)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/');
	const char *base = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
	size_t len, tail = sizeof(deleted) - 1;

	if (*base == '[')
		base = path;
	len = strlen(base);
	if (len > tail && strcmp(base + len - tail, deleted) == 0)
		len -= tail;
	return strs_add(d->strs, base, len);
}

/* "jit-PID.dump" */
static bool
is_jitdump(const char *name)
{
	size_t digits = strncmp(name, "jit-", 4) == 0 ? strspn(name + 4, "0123456789") : 0;

	return digits > 0 && strcmp(name + 4 + digits, ".dump") == 0;
}

/*
 * The newest dso like @want.  /proc/PID/maps does not tell the generation, and the same file must
 * not be two dsos for having been seen in both ways; but a program that was built anew often has
 * the inode number of the old one, and then the generation alone tells them apart.
 */
static uint32_t
find_file(struct dsos *d, uint64_t hash, const struct dso *want)
{
	uint32_t id, pos, found = 0;

	for (id = index_first(&d->index, hash, &pos); id != 0;
	     id = index_next(&d->index, hash, &pos)) {
		const struct dso *o = &d->items[id];

		if (o->path == want->path && o->ino == want->ino && o->maj == want->maj &&
		    o->min == want->min &&
		    (o->ino_generation == want->ino_generation || o->ino_generation == 0 ||
		     want->ino_generation == 0))
			found = MAX(found, id);
	}
	if (found != 0 && d->items[found].ino_generation == 0)
		d->items[found].ino_generation = want->ino_generation;
	return found;
}

static uint64_t
file_hash(const struct dso *want)
{
	return hash_mix(hash_mix(want->path, want->ino), (uint64_t)want->maj << 32 | want->min);
}

uint32_t
dsos_find_file(struct dsos *d, const char *path, uint32_t maj, uint32_t min, uint64_t ino,
	       uint64_t ino_generation)
{
	struct dso want = { .path = strs_find(d->strs, path, strlen(path)), .maj = maj, .min = min,
			    .ino = ino, .ino_generation = ino_generation };

	if (*path == '\0')
		return DSO_ID_ANON;
	for (size_t i = 0; i < ARRAY_SIZE(special_names); i++)
		if (strncmp(path, special_names[i].prefix, strlen(special_names[i].prefix)) == 0)
			return special_names[i].id;
	return want.path != 0 ? find_file(d, file_hash(&want), &want) : 0;
}

uint32_t
dsos_file(struct dsos *d, const char *path, uint32_t maj, uint32_t min, uint64_t ino,
	  uint64_t ino_generation)
{
	struct dso want = { .kind = DSO_FILE, .maj = maj, .min = min, .ino = ino,
			    .ino_generation = ino_generation };
	uint32_t id = dsos_find_file(d, path, maj, min, ino, ino_generation);

	if (id != 0)
		return id;
	want.path = strs_add_str(d->strs, path);
	want.name = shown_name(d, path);
	if (is_jitdump(strs_get(d->strs, want.name)))
		want.kind = DSO_JITDUMP;
	id = dsos_append(d, want);
	index_add(&d->index, file_hash(&want), id);
	return id;
}

void
dsos_learn_generation(struct dsos *d, uint32_t id, uint64_t ino_generation)
{
	if (d->items[id].kind == DSO_FILE && d->items[id].ino_generation == 0)
		d->items[id].ino_generation = ino_generation;
}

uint32_t
dsos_code(struct dsos *d, int pid)
{
	char name[40];
	uint32_t str;

	snprintf(name, sizeof(name), "[JIT] tid %d", pid); /* as perf calls it */
	str = strs_add_str(d->strs, name);
	return dsos_append(d, (struct dso){ .kind = DSO_ANON, .path = str, .name = str,
					  .pid = pid });
}

uint32_t
dsos_module(struct dsos *d, const char *name)
{
	char shown[80];
	uint32_t id, pos, str;
	uint64_t hash;

	snprintf(shown, sizeof(shown), "[%.70s]", name);
	str = strs_add_str(d->strs, shown);
	hash = hash_mix(str, DSO_MODULE);
	for (id = index_first(&d->index, hash, &pos); id != 0; id = index_next(&d->index, hash, &pos))
		if (d->items[id].kind == DSO_MODULE && d->items[id].name == str)
			return id;
	id = dsos_append(d, (struct dso){ .kind = DSO_MODULE, .path = str, .name = str });
	index_add(&d->index, hash, id);
	return id;
}

void
dsos_learn_path(struct dsos *d, uint32_t id, const char *path)
{
	d->items[id].path = strs_add_str(d->strs, path);
}

const struct dso *
dsos_get(const struct dsos *d, uint32_t id)
{
	return &d->items[id];
}
