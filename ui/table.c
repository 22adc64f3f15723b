/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/table.h"

#include "ui/screen_words.h"

#include <limits.h>
#include <string.h>

enum { MARGIN = 2, LEAST_NAME = 6, WIDE = 100 };

static int
chosen_width(const struct table *t, enum column_id id)
{
	return t->widths != NULL ? t->widths[id] : 0;
}

/* Whether it has a part of what the others leave of the line. */
static bool
takes_rest(const struct table *t, enum column_id id)
{
	return columns[id].width == 0 && chosen_width(t, id) == 0;
}

static int
least_width(const struct table *t, enum column_id id, bool is_tight)
{
	int width = columns[id].width, chosen = chosen_width(t, id);

	if (width == 0)
		width = MAX(columns[id].min_width, LEAST_NAME);
	if (chosen > 0)
		width = MIN(width, chosen);
	return is_tight && !columns[id].is_number ? MIN(width, LEAST_NAME) : width;
}

static int
least_total(const struct table *t, int gap, bool is_tight)
{
	int total = 0;

	for (size_t i = 0; i < t->len; i++)
		total += least_width(t, t->columns[i].id, is_tight) + (i > 0 ? gap : 0);
	return total;
}

/* What names a row: the first of these that it has, else the first key that was asked for. */
static enum column_id
name_column(const struct column_list *list)
{
	static const enum column_id names[] = {
		COLUMN_LOCK, COLUMN_SYMBOL, COLUMN_COMMAND, COLUMN_COMM, COLUMN_DSO, COLUMN_CGROUP,
		COLUMN_CONTAINER, COLUMN_POD, COLUMN_UNIT, COLUMN_PROGRAM, COLUMN_USER,
		COLUMN_CPU_NUMBER, COLUMN_NODE, COLUMN_SYSCALL, COLUMN_FIELD, COLUMN_HOST,
	};

	for (size_t n = 0; n < ARRAY_SIZE(names); n++)
		if (column_list_has(list, names[n]))
			return names[n];
	return list->first_key < list->count ? (enum column_id)list->ids[list->first_key]
					     : COLUMN_SHARE;
}

/* Keys that were asked for tell rows apart: all counts but the share go before them. */
static int
rank_of(const struct column_list *list, enum column_id id)
{
	int rank = columns[id].rank;

	for (size_t i = list->first_key; i < list->count; i++)
		if (list->ids[i] == id)
			return columns[COLUMN_TREND].rank + (rank + 1) / 2;
	return rank;
}

static void
drop_least(struct table *t, const struct column_list *list)
{
	enum column_id name = name_column(list);
	size_t least = SIZE_MAX;
	int least_rank = INT_MAX;

	for (size_t i = 0; i < t->len; i++) {
		int rank = rank_of(list, t->columns[i].id);

		if (t->columns[i].id != name && rank < least_rank) {
			least = i;
			least_rank = rank;
		}
	}
	t->len--;
	memmove(&t->columns[least], &t->columns[least + 1],
		(t->len - least) * sizeof(t->columns[0]));
}

/* Drops what there is no room for; whether texts are cut rather than keys that tell rows apart. */
static bool
drop_until_fit(struct table *t, const struct column_list *list, int room, int gap)
{
	size_t keys = list->count - list->first_key;
	bool is_tight = false;

	while (t->len > 2 && least_total(t, gap, is_tight) > room) {
		if (t->len <= keys + 1 && !is_tight)
			is_tight = true;
		else
			drop_least(t, list);
	}
	return is_tight;
}

/* Gives columns as much of @rest as they need, or are to have.  What is left of it. */
static int
loosen(struct table *t, int rest)
{
	for (size_t i = 0; i < t->len && rest > 0; i++) {
		struct table_column *col = &t->columns[i];
		int wanted = MAX(least_width(t, col->id, false), chosen_width(t, col->id));
		int more = MIN(wanted - col->width, rest);

		col->width += more;
		rest -= more;
	}
	return rest;
}

/*
 * Titles of events are their names, which can be long: of @rest they get up to a half, the other is for
 * what names the rows.  What is left of it.
 */
