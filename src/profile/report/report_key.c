/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/report_key.h"

#include "base/buf.h"
#include "profile/place/location.h"
#include "profile/report/report_impl.h"
#include "record/look.h"
#include "record/put.h"
#include "view/column.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct hot_entry
hot_entry_at(const struct profile *p, uint32_t id)
{
	const struct hot_key *hot = &p->tables.hot[id];
	const struct who *who = &p->model->whos[hot->who];
	uint32_t location = locations_resolve(p->locations, hot->location);

	return (struct hot_entry){
		.profile = p, .hot = hot, .label = &p->labels.items[hot->label], .who = who,
		.task = &p->model->tasks[who->task], .location = location,
		.dso = p->locations->items[location].dso,
	};
}

struct hot_entry
hot_entry_of_who(const struct profile *p, uint32_t who)
{
	const struct who *w = &p->model->whos[who];

	return (struct hot_entry){ .profile = p, .label = &p->labels.items[0], .who = w,
				   .task = &p->model->tasks[w->task] };
}

/* Of other hosts names alone are known. */
#define USER_IS_NAME (UINT64_C(1) << 32)

/* The newest that was read: sums are not to go to nobody at each exec, and back. */
static uint64_t
user_part(const struct hot_entry *e)
{
	const struct task *process = &e->profile->model->tasks[e->task->process];

	return process->host != 0 ? USER_IS_NAME | process->user : process->uid;
}

static const struct dso *
dso_of(const struct hot_entry *e)
{
	return dsos_get(&e->profile->model->dsos, e->dso);
}

/* A key that is one number of the entry. */
#define PART(key, number) \
	static uint64_t key##_part(const struct hot_entry *e) \
	{ \
		return number; \
	}

PART(event, e->hot->event)
PART(comm, e->who->comm)
PART(pid, e->task->process)
PART(tid, e->who->task)
PART(dso, dso_of(e)->name)
PART(path, dso_of(e)->path)
PART(build_id, dso_source_build_id(e->profile->locations, e->dso))
PART(source, dso_source_names(e->profile->locations, e->dso))
PART(reason, dso_source_reason(e->profile->locations, e->location))
PART(remedy, dso_source_remedy(e->profile->locations, e->location))
PART(address, e->label->address)
PART(cpu, e->label->cpu)
PART(time, e->label->time)
PART(data_src, e->label->data_src)
PART(weight, e->label->weight)
PART(id, e->label->id)
PART(stream_id, e->label->stream_id)
PART(waker, e->label->waker)
PART(length, e->label->length)

/* The kind of waiting, plus one; 0: it does not wait. */
static uint64_t
waitkind_part(const struct hot_entry *e)
{
	return e->dso == DSO_ID_WAITING ? e->location - LOCATION_WAITING + 1 : 0;
}

/* Of kinds that are one state, the first. */
static uint64_t
state_part(const struct hot_entry *e)
{
	uint64_t kind = waitkind_part(e), first = 1;

	while (kind > 0 && strcmp(wait_kind_defs[first - 1].state, wait_kind_defs[kind - 1].state) != 0)
		first++;
	return kind > 0 ? first : 0;
}

static uint64_t
lock_part(const struct hot_entry *e)
{
	const struct profile *p = e->profile;
	const char *text = strs_get(&p->model->strs, e->label->on);
	const char *holder = strstr(text, RECORD_LOOK_HELD_BY);

	if (e->location != LOCATION_WAITING + WAIT_LOCK)
		return 0;
	return holder != NULL ? strs_add(&p->model->strs, text, (size_t)(holder - text)) : e->label->on;
}

uint32_t
report_lock_of(const struct profile *p, uint32_t id)
{
	struct hot_entry e = hot_entry_at(p, id);

	return (uint32_t)lock_part(&e);
}

/* Functions of one name in one dso are one row; places without a name are told apart. */
static uint64_t
symbol_part(const struct hot_entry *e)
{
	const struct location *loc = &e->profile->locations->items[e->location];

	return loc->name != 0 ? loc->name : UINT64_C(1) << 32 | e->location;
}

