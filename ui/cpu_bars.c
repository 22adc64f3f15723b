/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/cpu_bars.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	BY_NODE_FROM = 64,  /* so many CPUs */
	CELL_WIDTH = 39,    /* "  0 [||||##w     ] us 61 sy 22 wa 2 st 0" */
	LABEL_WIDTH = 4, NUMBERS_WIDTH = 23, BAR_LEAST = 4, GAP = 1,
	BRIEF_WIDTH = 9,    /* "  0  83%" */
	NODE_LABEL = 9,     /* "node 0 " */
	NODES_SHOWN = 64,
};

/* What a bar is made of, from the left. */
static const struct {
	size_t at; /* of struct snapshot_cpu */
	char sign;
	enum style style;
} parts[] = {
	{ offsetof(struct snapshot_cpu, user), '|', STYLE_BAR_LOW },
	{ offsetof(struct snapshot_cpu, system), '#', STYLE_BAR_HIGH },
	{ offsetof(struct snapshot_cpu, iowait), 'w', STYLE_BAR_MID },
	{ offsetof(struct snapshot_cpu, steal), 's', STYLE_DIM },
};

static float
part_of(const struct snapshot_cpu *cpu, size_t i)
{
	return *(const float *)(const void *)((const char *)cpu + parts[i].at);
}

static void
draw_bar(struct canvas *c, int x, int y, int width, const struct snapshot_cpu *cpu)
{
	double sum = 0;
	int at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		int end;

		sum += (double)part_of(cpu, i);
		end = (int)lround(MIN(sum, 1.0) * width);
		for (; at < end; at++)
			canvas_put_char(c, x + at, y, parts[i].style, (uint32_t)parts[i].sign);
	}
}

/* "us 61 sy 22 wa 2 st 0" */
static void
draw_numbers(struct canvas *c, int x, int y, int width, const struct snapshot_cpu *cpu)
{
	char text[64];

	snprintf(text, sizeof(text), "us%3.0f sy%3.0f wa%3.0f st%3.0f", (double)cpu->user * 100,
		 (double)cpu->system * 100, (double)cpu->iowait * 100, (double)cpu->steal * 100);
	canvas_put(c, x, y, width, STYLE_NORMAL, text);
}

static void
draw_cpu(struct canvas *c, int x, int y, int width, const struct snapshot_cpu *cpu)
{
	int bar = width - LABEL_WIDTH - 2 - NUMBERS_WIDTH - 1;
	char label[24];

	snprintf(label, sizeof(label), "%3u ", cpu->cpu);
	x += canvas_put(c, x, y, LABEL_WIDTH, STYLE_NORMAL, label);
	if (bar >= BAR_LEAST) {
		canvas_put_char(c, x, y, STYLE_NORMAL, '[');
		draw_bar(c, x + 1, y, bar, cpu);
		canvas_put_char(c, x + bar + 1, y, STYLE_NORMAL, ']');
		draw_numbers(c, x + bar + 3, y, NUMBERS_WIDTH, cpu);
	} else {
		snprintf(label, sizeof(label), "%3.0f%%", (double)cpu->busy * 100);
		canvas_put(c, x, y, MIN(width - LABEL_WIDTH, 4), STYLE_NORMAL, label);
	}
}

static int
columns_of(int width, int cell)
{
	return MAX(width / (cell + GAP), 1);
}

static int
lines_of(size_t count, int columns)
{
	return (int)((count + (size_t)columns - 1) / (size_t)columns);
}

/* The lowest node above @after; INT_MAX: there is none. */
static int
next_node(const struct snapshot_head *h, int after)
{
	int least = INT_MAX;

	for (size_t i = 0; i < h->cpu_count; i++)
		if (h->cpus[i].node > after && h->cpus[i].node < least)
			least = h->cpus[i].node;
	return least;
}

static int
count_nodes(const struct snapshot_head *h)
{
	int count = 0;

	for (int n = next_node(h, -2); n != INT_MAX && count < NODES_SHOWN; n = next_node(h, n))
		count++;
	return count;
}

int
cpu_bars_lines(const struct snapshot_head *h, int width)
{
	if (h->cpu_count >= BY_NODE_FROM)
		return count_nodes(h);
	return lines_of(h->cpu_count, columns_of(width, CELL_WIDTH));
}

/* The mean of a node's CPUs; how many it has. */
static size_t
mean_of_node(const struct snapshot_head *h, int node, struct snapshot_cpu *out)
{
	size_t count = 0;

	*out = (struct snapshot_cpu){ .node = node };
	for (size_t i = 0; i < h->cpu_count; i++) {
		const struct snapshot_cpu *cpu = &h->cpus[i];

		if (cpu->node != node)
			continue;
		out->user += cpu->user;
		out->system += cpu->system;
		out->iowait += cpu->iowait;
		out->steal += cpu->steal;
		count++;
	}
	out->user /= (float)count;
	out->system /= (float)count;
	out->iowait /= (float)count;
	out->steal /= (float)count;
	return count;
}

/* Its CPUs as cells, of which one stands for the busiest of several if there is no room for all. */
static void
draw_node(struct canvas *c, int y, int width, const struct snapshot_head *h, int node)
{
	struct snapshot_cpu mean;
	size_t count = mean_of_node(h, node, &mean), room, group, n = 0;
	int x, numbers = width > NODE_LABEL + NUMBERS_WIDTH + BAR_LEAST ? NUMBERS_WIDTH + 1 : 0;
	char label[24];
	float busy = 0;

	snprintf(label, sizeof(label), node < 0 ? "cpus " : "node %d ", node);
	x = 1 + canvas_put(c, 1, y, width - 1, STYLE_NORMAL, label);
	room = (size_t)MAX(width - x - numbers - 1, 1);
	group = (count + room - 1) / room;
	for (size_t i = 0; i < h->cpu_count; i++) {
		if (h->cpus[i].node != node)
			continue;
		busy = MAX(busy, h->cpus[i].busy);
		if (++n % group == 0 || n == count) {
			canvas_put_bar(c, x++, y, (double)busy);
			busy = 0;
		}
	}
	if (numbers > 0)
		draw_numbers(c, width - NUMBERS_WIDTH, y, NUMBERS_WIDTH, &mean);
}

void
cpu_bars_draw(struct canvas *c, int y, int lines, int width, const struct snapshot_head *h)
{
	int cell = CELL_WIDTH, columns;

	if (h->cpu_count >= BY_NODE_FROM) {
		int node = next_node(h, -2);

		for (int i = 0; node != INT_MAX && i < lines; i++, node = next_node(h, node))
			draw_node(c, y + i, width, h, node);
		return;
	}
	if (lines_of(h->cpu_count, columns_of(width, cell)) > lines)
		cell = BRIEF_WIDTH;
	columns = MIN(columns_of(width, cell), MAX((int)h->cpu_count, 1));
	cell = cell == BRIEF_WIDTH ? cell : width / columns - GAP;
	for (size_t i = 0; i < h->cpu_count && (int)i < lines * columns; i++)
		draw_cpu(c, (int)i % columns * (cell + GAP), y + (int)i / columns, cell, &h->cpus[i]);
}
