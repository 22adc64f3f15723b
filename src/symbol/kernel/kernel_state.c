/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel/kernel_state.h"

#include "base/buf.h"
#include "base/file.h"
#include "symbol/kernel/kallsyms.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	MAX_SMALL = 64 << 10,
	MAX_MODULES = 4 << 20,
	MAX_PROGRAMS = 100000,
};

static void
add_proc_file(struct buf *key, const char *proc, const char *name, size_t max)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	file_read(path, key, max);
	buf_add_char(key, '\0');
}

/* Of "ext4 90112 1 mbcache, Live 0xffffffffc0331000 (E)" name, size, address: the rest varies. */
static void
add_module(struct buf *key, char *line)
{
	char *rest = NULL, *name = strtok_r(line, " ", &rest), *size = strtok_r(NULL, " ", &rest);
	const char *addr = rest != NULL ? strstr(rest, " 0x") : NULL;

	if (name == NULL || size == NULL)
		return;
	addr = addr != NULL ? addr + 1 : "";
	buf_addf(key, "%s %s %.*s\n", name, size, (int)strcspn(addr, " "), addr);
}

static void
add_modules(struct buf *key, const char *proc)
{
	struct buf text = { 0 };
	char *rest = NULL;

	add_proc_file(&text, proc, "modules", MAX_MODULES);
	for (char *l = strtok_r(text.data, "\n", &rest); l != NULL; l = strtok_r(NULL, "\n", &rest))
		add_module(key, l);
	buf_add_char(key, '\0');
	buf_release(&text);
}

/* How many functions program @id has; one that is not compiled is in no list. */
static uint32_t
count_functions(uint32_t id)
{
	struct bpf_prog_info info;
	union bpf_attr attr;
	long fd, res;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	fd = syscall(SYS_bpf, BPF_PROG_GET_FD_BY_ID, &attr, sizeof(attr));
	if (fd < 0)
		return 0;
	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uint64_t)(uintptr_t)&info;
	res = syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
	close((int)fd);
	return res == 0 && info.jited_prog_len > 0 ? info.nr_jited_ksyms : 0;
}

void
kernel_programs_read(struct kernel_programs *p)
{
	union bpf_attr attr;

	*p = (struct kernel_programs){ .is_known = false };
	memset(&attr, 0, sizeof(attr));
	for (unsigned n = 0; n < MAX_PROGRAMS; n++) {
		if (syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) != 0) {
			p->is_known = errno == ENOENT;
			return;
		}
		buf_add(&p->ids, &attr.next_id, sizeof(attr.next_id));
		p->functions += count_functions(attr.next_id);
		attr.start_id = attr.next_id;
	}
}

void
kernel_programs_release(struct kernel_programs *p)
{
	buf_release(&p->ids);
}

void
kernel_state_read(struct kernel_state *s, const char *proc,
		  const struct kernel_programs *programs)
{
	struct kernel_programs now = { .is_known = false };
	struct buf key = { 0 };

	if (programs == NULL) {
		kernel_programs_read(&now);
		programs = &now;
	}
	add_proc_file(&key, proc, "sys/kernel/random/boot_id", MAX_SMALL);
	file_read("/sys/kernel/notes", &key, MAX_SMALL);
	buf_add_char(&key, '\0');
	add_modules(&key, proc);
	s->kernel = hash_bytes(key.data, key.len) | 1;
	s->programs = programs->is_known
			      ? hash_bytes(programs->ids.data, programs->ids.len) | 1 : 0;
	buf_add(&key, programs->ids.data, programs->ids.len);
	s->bpf_functions = programs->is_known ? programs->functions : 0;
	s->one = hash_bytes(key.data, key.len);
	buf_add_str(&key, "two");
	s->two = hash_bytes(key.data, key.len);
	buf_release(&key);
	kernel_programs_release(&now);
}

size_t
running_kernel_build_id(uint8_t id[BUILD_ID_MAX])
{
	struct buf b = { 0 };
	size_t at = 0, len = 0;

	file_read("/sys/kernel/notes", &b, 64 << 10);
	while (at + 12 <= b.len && len == 0) {
		uint32_t name, desc, type;

		memcpy(&name, b.data + at, 4);
		memcpy(&desc, b.data + at + 4, 4);
		memcpy(&type, b.data + at + 8, 4);
		at += 12 + ((size_t)(name & 0xffff) + 3) / 4 * 4;
		if (type == 3 && name == 4 && desc <= BUILD_ID_MAX && at + desc <= b.len)
			memcpy(id, b.data + at, len = desc);
		at += ((size_t)(desc & 0xffffff) + 3) / 4 * 4;
	}
	buf_release(&b);
	return len;
}

uint64_t
running_kernel_text(void)
{
	return kallsyms_text("/proc/kallsyms");
}