/* A text is its own part: what looks the same is one row. */
static uint64_t
text_part(const struct profile *p, const struct buf *b)
{
	return strs_add(&p->model->strs, b->data, b->len);
}

struct cgroup
report_cgroup(const struct model *m, const struct who *who)
{
	uint32_t n = who->cgroup != 0 ? who->cgroup : m->tasks[m->tasks[who->task].process].cgroup;

	return cgroups_at(&m->cgroups, n);
}

static struct cgroup
cgroup_of(const struct hot_entry *e)
{
	return report_cgroup(e->profile->model, e->who);
}

static uint64_t
cgroup_part(const struct hot_entry *e)
{
	const struct profile *p = e->profile;
	struct cgroup c = cgroup_of(e);
	struct buf b = { 0 };
	uint64_t part;

	if (c.path != 0)
		return c.path;
	if (c.id != 0)
		buf_addf(&b, "cgroup:%" PRIu64, c.id);
	else
		buf_add_char(&b, '-');
	part = text_part(p, &b);
	buf_release(&b);
	return part;
}

static struct container_names
names_of(const struct hot_entry *e)
{
	return containers_of(e->profile->containers, cgroup_of(e).path);
}

PART(container, names_of(e).container)
PART(pod, names_of(e).pod)
PART(unit, names_of(e).unit)
PART(program, e->profile->model->tasks[e->task->process].comm)

/* Plus one, as the CPU's number; 0: it is not known. */
static uint64_t
node_part(const struct hot_entry *e)
{
	uint64_t cpu = e->label->cpu;

	return cpu > 0 ? (uint64_t)(cpu_node(&e->profile->nodes, cpu - 1) + 1) : 0;
}

/* Whether it is "socket:10.0.0.5:5432", not "socket:[123]", which is all that its link says. */
static bool
leads_to(const char *text)
{
	const char *peer = text + strlen(RECORD_LOOK_SOCKET);
	size_t digits;

	if (strncmp(text, RECORD_LOOK_SOCKET, strlen(RECORD_LOOK_SOCKET)) != 0)
		return false;
	digits = *peer == '[' ? strspn(peer + 1, "0123456789") : 0;
	return digits == 0 || strcmp(peer + 1 + digits, "]") != 0;
}

/* The string of the variable that a lock or condition is, called @text there; 0: it is not known, or no lock. */
static uint32_t
variable_of(const struct profile *p, uint32_t process, const char *text)
{
	uint64_t address;

	if (!record_look_variable((struct bytes){ (const uint8_t *)text, strlen(text) }, &address))
		return 0;
	return variables_find(&p->variables, process, address);
}

const char *
report_lock_name(const struct profile *p, uint32_t process, uint32_t lock)
{
	const char *text = strs_get(&p->model->strs, lock);
	uint32_t variable = variable_of(p, process, text);

	return variable != 0 ? strs_get(&p->model->strs, variable) : text;
}

/*
 * The condition variable's own name: what is waited for is one of two words in it, which glibc has
 * at 40 and 44, since 2.41 at 32 and 36.
 */
static void
put_condition(struct buf *b, const char *name)
{
	static const char *const words[] = { "+0x20", "+0x24", "+0x28", "+0x2c" };
	const char *offset = strrchr(name, '+');
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(words) && offset != NULL; i++)
		if (strcmp(offset, words[i]) == 0)
			len = (size_t)(offset - name);
	buf_addf(b, "condition %.*s", (int)len, name);
}