static int
widen_titles(struct table *t, const struct snapshot_event *event, int rest)
{
	int room = rest / 2;

	for (size_t i = 0; i < t->len && room > 0; i++) {
		struct table_column *col = &t->columns[i];
		bool is_of_event = col->id >= COLUMN_BESIDE && col->id <= COLUMN_BESIDE_LAST;
		int more;

		if (!is_of_event || !column_is_of(col->id, event) || chosen_width(t, col->id) > 0)
			continue;
		/* One more cell is the arrow's. */
		more = (int)strlen(event->beside[col->id - COLUMN_BESIDE]) + 1 - col->width;
		more = MIN(MAX(more, 0), room);
		col->width += more;
		room -= more;
		rest -= more;
	}
	return rest;
}

/* Shares @rest among the columns that take the rest of the line, by weight. */
static void
share_rest(struct table *t, int rest)
{
	int weights = 0;

	for (size_t i = 0; i < t->len; i++)
		if (takes_rest(t, t->columns[i].id))
			weights += MAX(columns[t->columns[i].id].weight, 1);
	for (size_t i = 0; i < t->len; i++) {
		struct table_column *col = &t->columns[i];
		int weight = MAX(columns[col->id].weight, 1), part;

		if (!takes_rest(t, col->id))
			continue;
		part = rest * weight / weights;
		col->width += part;
		rest -= part;
		weights -= weight;
	}
}

/* The only two left, and too wide still: the name gives in first, but is not to be alone. */
static void
squeeze(struct table *t, int width)
{
	int over = -width;

	for (size_t i = 0; i < t->len; i++)
		over += t->columns[i].width + (i > 0 ? 1 : 0);
	for (size_t i = 0; i < t->len && over > 0; i++) {
		struct table_column *col = &t->columns[i];
		int less = columns[col->id].is_number ? 0 : MIN(MAX(col->width - LEAST_NAME, 0), over);

		col->width -= less;
		over -= less;
	}
	for (size_t i = t->len; i-- > 0;) {
		struct table_column *col = &t->columns[i];
		int less = MIN(MAX(over, 0), col->width);

		col->width -= less;
		over -= less;
	}
}

void
table_fit(struct table *t, const struct column_list *list, const unsigned char *widths,
	  const struct snapshot_event *event, int width)
{
	int gap = width >= WIDE ? 2 : 1, room = width - MARGIN, x = MARGIN, rest;
	bool is_tight;

	*t = (struct table){ .widths = widths };
	for (size_t i = 0; i < list->count; i++) {
		/* On a narrow screen names say more than how sure a share is, which dim rows tell, too. */
		if (width >= WIDE || list->ids[i] != COLUMN_ERROR)
			t->columns[t->len++].id = (enum column_id)list->ids[i];
	}
	is_tight = drop_until_fit(t, list, room, gap);
	for (size_t i = 0; i < t->len; i++)
		t->columns[i].width = least_width(t, t->columns[i].id, is_tight);
	rest = loosen(t, room - least_total(t, gap, is_tight));
	rest = widen_titles(t, event, rest);
	if (rest > 0)
		share_rest(t, rest);
	else
		squeeze(t, room);
	for (size_t i = 0; i < t->len; i++) {
		t->columns[i].x = x;
		x += t->columns[i].width + gap;
	}
}

static void
draw_title(const struct table_column *col, struct canvas *c, int y, const struct query *q,
	   const char *title)
{
	const struct column *def = &columns[col->id];
	bool sorted = q->sort == (int)col->id;
	enum style style = sorted ? STYLE_SORTED : STYLE_TITLE;
	int width = canvas_text_width(c, title), arrow;

	if (col->width <= 0)
		return;
	if (sorted)
		canvas_fill(c, col->x, y, col->width, style);
	if (def->is_number)
		canvas_put_right(c, col->x, y, col->width, style, title);
	else
		canvas_put(c, col->x, y, col->width, style, title);
	arrow = def->is_number ? col->x + col->width - width - 1 : col->x + width;
	if (sorted && width < col->width)
		canvas_put_glyph(c, arrow, y, style, q->ascending ? GLYPH_RISING : GLYPH_FALLING);
}

void
table_draw_titles(const struct table *t, struct canvas *c, int y, const struct query *q,
		  const struct snapshot_event *event)
{
	canvas_fill(c, 0, y, c->width, STYLE_TITLE);
	for (size_t i = 0; i < t->len; i++)
		draw_title(&t->columns[i], c, y, q, column_title(t->columns[i].id, q, event));
}

