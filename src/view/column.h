/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_COLUMN_H
#define PTOP_VIEW_COLUMN_H
/*
 * The columns of all tables, a row each: how a value is written, and how rows are ordered by it.
 * Screen and text batch print from this table; --sort, the sort menu and the man page read it.
 *
 * Each key is a column, too: the same row tells --by, filters, CSV and JSON what they need of it.
 */
#include "base/buf.h"
#include "base/err.h"
#include "view/snapshot.h"

enum column_id {
	/* A key's column has the key's number; it is named here only if code needs it. */
	COLUMN_EVENT = KEY_EVENT,
	COLUMN_COMM = KEY_COMM,
	COLUMN_PID = KEY_PID,
	COLUMN_TID = KEY_TID,
	COLUMN_DSO = KEY_DSO,
	COLUMN_SYMBOL = KEY_SYMBOL,
	COLUMN_SOURCE = KEY_SRCLINE,
	COLUMN_ADDRESS = KEY_ADDRESS,
	COLUMN_INSTRUCTION = KEY_INSTRUCTION,
	COLUMN_CPU_NUMBER = KEY_CPU,
	COLUMN_CGROUP = KEY_CGROUP,
	COLUMN_USER = KEY_USER,
	COLUMN_TIME = KEY_TIME,
	COLUMN_DATA_SRC = KEY_DATA_SRC,
	COLUMN_WEIGHT = KEY_WEIGHT,
	COLUMN_BRANCH = KEY_BRANCH,
	COLUMN_PATH = KEY_PATH,
	COLUMN_REASON = KEY_REASON,
	COLUMN_REMEDY = KEY_REMEDY,
	COLUMN_LOCK = KEY_LOCK,
	COLUMN_ON = KEY_ON,
	COLUMN_NODE = KEY_NODE,
	COLUMN_SYSCALL = KEY_SYSCALL,
	COLUMN_FIELD = KEY_FIELD,
	COLUMN_CONTAINER = KEY_CONTAINER,
	COLUMN_POD = KEY_POD,
	COLUMN_UNIT = KEY_UNIT,
	COLUMN_PROGRAM = KEY_PROGRAM,
	COLUMN_HOST = KEY_HOST,

	COLUMN_SHARE = KEY_COUNT,
	COLUMN_CPU,
	COLUMN_CPU_ESTIMATE,
	COLUMN_TREND,
	COLUMN_SAMPLES,
	COLUMN_PERIOD,
	COLUMN_THREADS,
	COLUMN_HOTTEST,
	COLUMN_COMMAND,
	COLUMN_COUNTER,
	COLUMN_PER_SECOND,
	COLUMN_TOTAL,
	COLUMN_RUNNING,
	COLUMN_NOTE,
	COLUMN_UNNAMED,
	COLUMN_EVENTS,
	COLUMN_RATE,
	COLUMN_MEAN,
	COLUMN_VALUE_P50,
	COLUMN_VALUE_P99,
	COLUMN_WAITERS,
	COLUMN_WAITING,
	COLUMN_OWNER,
	COLUMN_OWNER_COMM,
	COLUMN_HELD,
	COLUMN_DOES,
	COLUMN_RUN,
	COLUMN_QUEUE,
	COLUMN_STOLEN,
	COLUMN_WAIT,
	COLUMN_WAITS_IN,
	COLUMN_ERROR,
	COLUMN_NOW,
	COLUMN_THEN,
	COLUMN_DELTA,
	COLUMN_DELTA_RATE,
	COLUMN_LOW,
	COLUMN_HIGH,
	COLUMN_Q,
	COLUMN_SIGNIFICANT,
	COLUMN_PPID, /* from here to COLUMN_START: see task_column.h */
	COLUMN_PRIORITY,
	COLUMN_NICE,
	COLUMN_TASK_STATE,
	COLUMN_VIRT,
	COLUMN_RSS,
	COLUMN_MEMORY,
	COLUMN_CPU_TIME,
	COLUMN_IO_READ,
	COLUMN_IO_WRITE,
	COLUMN_START,
	COLUMN_IPC,
	COLUMN_BESIDE, /* from here to COLUMN_BESIDE_LAST: events that are sampled beside the one shown */
	COLUMN_BESIDE_LAST = COLUMN_BESIDE + BESIDE_MAX - 1,
	COLUMN_COUNTER_NOW, /* from here to COLUMN_COUNTER_DELTA: of counters */
	COLUMN_COUNTER_THEN,
	COLUMN_COUNTER_DELTA,
	COLUMN_FUNCTION, /* from here to COLUMN_CALL_NOTE: of the view calls */
	COLUMN_CALLS_PER_SECOND,
	COLUMN_CALLS,
	COLUMN_CALLS_LOST,
	COLUMN_CALL_MIN,
	COLUMN_CALL_P50,
	COLUMN_CALL_P95,
	COLUMN_CALL_P99,
	COLUMN_CALL_MAX,
	COLUMN_CALL_TIMES,
	COLUMN_CALL_STATE,
	COLUMN_CALL_NOTE,
	COLUMN_COUNT,
};