/* A mutex by the name of its variable, as far as that is known; a socket by what it leads to. */
static uint64_t
on_part(const struct hot_entry *e)
{
	const struct profile *p = e->profile;
	const char *text = strs_get(&p->model->strs, (uint32_t)e->label->on);
	const char *holder = strstr(text, RECORD_LOOK_HELD_BY);
	uint64_t part = variable_of(p, e->task->process, text);
	struct buf b = { 0 };

	if (part != 0 && strncmp(text, RECORD_LOOK_CONDITION, strlen(RECORD_LOOK_CONDITION)) == 0)
		put_condition(&b, strs_get(&p->model->strs, (uint32_t)part));
	else if (part != 0)
		buf_addf(&b, "%s%s", strs_get(&p->model->strs, (uint32_t)part),
			 holder != NULL ? holder : "");
	else if (leads_to(text))
		buf_add_str(&b, text + strlen(RECORD_LOOK_SOCKET));
	else
		return e->label->on;
	part = text_part(p, &b);
	buf_release(&b);
	return part;
}

/* What is known of the address of the sample. */
static uint64_t
known_part(const struct hot_entry *e, const struct srclines *known)
{
	uint64_t address = e->label->address;
	uint32_t text = address != 0 ? srclines_find(known, e->dso, address - 1) : 0;

	return text != 0 ? text : strs_add_str(&e->profile->model->strs, "-");
}

static uint64_t
srcline_part(const struct hot_entry *e)
{
	return known_part(e, &e->profile->lines);
}

static uint64_t
instruction_part(const struct hot_entry *e)
{
	return known_part(e, &e->profile->instructions);
}

static void
put_branch_end(struct buf *b, const struct profile *p, uint32_t location, uint64_t addr)
{
	const struct locations *l = p->locations;
	const struct location *loc = &l->items[locations_resolve(l, location)];

	if (loc->kind == LOCATION_FUNCTION)
		buf_add_str(b, strs_get(&p->model->strs, loc->name));
	else
		buf_addf(b, "0x%" PRIx64, addr);
}

static uint64_t
branch_part(const struct hot_entry *e)
{
	const struct profile *p = e->profile;
	const struct label *label = e->label;
	struct buf b = { 0 };
	uint64_t part;

	if (label->from == 0) {
		buf_add_char(&b, '-');
	} else {
		put_branch_end(&b, p, label->from, label->from_addr);
		buf_add_str(&b, " > ");
		put_branch_end(&b, p, label->to, label->to_addr);
	}
	part = text_part(p, &b);
	buf_release(&b);
	return part;
}

/* What is not carried is one row. */
static uint64_t
value_part(const struct hot_entry *e, uint32_t text)
{
	return text != 0 ? text : strs_add_str(&e->profile->model->strs, "-");
}

/* Samples have it, but these were not told apart by it. */
static uint64_t
part_of_before(const struct hot_entry *e)
{
	return strs_add_str(&e->profile->model->strs, "[before it was looked at]");
}

static uint64_t
syscall_part(const struct hot_entry *e)
{
	if (e->label->syscall == 0 && split_tells_syscall(&e->profile->split, e->hot->event))
		return part_of_before(e);
	return value_part(e, e->label->syscall);
}

/* What was told apart by another field has none of this one. */
static uint64_t
field_part(const struct hot_entry *e)
{
	const struct profile *p = e->profile;
	uint8_t asked = split_asked(&p->split, e->hot->event);
	const char *function;

	if (asked != e->label->field_of && asked != 0)
		return part_of_before(e);
	if (e->label->field == 0 || asked == 0)
		return value_part(e, 0);
	function = split_function(p->locations, strs_get(&p->model->strs, e->label->field));
	return function != NULL ? strs_add_str(&p->model->strs, function) : e->label->field;
}

static uint64_t
host_part(const struct hot_entry *e)
{
	return value_part(e, e->task->host);
}

static void
fill_event(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	(void)r;
	row->event = e->profile->events[part].name;
}

/* What the two have in common is the thread's. */
static void
fill_pid(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	(void)e;
	if (row->thread == 0)
		report_row_task(r, row, (uint32_t)part, false);
}

static void
fill_tid(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	(void)e;
	report_row_task(r, row, (uint32_t)part, true);
}

static void
fill_user(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	if (part == UID_UNKNOWN) {
		row->user = "[unknown]";
		row->reason = e->profile->model->from_file
			? "a recording does not tell whose its processes are"
			: "of processes that ended before /proc could tell whose they are";
		return;
	}
	row->user = part & USER_IS_NAME ? report_str(r, (uint32_t)part) : report_user(r, (uint32_t)part);
}

