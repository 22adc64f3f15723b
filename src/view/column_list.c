/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns and keys by their names, and those of a query. */
#include "view/column.h"

#include "view/name.h"
#include "view/task_column.h"

#include <string.h>

bool
column_list_has(const struct column_list *list, int column)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->ids[i] == column)
			return true;
	return false;
}

enum column_id
column_of_view(enum column_id id, bool is_recording)
{
	return id == COLUMN_CPU && is_recording ? COLUMN_CPU_ESTIMATE : id;
}

bool
column_is_of_screen(enum column_id id)
{
	return column_is_of_stat(id) || id == COLUMN_TREND || id == COLUMN_HOTTEST || id == COLUMN_ERROR;
}

bool
column_is_of_window(enum column_id id)
{
	switch ((int)id) {
	case COLUMN_SHARE:
	case COLUMN_ERROR:
	case COLUMN_CPU:
	case COLUMN_CPU_ESTIMATE:
	case COLUMN_TREND:
	case COLUMN_SAMPLES:
	case COLUMN_PERIOD:
	case COLUMN_THREADS:
	case COLUMN_RUN:
	case COLUMN_QUEUE:
	case COLUMN_STOLEN:
	case COLUMN_WAIT:
	case COLUMN_WAITERS:
	case COLUMN_WAITING:
	case COLUMN_PER_SECOND:
	case COLUMN_IPC:
		return true;
	default:
		return id >= COLUMN_BESIDE && id <= COLUMN_BESIDE_LAST;
	}
}

static bool
is_among(const unsigned char *ids, size_t count, enum column_id id)
{
	return memchr(ids, (int)id, count) != NULL;
}

bool
column_is_of_difference(enum column_id id)
{
	return is_among(difference_columns, difference_column_count, id) ||
	       is_among(counter_difference_columns, counter_difference_column_count, id);
}

/* The columns of a view that compares: those of the difference, then what names the rows. */
static void
column_list_compare(struct column_list *list, bool is_of_counters)
{
	const unsigned char *ids = is_of_counters ? counter_difference_columns : difference_columns;
	size_t count = is_of_counters ? counter_difference_column_count : difference_column_count;
	struct column_list old = *list;

	*list = (struct column_list){ 0 };
	for (size_t i = 0; i < count; i++)
		list->ids[list->count++] = ids[i];
	for (size_t i = 0; i < old.count; i++) {
		if (i == old.first_key)
			list->first_key = list->count;
		if (!column_is_of_window((enum column_id)old.ids[i]))
			list->ids[list->count++] = old.ids[i];
	}
	if (old.first_key >= old.count)
		list->first_key = list->count;
}

static void
add_column(struct column_list *list, enum column_id id)
{
	list->ids[list->count++] = (unsigned char)id;
}

/* Whether each sample is one of what happened, not a part of the time. */
static bool
is_of_things(const struct snapshot_event *event)
{
	return event != NULL && (event->counts_things || event->is_elapsed);
}

/* Whether @event has what columns of that kind show. */
static bool
has_kind(enum column_id id, const struct snapshot_event *event)
{
	const bool is_all_time = event != NULL && event->is_all_time;

	switch (columns[id].of) {
	case COLUMN_OF_ALL:
		return true;
	case COLUMN_OF_LOOKS:
		return event != NULL && event->is_looks;
	case COLUMN_OF_ALL_TIME:
		return is_all_time;
	case COLUMN_OF_SAMPLES:
		return !is_all_time;
	case COLUMN_OF_NUMBERS:
		return event != NULL && event->has_numbers;
	case COLUMN_OF_BESIDE:
		return event != NULL && event->beside_count > (size_t)(id - COLUMN_BESIDE);
	case COLUMN_OF_IPC:
		return event != NULL && event->has_ipc;
	case COLUMN_OF_HOSTS:
		return event != NULL && event->is_of_hosts;
	}
	return true;
}