static enum style
row_style(const struct row *row)
{
	static const struct {
		unsigned flag;
		enum style style;
	} kinds[] = {
		{ ROW_DEADLOCK, STYLE_ALARM },  { ROW_DEAD, STYLE_DIM },
		{ ROW_REST | ROW_FILTERED | ROW_IDLE, STYLE_DIM },
		{ ROW_UNNAMED, STYLE_UNNAMED }, { ROW_KERNEL | ROW_KTHREAD, STYLE_KERNEL },
	};

	if (row->difference != NULL && !row->difference->change.is_significant)
		return STYLE_DIM;
	if (row->difference == NULL && row_is_vague(row))
		return STYLE_DIM;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((row->flags & kinds[i].flag) != 0)
			return kinds[i].style;
	return STYLE_USER;
}

/* The sign at the left of a row: what its colour tells, for those who see none. */
static void
draw_sign(const struct row *row, struct canvas *c, int y, enum style style)
{
	const struct row_sign *sign = row_sign_of(row);

	if (sign == NULL)
		return;
	if (sign->style != STYLE_NORMAL)
		style = sign->style;
	if (sign->glyph != NULL)
		canvas_put_glyph(c, 0, y, style, GLYPH_DEAD);
	else
		canvas_put_char(c, 0, y, style, (unsigned char)sign->sign);
}

static enum style
cell_style(const struct row *row, enum column_id id, enum style style)
{
	if (id == COLUMN_DELTA && row->difference != NULL && style != STYLE_DIM)
		return row->difference->change.delta > 0 ? STYLE_HOT : STYLE_GOOD;
	if (id != COLUMN_SHARE || (row->flags & ROW_DEAD) != 0)
		return style;
	/* What may be nothing at all is not warm. */
	return row->share >= 0.05 ? STYLE_HOT : row->share >= 0.005 && style != STYLE_DIM ? STYLE_WARM : style;
}

/* Where the text begins that tells most of a command too long for its cell: not with folders. */
static const char *
without_folders(const char *command)
{
	size_t program = strcspn(command, " ");

	if (command[0] == '[' || command[0] == '(')
		return command; /* a kernel thread */
	while (program > 0 && command[program - 1] != '/')
		program--;
	return command[program] == ' ' || command[program] == '\0' ? command : command + program;
}

/* Columns that show a sum's label of themselves. */
static bool
shows_label(enum column_id id)
{
	return id == COLUMN_SYMBOL || id == COLUMN_COMM || id == COLUMN_COMMAND ||
	       id == COLUMN_COUNTER;
}

/* Texts that are wide enough for a sum's label. */
static bool
holds_label(enum column_id id)
{
	return id == COLUMN_DSO || id == COLUMN_USER ||
	       (columns[id].width == 0 && !columns[id].is_number);
}

/* A sum's label stands where rows have their names; behind them all if there is no room for it. */
static void
draw_label(const struct table *t, struct canvas *c, const char *label, int y, enum style style)
{
	const struct table_column *last = &t->columns[t->len - 1];
	int x = last->x + last->width + 2, width = c->width - x;

	for (size_t i = t->len; i-- > 0;) {
		const struct table_column *col = &t->columns[i];

		if (shows_label(col->id))
			return;
		if (holds_label(col->id)) {
			x = col->x;
			width = col->width;
		}
	}
	canvas_put(c, x, y, width, style, label);
}

/* CPUs are told apart from when they are looked at.  Where a column has a name of the row, that stands. */
static bool
has_no_cpu(const struct table *t, const struct row *row)
{
	bool has_cpu = false, has_node = false;

	for (size_t i = 0; i < t->len; i++) {
		if (holds_label(t->columns[i].id))
			return false;
		has_cpu |= t->columns[i].id == COLUMN_CPU_NUMBER;
		has_node |= t->columns[i].id == COLUMN_NODE;
	}
	return (has_cpu && row->cpu_number < 0) || (has_node && row->node < 0);
}

/* The program's name alone, but of those that say in words what they are: "nginx: worker". */
static size_t
length_without_arguments(const char *name)
{
	size_t len = strcspn(name, " ");

	return name[0] == '[' || name[0] == '(' || len == 0 || name[len - 1] == ':' ? strlen(name) : len;
}

/*
 * A command, with the blanks that stand before it in a tree: far down no more than leave half of the
 * column to its name.
 */
