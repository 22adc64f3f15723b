/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * make pictures: pages of the real screen as SVG.  "pictures readme FILE [OPTION...]" writes the one of
 * README.md, by ptop with these options: -p takes a server's processes alone.  "pictures all FOLDER
 * [THEME]" writes each page in several themes, or that one, and sizes, to be looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/buf.h"
#include "tests/cgroup_dir.h"
#include "tests/pty.h"

enum { CELL_H = 18, BLOCK_H = 15, BASE = 13, PAD = 12, LOAD_MS = 6000, PAGE_MS = 1200, WARM_MS = 12000 };
#define CELL_W 8.4

struct picture {
	struct buf svg;
	double y; /* where the next screen begins */
	int width;
	bool is_light;
};

static const struct page {
	const char *name, *keys; /* from the page before */
} pages[] = {
	{ "processes", "" }, { "help", "h" }, { "picker", "\033e" }, { "palette", "\033:" },
	{ "columns", "\033\033OQ" }, { "header", "\t" }, { "threads", "\033\r:view threads\r" }, { "functions", "\r" },
	{ "callers", "c" }, { "code", "\033a" }, { "flame", "\033f" }, { "tree", "\033t" },
	{ "time", "\033T" }, { "messages", "\033!" }, { "groups", "\033g" },
	{ "containers", "\033:view containers\r" }, { "cgroups", ":view cgroups\r" },
	{ "libraries", ":view dsos\r" }, { "cpus", ":view cpus\r" }, { "unnamed", ":view unnamed\r" },
	{ "counters", ":view counters\r" }, { "calls", ":view functions\r" "b" "B" },
	{ "changes", "\033C" }, { "actions", "\033:view processes\r" "\033OP" "\033" "M" },
	{ "prompt", "\033\\" }, { "locks", "\033L" }, { "waiting", ":view threads\r" },
	{ "hits", "esched:sched_switch\r" "R" },
};

/* And of several hosts, whose feeds are made. */
static const struct page host_pages[] = {
	{ "hosts", "" }, { "host-processes", "\r" }, { "host-compared", "=\r" },
};

static const struct tour {
	const struct page *pages;
	size_t count;
} own_tour = { pages, ARRAY_SIZE(pages) }, hosts_tour = { host_pages, ARRAY_SIZE(host_pages) };

#define CONTAINER "89abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234567"

static void
put_rgb(struct buf *b, uint32_t rgb)
{
	buf_addf(b, "#%06x", rgb);
}

static uint32_t
colour_of(const struct picture *p, const struct pty_cell *c, bool is_fg)
{
	const uint32_t fg = c->own_fg ? (p->is_light ? 0x202020 : 0xd0d0d0) : c->fg;
	const uint32_t bg = c->own_bg ? (p->is_light ? 0xffffff : 0x14161b) : c->bg;

	return is_fg != c->reverse ? fg : bg;
}

/* Cells that look alike, from @x on; how many. */
static int
run_length(struct pty *pty, int x, int y, int width)
{
	struct pty_cell first = pty_cell(pty, x, y), c;
	int n = 1;

	for (; x + n < width; n++) {
		c = pty_cell(pty, x + n, y);
		if (c.fg != first.fg || c.bg != first.bg || c.own_fg != first.own_fg ||
		    c.own_bg != first.own_bg || c.bold != first.bold || c.reverse != first.reverse ||
		    c.underline != first.underline)
			break;
	}
	return n;
}

enum { BLOCK_LOW_1 = 0x2581, BLOCK_FULL = 0x2588, BLOCK_LEFT_1 = 0x258f, BRAILLE = 0x2800, BRAILLE_LAST = 0x28ff };

static void
put_box(struct buf *path, double x, double y, double width, double height)
{
	buf_addf(path, "M%.1f %.1fh%.2fv%.2fh-%.2fz", x, y, width, height, width);
}

static void
put_dots(struct buf *path, unsigned dots, double x, double y)
{
	/* Left and right column of each line, from the top down. */
	static const unsigned bits[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };
	const double size = 2, dx = CELL_W / 2, dy = CELL_H / 4.0;

	for (int line = 0; line < 4; line++)
		for (int column = 0; column < 2; column++)
			if ((dots & bits[line][column]) != 0)
				put_box(path, x + column * dx + (dx - size) / 2, y + line * dy + (dy - size) / 2,
					size, size);
}