/* What kind of member of struct row a column shows. */
enum value_kind {
	VALUE_OWN,      /* as the column's own functions say */
	VALUE_TEXT,     /* const char * */
	VALUE_FUNCTION, /* the same, a name that is shortened where lines are short */
	VALUE_NUMBER,   /* int; <0: not known */
	VALUE_COUNT,    /* uint64_t, and so are all below */
	VALUE_ADDRESS,
	VALUE_TIME,     /* ns since the start or the epoch, plus one; 0: not known */
	VALUE_OPTIONAL, /* a count plus one; 0: there is none */
	VALUE_PART,     /* double, 0 to 1, shown in percent; NAN: not known */
};

/* Of which events a view has the column. */
enum column_of {
	COLUMN_OF_ALL,
	COLUMN_OF_LOOKS,    /* that tell of waiting */
	COLUMN_OF_ALL_TIME, /* that tell of running, too */
	COLUMN_OF_SAMPLES,  /* of all others than these */
	COLUMN_OF_NUMBERS,  /* whose field that was chosen has plain numbers */
	COLUMN_OF_BESIDE,   /* beside which others are sampled, as many as the column's place among these */
	COLUMN_OF_IPC,      /* of cycles and instructions, both sampled */
	COLUMN_OF_HOSTS,    /* that other hosts sample */
};

/* How text is written: what the terminal or the file can take. */
struct column_style {
	bool ascii; /* no bytes above 0x7e */
	bool brief; /* functions by view/brief.h: where lines are short */
	const struct snapshot_event *event; /* of the rows, for what is per second; NULL: not known */
	bool per_second; /* shares are written as SHARES_PER_SECOND asks */
};

struct column {
	const char *name;  /* --sort, the sort menu */
	const char *title; /* "%EVT" */
	const char *help;
	const char *key;   /* --by, CSV, JSON: the name of the key; NULL: it is none */
	key_set labels;    /* of a key: what samples must be told apart by */
	enum value_kind kind;
	size_t at;         /* of struct row, but for VALUE_OWN */
	bool is_number;    /* aligned to the right, orders falling by default; */
	bool is_falling;   /* the latter alone */
	unsigned char width;     /* cells; 0: takes the rest of the line, shared among such */
	unsigned char min_width; /* for width 0 */
	unsigned char weight;    /* for width 0: its part of the rest */
	unsigned char rank;      /* those of low rank go first where a screen is narrow */
	enum column_of of;
	bool (*has)(const struct row *row); /* whether it is shown of the row; NULL: of all */
	/* NULL: as its kind.  Adds the value, safe for a terminal, not padded. */
	void (*put)(struct buf *b, const struct row *row, const struct column_style *style);
	/* Of VALUE_OWN.  <0, 0, >0: a before b in rising order. */
	int (*compare)(const struct row *a, const struct row *b);
};

extern const struct column columns[COLUMN_COUNT];

/* Whether the largest is first by default. */
static inline bool
column_falls(enum column_id id)
{
	return columns[id].is_number || columns[id].is_falling;
}

/* Adds the value, safe for a terminal, not padded; rows that stand for many have counts alone. */
void column_put(struct buf *b, enum column_id id, const struct row *row,
		const struct column_style *style);