static const char *
shorten(const struct table *t, const struct row *row, const char *command, int width, struct buf *b)
{
	size_t indent = strspn(command, " "), most = (size_t)width / 2;
	const char *name = without_folders(command + indent);
	bool is_short = t->short_commands && (row->flags & ROW_DEAD) == 0;

	buf_reset(b);
	buf_add_fill(b, ' ', MIN(indent, most));
	buf_add(b, name, is_short ? length_without_arguments(name) : strlen(name));
	return buf_str(b);
}

static bool
is_tagged(const struct table *t, const struct row *row)
{
	for (size_t i = 0; i < t->tag_count; i++)
		if (t->tags[i].id == row->id)
			return true;
	return false;
}

/*
 * What is not counted has no numbers, but a note that says why: where that has no room in its own column
 * it takes theirs, from the one behind the name on.  The first of them; t->len: none.
 */
static size_t
note_column(const struct table *t, const struct canvas *c, const struct row *row, const char *note)
{
	size_t name = 0;

	if (row->counter == NULL || row->counter->is_known || *note == '\0')
		return t->len;
	while (name < t->len && t->columns[name].id != COLUMN_COUNTER)
		name++;
	for (size_t i = name; i < t->len; i++)
		if (t->columns[i].id == COLUMN_NOTE && canvas_text_width(c, note) <= t->columns[i].width)
			return t->len;
	return MIN(name + 1, t->len);
}

static void
draw_row(const struct table *t, struct canvas *c, const struct row *row, int y,
	 const struct column_style *cs)
{
	enum style style = row_style(row);
	struct buf b = { 0 }, program = { 0 }, note = { 0 };
	size_t end;

	column_put(&note, COLUMN_NOTE, row, cs);
	end = note_column(t, c, row, buf_str(&note));
	/* Gaps too: another colour for each would be a third of what a terminal is sent. */
	canvas_fill(c, 0, y, c->width, style);
	draw_sign(row, c, y, style);
	if (is_tagged(t, row))
		canvas_put_char(c, 1, y, STYLE_NOTICE, '+');
	for (size_t i = 0; i < end; i++) {
		const struct table_column *col = &t->columns[i];
		enum style s = cell_style(row, col->id, style);
		const char *text;

		buf_reset(&b);
		column_put(&b, col->id, row, cs);
		text = buf_str(&b);
		if (col->id == COLUMN_COMMAND && (t->short_commands || canvas_text_width(c, text) > col->width))
			text = shorten(t, row, text, col->width, &program);
		if (columns[col->id].is_number)
			canvas_put_right(c, col->x, y, col->width, s, text);
		else
			canvas_put(c, col->x, y, col->width, s, text);
	}
	if ((row->flags & (ROW_REST | ROW_FILTERED)) != 0)
		draw_label(t, c, row->symbol, y, style);
	else if (has_no_cpu(t, row))
		draw_label(t, c, "on none, or before it was looked at", y, STYLE_DIM);
	if (end < t->len)
		canvas_put(c, t->columns[end].x, y, c->width - t->columns[end].x, style, buf_str(&note));
	buf_release(&note);
	buf_release(&program);
	buf_release(&b);
}

void
table_draw_rows(const struct table *t, struct canvas *c, const struct snapshot *snap, int y,
		int count, size_t top, size_t selected)
{
	const struct column_style cs = {
		.ascii = c->ascii, .brief = true, .event = snapshot_shown(snap),
		.per_second = snap->query.shares == SHARES_PER_SECOND,
	};

	for (int i = 0; i < count && top + (size_t)i < snap->row_count; i++) {
		draw_row(t, c, &snap->rows[top + (size_t)i], y + i, &cs);
		if (top + (size_t)i == selected)
			canvas_select(c, y + i, 0, c->width);
	}
}

bool
table_has(const struct table *t, enum column_id id)
{
	for (size_t i = 0; i < t->len; i++)
		if (t->columns[i].id == id)
			return true;
	return false;
}

int
table_column_at(const struct table *t, int x)
{
	for (size_t i = 0; i < t->len; i++)
		if (x >= t->columns[i].x - 1 && x < t->columns[i].x + t->columns[i].width)
			return (int)t->columns[i].id;
	return -1;
}

void
table_put_text(struct buf *b, const struct column_list *list, const struct row *row, bool ascii)
{
	const struct column_style cs = { .ascii = ascii };

	for (size_t i = 0; i < list->count; i++) {
		column_put(b, list->ids[i], row, &cs);
		buf_add_char(b, ' ');
	}
}