/* Blocks and dots are in their place in whatever font the picture is shown.  false: @ch is none. */
static bool
put_drawn(struct buf *path, uint32_t ch, double x, double y)
{
	if (ch >= BLOCK_LOW_1 && ch <= BLOCK_FULL) {
		double height = BLOCK_H * (ch - BLOCK_LOW_1 + 1) / 8.0; /* lines of bars stay apart */

		put_box(path, x, y + CELL_H - height, CELL_W, height);
	} else if (ch > BLOCK_FULL && ch <= BLOCK_LEFT_1) {
		put_box(path, x, y + CELL_H - BLOCK_H, CELL_W * (BLOCK_LEFT_1 - ch + 1) / 8.0, BLOCK_H);
	} else if (ch >= BRAILLE && ch <= BRAILLE_LAST) {
		put_dots(path, ch - BRAILLE, x, y);
	} else {
		return false;
	}
	return true;
}

/* As XML has it. */
static void
put_char(struct buf *b, uint32_t ch)
{
	if (ch == '<' || ch == '&')
		buf_addf(b, "&#%u;", ch);
	else if (ch < 0x80)
		buf_add_char(b, ch >= ' ' ? (char)ch : ' ');
	else
		buf_addf(b, "&#x%x;", ch);
}

static bool
is_ascii(struct pty *pty, int x, int y)
{
	return pty_cell(pty, x, y).ch < 0x80;
}

static bool
is_blank(struct pty *pty, int x, int y)
{
	uint32_t ch = pty_cell(pty, x, y).ch;

	return ch == ' ' || ch == 0;
}

/* Text from @x on, up to @end at most: as much ASCII as there is, else one sign; how much. */
static int
put_text(struct picture *p, struct pty *pty, int x, int y, int end)
{
	struct pty_cell c = pty_cell(pty, x, y);
	int n = 1, last = 0;

	if (is_ascii(pty, x, y))
		while (x + n < end && is_ascii(pty, x + n, y))
			n++;
	for (int i = 0; i < n; i++)
		last = is_blank(pty, x + i, y) ? last : i;
	buf_addf(&p->svg, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\" "
		 "xml:space=\"preserve\"%s%s fill=\"", PAD + x * CELL_W, p->y + y * CELL_H + BASE, (last + 1) * CELL_W,
		 c.bold ? " font-weight=\"bold\"" : "", c.underline ? " text-decoration=\"underline\"" : "");
	put_rgb(&p->svg, colour_of(p, &c, true));
	buf_add_str(&p->svg, "\">");
	for (int i = 0; i <= last; i++)
		put_char(&p->svg, pty_cell(pty, x + i, y).ch);
	buf_add_str(&p->svg, "</text>\n");
	return n;
}

static void
put_run(struct picture *p, struct pty *pty, int x, int y, int n)
{
	struct pty_cell c = pty_cell(pty, x, y);
	const int end = x + n;
	double top = p->y + y * CELL_H;
	struct buf path = { 0 };

	if (!c.own_bg || c.reverse) {
		buf_addf(&p->svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"", PAD + x * CELL_W,
			 top, n * CELL_W, CELL_H);
		put_rgb(&p->svg, colour_of(p, &c, false));
		buf_add_str(&p->svg, "\"/>\n");
	}
	while (x < end) {
		if (is_blank(pty, x, y) || put_drawn(&path, pty_cell(pty, x, y).ch, PAD + x * CELL_W, top))
			x++;
		else
			x += put_text(p, pty, x, y, end);
	}
	if (path.len > 0) {
		buf_addf(&p->svg, "<path d=\"%s\" fill=\"", buf_str(&path));
		put_rgb(&p->svg, colour_of(p, &c, true));
		buf_add_str(&p->svg, "\"/>\n");
	}
	buf_release(&path);
}

static void
add_screen(struct picture *p, struct pty *pty, int width, int height)
{
	int whole = (int)(width * CELL_W) + 2 * PAD;

	buf_addf(&p->svg, "<rect x=\"0\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\"/>\n", p->y, whole,
		 height * CELL_H + 2 * PAD, p->is_light ? "#ffffff" : "#14161b");
	p->y += PAD;
	p->width = MAX(p->width, whole);
	for (int y = 0; y < height; y++)
		for (int x = 0, n; x < width; x += n) {
			n = run_length(pty, x, y, width);
			put_run(p, pty, x, y, n);
		}
	p->y += height * CELL_H + 2 * PAD;
}

