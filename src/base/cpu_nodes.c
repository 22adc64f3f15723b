/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpu_nodes.h"

#include "base/file.h"
#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_BYTES_MAX = 64 << 10, CPU_MAX = 8191 };

/* The CPUs of @list, as the kernel writes lists, are of @node. */
static void
add(struct cpu_nodes *n, unsigned node, const char *list)
{
	unsigned *cpus = NULL;
	size_t count = 0;

	if (!num_list(list, CPU_MAX, &cpus, &count))
		count = 0;
	for (size_t i = 0; i < count; i++) {
		size_t len = n->len;

		if (cpus[i] >= len) {
			n->len = cpus[i] + 1;
			n->items = mem_realloc(n->items, n->len, sizeof(*n->items));
			for (; len < n->len; len++)
				n->items[len] = -1;
		}
		n->items[cpus[i]] = (short)node;
	}
	free(cpus);
}

static bool
read_list(const char *root, const char *name, struct buf *text)
{
	struct buf path = { 0 };
	bool is_read;

	buf_reset(text);
	buf_addf(&path, "%s/sys/devices/system/node/%s", root, name);
	is_read = file_read(path.data, text, LIST_BYTES_MAX) == 0;
	buf_release(&path);
	return is_read;
}

void
cpu_nodes_read(struct cpu_nodes *n, const char *root)
{
	struct buf text = { 0 };
	unsigned *nodes = NULL;
	size_t count = 0;
	char name[32];

	if (!read_list(root, "online", &text) ||
	    !num_list(buf_str(&text), NODES_MAX - 1, &nodes, &count))
		count = 0;
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "node%u/cpulist", nodes[i]);
		if (read_list(root, name, &text))
			add(n, nodes[i], buf_str(&text));
	}
	free(nodes);
	buf_release(&text);
}

void
cpu_nodes_of_text(struct cpu_nodes *n, const char *text)
{
	char list[4096];
	unsigned node;

	while ((text = strstr(text, "node ")) != NULL) {
		if (sscanf(text, "node %u: %*u kB, %*u kB free, cpus %4095[0-9,-]", &node, list) == 2 &&
		    node < NODES_MAX)
			add(n, node, list);
		text += strlen("node ");
	}
}

void
cpu_nodes_release(struct cpu_nodes *n)
{
	free(n->items);
	*n = (struct cpu_nodes){ 0 };
}