/* <0, 0, >0: a before b in rising order.  Never 0 for two rows of a table. */
int column_compare(enum column_id id, const struct row *a, const struct row *b);
void rows_sort(struct row *rows, size_t count, const struct query *q); /* as the query has it */

/*
 * The value as filters compare it and CSV writes it, raw; "" for VALUE_OWN.  In @number unless it
 * is the row's own text.
 */
enum { COLUMN_TEXT_MAX = 24 };
const char *column_text(enum column_id id, const struct row *row, char number[COLUMN_TEXT_MAX]);

/* Whether a time (VALUE_TIME, less one) is since the epoch, or since the start. */
bool column_time_is_real(uint64_t ns);

/* The value of VALUE_TEXT and VALUE_FUNCTION, of VALUE_NUMBER, of the kinds that are uint64_t. */
static inline const char *
column_string(enum column_id id, const struct row *row)
{
	return *(const char *const *)(const void *)((const char *)row + columns[id].at);
}

static inline int
column_number(enum column_id id, const struct row *row)
{
	return *(const int *)(const void *)((const char *)row + columns[id].at);
}

static inline double
column_part(enum column_id id, const struct row *row)
{
	return *(const double *)(const void *)((const char *)row + columns[id].at);
}

static inline uint64_t
column_u64(enum column_id id, const struct row *row)
{
	return *(const uint64_t *)(const void *)((const char *)row + columns[id].at);
}

enum { TABLE_COLUMNS_MAX = CHOICE_MAX + KEYS_MAX + 12 };

/* Few samples have told its share: it may as well be nothing. */
bool row_is_vague(const struct row *row);

/* Whether it is known, or comes to be with more time, if it is chance; else what differs is all there is. */
bool difference_is_tested(const struct difference *d);

/* What is written of a difference: whether the row has changed, in a word. */
const char *difference_word(const struct difference *d, char word[COLUMN_TEXT_MAX]);

/* What it is, in a sentence: title, name, help, how it is ordered. */
void column_put_about(struct buf *b, enum column_id id);

/* The columns that take the place of a view's counts when it compares, in order. */
extern const unsigned char difference_columns[];
extern const size_t difference_column_count;
extern const unsigned char counter_difference_columns[]; /* of counters, which are no shares */
extern const size_t counter_difference_column_count;

struct column_list {
	unsigned char ids[TABLE_COLUMNS_MAX]; /* enum column_id, left to right */
	size_t count;
	size_t first_key; /* from here on they are the keys that were asked for; count: none were */
};

/* Why views of @event, NULL: of none that is known, lack the column; NULL: they have it. */
const char *column_why_not(enum column_id id, const struct snapshot_event *event);
bool column_is_of(enum column_id id, const struct snapshot_event *event); /* they have it */

/* What a view has of the window alone: where two are compared, difference_columns take its place. */
bool column_is_of_window(enum column_id id);

/* Whether only the screen has it: reports can not be sorted by it. */
bool column_is_of_screen(enum column_id id);
bool column_is_of_difference(enum column_id id); /* only where two are compared */

/* A recording has no measured CPU time: its column becomes that of the estimate. */
enum column_id column_of_view(enum column_id id, bool is_recording);

/*
 * The columns of a screen: the view's, or counts and the keys of --by.  @event, NULL: none, is the
 * one shown: one that counts things, not time, has columns for them.
 */
void column_list_make(struct column_list *list, const struct query *q, bool is_recording,
		      const struct snapshot_event *event);

/* Without those that no row of the snapshot has. */
void column_list_drop_empty(struct column_list *list, const struct snapshot *s);

/* The title that the column has in a table of @q, of @event or NULL. */
const char *column_title(enum column_id id, const struct query *q,
			 const struct snapshot_event *event);

bool column_list_has(const struct column_list *list, int column);

/* "comm", "evt:asc" */
int column_parse(const char *text, enum column_id *id, bool *ascending, struct err *err);

/* "comm,symbol" to keys; ERR_USAGE with the nearest right name. */
int key_parse_list(const char *text, enum key *keys, size_t *count, struct err *err);

/* What samples must be told apart by for @keys. */
key_set key_labels(key_set keys);

static inline const char *
key_name(enum key key)
{
	return columns[key].key;
}

#endif