static void
write_picture(struct picture *p, const char *path, const char *title)
{
	FILE *f = fopen(path, "we");

	if (f == NULL) {
		perror(path);
		exit(1);
	}
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
		"font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\">\n<title>%s</title>\n%s</svg>\n", p->width,
		p->y - PAD, p->width, p->y - PAD, title, buf_str(&p->svg));
	fclose(f);
	buf_release(&p->svg);
	*p = (struct picture){ .is_light = p->is_light };
}

enum { ARGS_MAX = 12 };

/* With @more arguments, which end with NULL. */
static struct pty *
start(const char *theme, int width, int height, const char *const *more)
{
	/* Nothing of last time, which would be the screen before. */
	char *argv[ARGS_MAX] = { (char *)(uintptr_t)run_ptop(), (char *)"--no-config", (char *)"--theme",
				 (char *)(uintptr_t)theme };
	struct pty *pty;

	for (size_t i = 0; more[i] != NULL && i + 5 < ARGS_MAX; i++)
		argv[i + 4] = (char *)(uintptr_t)more[i];
	pty = pty_start(argv, &(struct pty_options){ width, height, NULL });
	if (pty == NULL) {
		fprintf(stderr, "ptop does not start\n");
		exit(1);
	}
	return pty;
}

/* Processes, and the functions of them all, which have something to do; @more arguments as start(). */
static void
draw_readme(const char *path, const char *const *more)
{
	enum { WIDTH = 110, HEIGHT = 13 };
	pid_t loads[] = { run_load("shop"), run_load("threads") };
	struct pty *pty = start("default", WIDTH, HEIGHT, more);
	struct picture p = { 0 };

	pty_run(pty, WARM_MS);
	add_screen(&p, pty, WIDTH, HEIGHT);
	pty_keys(pty, "\t");
	pty_run(pty, PAGE_MS);
	pty_keys(pty, "\t");
	pty_run(pty, LOAD_MS);
	add_screen(&p, pty, WIDTH, HEIGHT);
	write_picture(&p, path, "ptop: processes, and the functions of them all");
	pty_free(pty);
	for (size_t i = 0; i < ARRAY_SIZE(loads); i++)
		run_end(loads[i]);
}

static void
draw_pages(const char *folder, const char *theme, const int size[2], const struct tour *tour, const char *const *args)
{
	struct pty *pty = start(theme, size[0], size[1], args);
	struct picture p = { .is_light = strcmp(theme, "light") == 0 };

	pty_run(pty, LOAD_MS);
	for (size_t i = 0; i < tour->count; i++) {
		char path[512];

		pty_keys(pty, tour->pages[i].keys);
		pty_run(pty, PAGE_MS);
		add_screen(&p, pty, size[0], size[1]);
		snprintf(path, sizeof(path), "%s/%s-%s-%dx%d.svg", folder, tour->pages[i].name, theme, size[0], size[1]);
		write_picture(&p, path, tour->pages[i].name);
	}
	pty_free(pty);
}

/* In a container of docker's, where groups can be made. */
static pid_t
run_contained(const char *name, struct cgroup_dir *g)
{
	const bool has_groups = cgroup_find(g, "docker-" CONTAINER ".scope");
	pid_t pid = run_fork();

	if (pid == 0) {
		if (has_groups)
			cgroup_enter(g);
		execl(run_load_path(name), name, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* @theme NULL: in all. */
static void
draw_all(const char *folder, const char *theme)
{
	static const char *const themes[] = { "default", "light", "mono", "solarized", "colour-blind" };
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 200, 60 }, { 20, 5 } };
	static const char *const hosts[] = {
		"--hosts", "plain-1,plain-2,plain-30", "--hosts-command", "exec tests/feeds $1 500", NULL,
	};
	struct cgroup_dir g = { .child = 0 };
	char pid[16];

	mkdir(folder, 0777);
	g.child = run_contained("shop", &g);
	snprintf(pid, sizeof(pid), "%d", g.child);
	for (size_t t = 0; t < ARRAY_SIZE(themes); t++)
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			if (theme != NULL && strcmp(theme, themes[t]) != 0)
				continue;
			draw_pages(folder, themes[t], sizes[i], &own_tour, (const char *[]){ "-p", pid, NULL });
			draw_pages(folder, themes[t], sizes[i], &hosts_tour, hosts);
		}
	cgroup_end(&g);
}

int
main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "readme") == 0)
		draw_readme(argv[2], (const char *const *)(argv + 3));
	else if ((argc == 3 || argc == 4) && strcmp(argv[1], "all") == 0)
		draw_all(argv[2], argv[3]);
	else
		return fprintf(stderr, "usage: pictures readme FILE [OPTION...] | all FOLDER [THEME]\n"), 2;
	return 0;
}