static struct container_ids
ids_of(const struct hot_entry *e)
{
	return containers_ids_of(e->profile->containers, cgroup_of(e).path);
}

static void
put_ids(const struct report *r, const uint32_t ids[2], const char *to[2])
{
	to[0] = report_str(r, ids[0]);
	to[1] = report_str(r, ids[1]);
}

static void
fill_container(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	row->container = report_str(r, (uint32_t)part);
	put_ids(r, ids_of(e).container, row->container_ids);
}

static void
fill_pod(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	row->pod = report_str(r, (uint32_t)part);
	put_ids(r, ids_of(e).pod, row->pod_ids);
}

static void
fill_unit(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	row->unit = report_str(r, (uint32_t)part);
	row->whole_unit = report_str(r, ids_of(e).unit);
}

static void
fill_dso(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	row->dso = report_str(r, (uint32_t)part);
	row->dso_id = e->dso;
	report_row_maker(r, row, e->dso);
	if (e->profile->locations->items[e->location].is_kernel)
		row->flags |= ROW_KERNEL;
}

static void
fill_path(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	row->path = report_str(r, (uint32_t)part);
	row->dso_id = e->dso;
	report_row_maker(r, row, e->dso);
}

/* Its address and line are the function's: those of the sample count, if they are asked for. */
static void
fill_symbol(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	(void)part;
	report_row_symbol(r, row, e->location);
}

static void
fill_data_src(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	struct buf b = { 0 };

	(void)e;
	record_put_data_src(&b, part);
	row->data_src = part != 0 ? arena_strdup(&r->out->arena, buf_str(&b)) : "-";
	buf_release(&b);
}

static void
fill_state(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	(void)r;
	(void)e;
	row->state = part > 0 ? wait_kind_defs[part - 1].state : "run";
}

static void
fill_waitkind(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	(void)r;
	(void)e;
	row->waitkind = part > 0 ? wait_kind_defs[part - 1].name : "";
}

/* Who holds a lock, or is at the other end, is told by name, too, as far as that is known. */
static void
fill_on(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	const size_t peer = strlen(RECORD_LOOK_PEER) - strlen(RECORD_LOOK_SOCKET);
	const char *text = report_str(r, (uint32_t)part);
	const char *who = strstr(text, RECORD_LOOK_HELD_BY);
	const struct model *m = e->profile->model;
	uint32_t task = 0;

	if (who != NULL)
		task = model_find_task(m, atoi(who + strlen(RECORD_LOOK_HELD_BY)));
	else if (strncmp(text, &RECORD_LOOK_PEER[strlen(RECORD_LOOK_SOCKET)], peer) == 0)
		task = model_find_task(m, atoi(text + peer));
	row->on = text;
	if (task != 0 && model_task_at(m, task)->comm != 0)
		row->on = arena_printf(&r->out->arena, "%s %s", text,
				       report_str(r, model_task_at(m, task)->comm));
}

static void
fill_lock(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	(void)r;
	row->lock = report_lock_name(e->profile, e->task->process, (uint32_t)part);
	row->lock_id = (uint32_t)part;
}

/* "123 nginx", as far as its name is known. */
static void
fill_waker(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	const struct model *m = e->profile->model;
	uint32_t task = part < INT32_MAX ? model_find_task(m, (int)part) : 0;
	const char *comm = task != 0 ? report_str(r, model_task_at(m, task)->comm) : "";

	if (part == RECORD_WAKER_INTERRUPT)
		row->waker = "[interrupt]";
	else if (part != 0)
		row->waker = arena_printf(&r->out->arena, "%u%s%s", (unsigned)part,
					  *comm != '\0' ? " " : "", comm);
}

