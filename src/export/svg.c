/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/formats.h"

#include "base/text.h"
#include "export/boxes.h"
#include "export/svg_script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 1200,
	BOX_HEIGHT = 17,
	HEAD_HEIGHT = 60,
	MARGIN = 8,
	TEXT_DOWN = 12,  /* from a box's top edge to the baseline of its text */
};

#define CHAR_WIDTH 7.2      /* of the font below */
#define PART_OF_ALL 0.9995 /* this is all, rounded */
#define LEAST_SHARE 0.00005 /* of all: 0.06 of a pixel; smaller boxes are left out, which the picture says */

/* Their brightness differs, too. */
static const char style[] =
	"text { font: 12px monospace; fill: #111; pointer-events: none; }\n"
	".b { cursor: pointer; }\n"
	".b:hover rect { stroke: #000; stroke-width: 0.8; }\n"
	".b.above { opacity: 0.5; }\n"
	".b.hit rect { fill: #d96bff; }\n"
	".button { cursor: pointer; text-decoration: underline; pointer-events: all; }\n"
	".top { fill: #d8d8d8; }\n"
	".kernel { fill: #ff9a57; }\n"
	".library { fill: #f5d76e; }\n"
	".program { fill: #a5d77b; }\n"
	".jit { fill: #7ec8e3; }\n"
	".unknown { fill: #bfbfbf; }\n"
	".waits { fill: #dfe8ef; stroke: #555; stroke-dasharray: 1 3; stroke-width: 0.8; }\n"
	".more1 { fill: #fbd0d0; }\n"
	".more2 { fill: #f28b82; }\n"
	".more3 { fill: #d93025; }\n"
	".less1 { fill: #d3e3fd; }\n"
	".less2 { fill: #8ab4f8; }\n"
	".less3 { fill: #4285f4; }\n"
	".same { fill: #e8e8e8; }\n"
	".gone { fill: #fff; stroke: #4285f4; stroke-dasharray: 3 2; stroke-width: 0.8; }\n"
	".cut { fill: #e6e0f5; stroke: #555; stroke-dasharray: 3 2; stroke-width: 0.8; }\n";