const char *
column_why_not(enum column_id id, const struct snapshot_event *event)
{
	/* Brief: a line of a list. */
	static const char *const whys[] = {
		[COLUMN_OF_ALL] = "",
		[COLUMN_OF_LOOKS] = "of wall-clock and off-cpu alone",
		[COLUMN_OF_ALL_TIME] = "of wall-clock alone",
		[COLUMN_OF_SAMPLES] = "not of wall-clock: RUN is its CPU time",
		[COLUMN_OF_NUMBERS] = "of an event with a field of numbers",
		[COLUMN_OF_BESIDE] = "of events sampled together: ^T in e",
		[COLUMN_OF_IPC] = "of cycles and instructions together",
		[COLUMN_OF_HOSTS] = "of hosts alone: --hosts",
	};

	/* Things tell no CPU time, and their samples are in the column of events. */
	if (is_of_things(event) && id == COLUMN_SAMPLES)
		return "COUNT has the samples of such events";
	if (is_of_things(event) && id == COLUMN_CPU_ESTIMATE)
		return "such events tell no CPU time";
	return has_kind(id, event) ? NULL : whys[columns[id].of];
}

bool
column_is_of(enum column_id id, const struct snapshot_event *event)
{
	return column_why_not(id, event) == NULL;
}

/* Rows that are values themselves have no others. */
static bool
wants_values(const struct query *q)
{
	for (size_t i = 0; i < q->key_count; i++)
		if (q->keys[i] == KEY_FIELD)
			return false;
	return q->field[0] != '\0';
}

/* Of an event that counts things. */
static void
add_counts(struct column_list *list, const struct query *q, const struct snapshot_event *event)
{
	add_column(list, COLUMN_EVENTS);
	add_column(list, COLUMN_RATE);
	if (event->is_elapsed)
		add_column(list, COLUMN_MEAN);
	if (!wants_values(q) || !column_is_of(COLUMN_VALUE_P50, event))
		return;
	add_column(list, COLUMN_VALUE_P50);
	add_column(list, COLUMN_VALUE_P99);
}

static void
add_beside(struct column_list *list, const struct snapshot_event *event)
{
	if (column_is_of(COLUMN_IPC, event))
		add_column(list, COLUMN_IPC);
	for (int id = COLUMN_BESIDE; id <= COLUMN_BESIDE_LAST; id++)
		if (column_is_of((enum column_id)id, event))
			add_column(list, (enum column_id)id);
}

/* What tells the rows of a view apart is always there. */
static bool
is_key_of(const struct view_def *view, enum column_id id)
{
	for (size_t i = 0; i < view->key_count; i++)
		if ((enum column_id)view->keys[i] == id)
			return true;
	return false;
}

void
column_list_make(struct column_list *list, const struct query *q, bool is_recording,
		 const struct snapshot_event *event)
{
	static const unsigned char counts[] = { COLUMN_SHARE, COLUMN_SAMPLES, COLUMN_PERIOD,
						COLUMN_TREND };
	const struct view_def *view = &view_defs[q->view];
	const bool is_chosen = q->by_view && q->column_count > 0;
	const unsigned char *ids = is_chosen ? q->columns : q->by_view ? view->columns : counts;
	size_t count = is_chosen ? q->column_count : q->by_view ? view->column_count : ARRAY_SIZE(counts);
	bool has_things = is_of_things(event);
	/* How many looks there were says nothing of how sure their time is. */
	bool has_error = q->sums && q->shares != SHARES_PER_SECOND &&
			 (event == NULL || !event->is_looks);

	list->count = 0;
	for (size_t i = 0; i < count; i++) {
		enum column_id id = column_of_view((enum column_id)ids[i], is_recording);

		if (column_is_of(id, event) || (q->by_view && is_key_of(view, id)))
			add_column(list, id);
		if (id == COLUMN_SHARE && has_error)
			add_column(list, COLUMN_ERROR);
		if (has_things && id == COLUMN_SHARE)
			add_counts(list, q, event);
		if (id == COLUMN_SHARE)
			add_beside(list, event);
	}
	list->first_key = list->count;
	for (size_t i = 0; i < q->key_count && !q->by_view; i++)
		add_column(list, (enum column_id)q->keys[i]);
	if (query_compares(q))
		column_list_compare(list, q->by_view && q->view == VIEW_COUNTERS);
}