/* A second is 1024 ms here. */
static void
fill_length(struct report *r, struct row *row, const struct hot_entry *e, uint64_t part)
{
	static const char *const units[] = { "us", "ms", "s" };
	uint64_t power = part - 2, unit = MIN(power / 10, ARRAY_SIZE(units) - 1);
	unsigned long long from;

	(void)e;
	if (part == 0 || part == 1 || part == RECORD_LOOK_GOES_ON) {
		row->length = part == 0 ? "" : part == 1 ? "<1 us" : "goes on";
		return;
	}
	from = 1ULL << MIN(power - unit * 10, 62);
	row->length = arena_printf(&r->out->arena, "%llu-%llu %s", from, 2 * from, units[unit]);
}

const struct report_key report_keys[] = {
	[KEY_EVENT] = { event_part, fill_event },
	[KEY_COMM] = { comm_part },
	[KEY_PID] = { pid_part, fill_pid },
	[KEY_TID] = { tid_part, fill_tid, .is_early = true },
	[KEY_DSO] = { dso_part, fill_dso },
	[KEY_SYMBOL] = { symbol_part, fill_symbol, .is_early = true },
	[KEY_SRCLINE] = { srcline_part },
	[KEY_ADDRESS] = { address_part },
	[KEY_INSTRUCTION] = { instruction_part },
	[KEY_CPU] = { cpu_part },
	[KEY_CGROUP] = { cgroup_part },
	[KEY_USER] = { user_part, fill_user },
	[KEY_TIME] = { time_part },
	[KEY_DATA_SRC] = { data_src_part, fill_data_src },
	[KEY_WEIGHT] = { weight_part },
	[KEY_ID] = { id_part },
	[KEY_STREAM_ID] = { stream_id_part },
	[KEY_BRANCH] = { branch_part },
	[KEY_PATH] = { path_part, fill_path },
	[KEY_BUILD_ID] = { build_id_part },
	[KEY_SOURCE] = { source_part },
	[KEY_REASON] = { reason_part },
	[KEY_REMEDY] = { remedy_part },
	[KEY_STATE] = { state_part, fill_state },
	[KEY_WAITKIND] = { waitkind_part, fill_waitkind },
	[KEY_ON] = { on_part, fill_on },
	[KEY_LOCK] = { lock_part, fill_lock },
	[KEY_WAKER] = { waker_part, fill_waker },
	[KEY_LENGTH] = { length_part, fill_length },
	[KEY_NODE] = { node_part },
	[KEY_CONTAINER] = { container_part, fill_container },
	[KEY_POD] = { pod_part, fill_pod },
	[KEY_UNIT] = { unit_part, fill_unit },
	[KEY_PROGRAM] = { program_part },
	[KEY_SYSCALL] = { syscall_part },
	[KEY_FIELD] = { field_part },
	[KEY_HOST] = { host_part },
};

_Static_assert(ARRAY_SIZE(report_keys) == KEY_COUNT, "each key of columns[] has its row here");

void
report_key_fill(struct report *r, struct row *row, enum key key, const struct hot_entry *e,
		uint64_t part)
{
	char *member = (char *)row + columns[key].at;
	uint64_t less = part > 0 ? part - 1 : 0;
	int number = (int)part - 1;
	const char *text;

	if (report_keys[key].fill != NULL) {
		report_keys[key].fill(r, row, e, part);
		return;
	}
	switch (columns[key].kind) {
	case VALUE_TEXT:
	case VALUE_FUNCTION:
		text = report_str(r, (uint32_t)part);
		memcpy(member, &text, sizeof(text));
		break;
	case VALUE_NUMBER:
		memcpy(member, &number, sizeof(number));
		break;
	case VALUE_ADDRESS:
		memcpy(member, &less, sizeof(less));
		break;
	case VALUE_TIME:
		part += part != 0 ? r->src->times_ahead_ns : 0;
		memcpy(member, &part, sizeof(part));
		break;
	case VALUE_COUNT:
	case VALUE_OPTIONAL:
		memcpy(member, &part, sizeof(part));
		break;
	case VALUE_PART:
	case VALUE_OWN:
		break;
	}
}