/* Escapes for XML text that is safe for terminals already. */
static void
put_escaped(struct buf *b, const char *text)
{
	static const struct {
		char c;
		const char *escape;
	} escapes[] = {
		{ '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" },
		{ '\'', "&#39;" },
	};

	while (*text != '\0') {
		size_t n = strcspn(text, "&<>\"'");

		buf_add(b, text, n);
		text += n;
		for (size_t i = 0; *text != '\0' && i < ARRAY_SIZE(escapes); i++)
			if (escapes[i].c == *text)
				buf_add_str(b, escapes[i].escape);
		text += *text != '\0';
	}
}

/* As much of the name as fits, ".." where it is cut. */
static void
put_cut(struct buf *b, const char *name, double width)
{
	size_t room = width > 3 * CHAR_WIDTH + 6 ? (size_t)((width - 6) / CHAR_WIDTH) : 0, n = 0;
	size_t at = 0, cut = 0;
	char *start;

	if (room == 0)
		return;
	for (; name[at] != '\0'; at++) {
		if (((unsigned char)name[at] & 0xc0) == 0x80)
			continue;
		if (n++ == room - 2)
			cut = at;
	}
	if (n <= room) {
		put_escaped(b, name);
		return;
	}
	start = mem_strndup(name, cut);
	put_escaped(b, start);
	buf_add_str(b, "..");
	free(start);
}

static const char *
box_class(const struct stack_box *box)
{
	return box->dso == 0 ? "top" : stack_kind_names[box->kind];
}

/* Two colours, darker by how much of all it is, and a sign for those who see none. */
static const struct {
	double least;
	const char *more, *less;
} hues[] = {
	{ 0.05, "more3", "less3" }, { 0.01, "more2", "less2" }, { 0.0005, "more1", "less1" },
};

static const char *
difference_class(const struct stack_boxes *f, const struct stack_box *box)
{
	double delta = boxes_now(f, box) - boxes_then(f, box);

	if (box->samples == 0)
		return "gone";
	for (size_t i = 0; i < ARRAY_SIZE(hues); i++)
		if (fabs(delta) >= hues[i].least)
			return delta > 0 ? hues[i].more : hues[i].less;
	return "same";
}

static const char *
difference_sign(const struct stack_boxes *f, const struct stack_box *box)
{
	const char *class = difference_class(f, box);

	if (strcmp(class, "same") == 0)
		return "";
	return strcmp(class, "gone") == 0 ? "x " : *class == 'm' ? "+ " : "- ";
}

static void
put_difference_title(struct buf *b, const struct stack_boxes *f, const struct stack_box *box)
{
	double now = boxes_now(f, box), then = boxes_then(f, box);

	buf_addf(b, ": %.2f%%, then %.2f%%, %+.2f points, %llu sample%s, then %llu</title>",
		 now * 100, then * 100, (now - then) * 100, (unsigned long long)box->samples,
		 text_plural(box->samples), (unsigned long long)box->then_samples);
}

static void
put_title(struct buf *b, const struct stack_boxes *f, const struct stack_box *box, double share,
	  bool compares)
{
	buf_add_str(b, "<title>");
	put_escaped(b, strs_get(&f->strs, box->name));
	if (box->kind == STACK_CUT) {
		buf_add_str(b, " (callers that are not known)");
	} else if (box->dso != 0) {
		buf_add_str(b, " (");
		put_escaped(b, strs_get(&f->strs, box->dso));
		buf_addf(b, ", %s)", stack_kind_names[box->kind]);
	}
	if (compares) {
		put_difference_title(b, f, box);
		return;
	}
	buf_addf(b, ": %.2f%%, %llu sample%s, period %llu</title>", share * 100,
		 (unsigned long long)box->samples, text_plural(box->samples), (unsigned long long)box->period);
}

static void
put_box(struct buf *b, const struct stack_boxes *f, const struct stack_box *box, bool compares)
{
	double total = (double)f->boxes[0].weight;
	double x = (double)box->left / total, w = (double)box->weight / total;
	unsigned y = HEAD_HEIGHT + box->depth * BOX_HEIGHT;

	buf_addf(b, "<g class=\"b\" data-x=\"%.9f\" data-w=\"%.9f\" data-d=\"%u\" data-n=\"", x, w,
		 box->depth);
	put_escaped(b, strs_get(&f->strs, box->name));
	buf_add_str(b, "\">");
	put_title(b, f, box, w, compares);
	buf_addf(b, "<rect class=\"%s\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/>",
		 compares ? difference_class(f, box) : box_class(box), x * WIDTH, y, MAX(w * WIDTH - 0.5, 0.2), BOX_HEIGHT - 1);
	buf_addf(b, "<text x=\"%.2f\" y=\"%u\">", x * WIDTH + 3, y + TEXT_DOWN);
	if (compares && w * WIDTH > 5 * CHAR_WIDTH + 6)
		buf_add_str(b, difference_sign(f, box));
	put_cut(b, strs_get(&f->strs, box->name), w * WIDTH - (compares ? 2 * CHAR_WIDTH : 0));
	buf_add_str(b, "</text></g>\n");
}

/* The legend of the colours, and what was left out. */
static void
put_legend(struct buf *b, size_t left_out, bool compares)
{
	static const struct {
		const char *class, *text;
	} differences[] = {
		{ "more2", "+ more now" }, { "less2", "- less now" }, { "same", "the same" },
		{ "gone", "x gone" },
	};
	int x = MARGIN;

	for (size_t i = 0; i < ARRAY_SIZE(differences) && compares; i++) {
		buf_addf(b, "<rect class=\"%s\" x=\"%d\" y=\"32\" width=\"12\" height=\"12\"/>"
			 "<text x=\"%d\" y=\"42\">%s</text>\n", differences[i].class, x, x + 16,
			 differences[i].text);
		x += 120;
	}

	for (int i = 0; i < STACK_KIND_COUNT && !compares; i++) {
		buf_addf(b, "<rect class=\"%s\" x=\"%d\" y=\"32\" width=\"12\" height=\"12\"/>"
			 "<text x=\"%d\" y=\"42\">%s</text>\n", stack_kind_names[i], x, x + 16,
			 stack_kind_names[i]);
		x += 100;
	}
	if (left_out > 0)
		buf_addf(b, "<text x=\"%d\" y=\"42\">%zu boxes too narrow to be seen are left out"
			 "</text>\n", x, left_out);
}

/* The boxes are parts of what is shown: what part of all that is, if it is not all. */
static void
put_part(struct buf *b, const struct snapshot *s, const struct stack_boxes *f)
{
	double all = (double)(f->by_samples ? s->total_samples : s->total_period);
	double shown = (double)(f->by_samples ? f->boxes[0].samples : f->boxes[0].period);
	double part = all > 0 ? shown / all : 1;

	if (part < PART_OF_ALL)
		buf_addf(b, " (%.1f%% of all)", part * 100);
}

static void
put_head(struct sink *out, const struct snapshot *s, const struct stack_boxes *f, unsigned height)
{
	struct buf *b = &out->buf;
	struct sink text = { 0 };

	buf_addf(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" "
		 "preserveAspectRatio=\"xMidYMin meet\" data-width=\"%d\" "
		 "data-char=\"%.1f\">\n<style>\n%s</style>\n", WIDTH, height, WIDTH, CHAR_WIDTH,
		 style);
	buf_addf(b, "<rect width=\"%d\" height=\"%u\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"18\">",
		 WIDTH, height, MARGIN);
	sink_add_safe(&text, s->head.recording != NULL ? s->head.recording :
		      s->head.host != NULL ? s->head.host : "");
	buf_addf(&text.buf, "%s", text.buf.len > 0 ? "  " : "");
	if (!f->by_samples && s->head.event != NULL)
		sink_add_safe(&text, s->head.event);
	put_escaped(b, buf_str(&text.buf));
	buf_addf(b, "  %.1f s, %llu sample%s", s->head.window_have_s,
		 (unsigned long long)f->boxes[0].samples, text_plural(f->boxes[0].samples));
	put_part(b, s, f);
	if (s->query.compare != COMPARE_NOTHING && s->then.label != NULL) {
		struct sink then = { 0 };

		sink_add_safe(&then, s->then.label);
		buf_addf(b, ", then %.1f s, %llu sample%s: ", s->then.window_s,
			 (unsigned long long)f->boxes[0].then_samples,
			 text_plural(f->boxes[0].then_samples));
		put_escaped(b, buf_str(&then.buf));
		sink_release(&then);
	}
	buf_addf(b, ", %llu lost</text>\n",
		 (unsigned long long)loss_sum(s->head.losses, LOSS_SAMPLES));
	buf_addf(b, "<text id=\"reset\" class=\"button\" x=\"%d\" y=\"18\">Reset zoom</text>\n"
		 "<text id=\"search\" class=\"button\" x=\"%d\" y=\"18\">Search</text>\n"
		 "<text id=\"found\" x=\"%d\" y=\"42\"></text>\n", WIDTH - 200, WIDTH - 100,
		 WIDTH - 200);
	sink_release(&text);
}

static size_t
put_boxes(struct sink *out, const struct stack_boxes *f, bool compares)
{
	double least = (double)f->boxes[0].weight * LEAST_SHARE;
	size_t left_out = 0;

	for (size_t i = 0; i < f->len; i++) {
		uint64_t weight = f->boxes[i].weight;

		if (weight == 0 || (double)weight < least) {
			left_out += weight != 0;
			continue;
		}
		put_box(&out->buf, f, &f->boxes[i], compares);
		sink_flow(out);
	}
	return left_out;
}

void
svg_put_report(struct sink *out, const struct snapshot *s, const struct report_run *run)
{
	bool compares = s->query.compare != COMPARE_NOTHING;
	struct stack_boxes f;
	unsigned height;

	(void)run;
	boxes_init(&f, s);
	height = HEAD_HEIGHT + (f.depth + 3) * BOX_HEIGHT;
	put_head(out, s, &f, height);
	put_legend(&out->buf, put_boxes(out, &f, compares), compares);
	buf_addf(&out->buf, "<text id=\"say\" x=\"%d\" y=\"%u\"></text>\n", MARGIN, height - MARGIN);
	if (f.boxes[0].samples > 0)
		buf_addf(&out->buf, "<script><![CDATA[\n%s]]></script>\n", svg_script);
	else
		buf_addf(&out->buf, "<text x=\"%d\" y=\"%d\">no samples</text>\n", MARGIN,
			 HEAD_HEIGHT + TEXT_DOWN);
	buf_add_str(&out->buf, "</svg>\n");
	boxes_release(&f);
}