static bool
is_empty(enum column_id id, const struct snapshot *s)
{
	if (columns[id].has == NULL)
		return false;
	for (size_t i = 0; i < s->row_count; i++)
		if (columns[id].has(&s->rows[i]))
			return false;
	return true;
}

void
column_list_drop_empty(struct column_list *list, const struct snapshot *s)
{
	const struct column_list old = *list;

	list->count = list->first_key = 0;
	for (size_t i = 0; i < old.count; i++) {
		if (is_empty((enum column_id)old.ids[i], s))
			continue;
		list->first_key += i < old.first_key;
		list->ids[list->count++] = old.ids[i];
	}
}

const char *
column_title(enum column_id id, const struct query *q, const struct snapshot_event *event)
{
	if (id >= COLUMN_BESIDE && id <= COLUMN_BESIDE_LAST && column_is_of(id, event))
		return event->beside[id - COLUMN_BESIDE];
	if (id == COLUMN_EVENTS && event != NULL && event->is_picked)
		return columns[COLUMN_SAMPLES].title;
	if (id != COLUMN_SHARE || q->shares != SHARES_PER_SECOND)
		return columns[id].title;
	return event != NULL && event->counts_time ? "MS/S" : "EVT/S";
}

void
column_put_about(struct buf *b, enum column_id id)
{
	const struct column *col = &columns[id];

	buf_addf(b, "%s (%s): %s; sorted by it, %s first", col->title, col->name, col->help,
		 column_falls(id) ? "the largest is" : "A is");
}

/* "asc" or "desc", after the colon. */
static int
parse_direction(const char *text, bool *ascending, struct err *err)
{
	static const char *const names[] = { "asc", "desc" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i]) == 0) {
			*ascending = i == 0;
			return 0;
		}
	}
	return name_unknown(err, "unknown order", text, names, ARRAY_SIZE(names));
}

int
column_parse(const char *text, enum column_id *id, bool *ascending, struct err *err)
{
	const char *names[COLUMN_COUNT];
	size_t len = strcspn(text, ":");
	char word[32];

	memcpy(word, text, MIN(len, sizeof(word) - 1));
	word[MIN(len, sizeof(word) - 1)] = '\0';
	for (int c = 0; c < COLUMN_COUNT; c++) {
		names[c] = columns[c].name;
		if (strcmp(columns[c].name, word) != 0)
			continue;
		*id = c;
		*ascending = !column_falls(c);
		return text[len] == '\0' ? 0 : parse_direction(text + len + 1, ascending, err);
	}
	return name_unknown(err, "unknown column", word, names, COLUMN_COUNT);
}

static int
key_parse(const char *word, enum key *key, struct err *err)
{
	const char *names[KEY_COUNT];

	for (int k = 0; k < KEY_COUNT; k++) {
		if (strcmp(columns[k].key, word) == 0) {
			*key = k;
			return 0;
		}
		names[k] = columns[k].key;
	}
	return name_unknown(err, "unknown key", word, names, KEY_COUNT);
}

int
key_parse_list(const char *text, enum key *keys, size_t *count, struct err *err)
{
	char word[32];
	size_t n = 0;

	for (;;) {
		size_t len = strcspn(text, ",");
		enum key key = KEY_COUNT;

		memcpy(word, text, MIN(len, sizeof(word) - 1));
		word[MIN(len, sizeof(word) - 1)] = '\0';
		if (key_parse(word, &key, err) < 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			if (keys[i] == key)
				return err_set(err, ERR_USAGE, 0, "key '%s' is given twice", word);
		keys[n++] = key;
		if (text[len] == '\0')
			break;
		text += len + 1;
	}
	*count = n;
	return 0;
}

key_set
key_labels(key_set keys)
{
	key_set labels = 0;

	for (enum key k = 0; k < KEY_COUNT; k++)
		labels |= keys & KEY_BIT(k) ? columns[k].labels : 0;
	return labels;
}
