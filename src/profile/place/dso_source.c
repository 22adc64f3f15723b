/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/location.h"

#include "base/buf.h"

/* What is said of a place that nothing more is known of, by the kind of its dso. */
static const struct lack {
	const char *reason, *remedy;
} lacks[] = {
	[DSO_UNKNOWN] = { "no map of the process covers the address",
			  "start ptop before it: the maps of a process that has ended cannot be read" },
	[DSO_KERNEL] = { "no symbol of the kernel covers the address", "" },
	[DSO_MODULE] = { "no symbol of the kernel module covers the address", "" },
	[DSO_FILE] = { "no symbol of the file covers the address", "" },
	[DSO_VDSO] = { "no symbol of the vdso covers the address", "" },
	[DSO_VDSO32] = { "no symbol of the vdso covers the address", "" },
	[DSO_VSYSCALL] = { "it has no symbols: the kernel emulates it", "" },
	[DSO_UPROBES] = { "instructions of probed functions, which the kernel runs out of line", "" },
	[DSO_ANON] = { "code made at run time (JIT), which its runtime gave no name", "" },
	[DSO_JITDUMP] = { "a jitdump: the record of a runtime, not code", "" },
	[DSO_GUEST_KERNEL] = { "code of a guest, whose symbols are not here",
			       "run ptop inside of the guest" },
	[DSO_GUEST_USER] = { "code of a guest, whose symbols are not here",
			     "run ptop inside of the guest" },
	[DSO_HYPERVISOR] = { "code of the hypervisor, whose symbols are not here", "" },
	[DSO_WAITING] = { "no code: the thread waits", "" },
	[DSO_CROWDED] = { "too many files were mapped: there was no room for their names",
			  "start ptop anew, or with more --memory" },
};

static const struct lack denied = {
	"the maps of its process may not be read", "run as root, or with CAP_SYS_PTRACE",
};
static const struct lack being_read = { "its symbols are being read", "" };
static const struct lack cut = {
	"its callers are not known: the key ! says why",
	"a larger copy of the stack (-g dwarf,BYTES), if that is what ended",
};
static const struct lack not_named = { "its runtime (JIT) has not named it yet", "" };

/* Whether a module's own file was looked for. */
static bool
has_own(const struct locations *l, uint32_t dso)
{
	return dso < l->symbols_cap && l->symbols[dso].state != SYMBOLS_NONE &&
	       *strs_get(&l->model->strs, dsos_get(&l->model->dsos, dso)->path) == '/';
}

/* A module's functions come with the kernel's image, but for a recording of another boot. */
static const struct dso_symbols *
symbols_of(const struct locations *l, uint32_t dso)
{
	static const struct dso_symbols none = { 0 };

	if (dsos_get(&l->model->dsos, dso)->kind == DSO_MODULE && !has_own(l, dso))
		dso = DSO_ID_KERNEL;
	return dso < l->symbols_cap ? &l->symbols[dso] : &none;
}

void
dso_source_learn_names(struct locations *l, uint32_t dso, const char *source)
{
	locations_symbols(l, dso)->source = strs_add_str(&l->model->strs, source);
}

void
dso_source_learn_build_id(struct locations *l, uint32_t dso, const uint8_t *id, size_t len)
{
	struct buf b = { 0 };

	if (len == 0)
		return;
	for (size_t i = 0; i < len; i++)
		buf_addf(&b, "%02x", id[i]);
	locations_symbols(l, dso)->build_id = strs_add_str(&l->model->strs, buf_str(&b));
	buf_release(&b);
}

void
dso_source_learn(struct locations *l, const struct symbol_image_msg *m)
{
	dso_source_learn_names(l, m->dso, m->source);
	dso_source_learn_build_id(l, m->dso, m->build_id, m->build_id_len);
	locations_symbols(l, m->dso)->ns = m->ns;
}

void
dso_source_learn_asked(struct locations *l, uint32_t dso, const char *outcome)
{
	struct dso_symbols *s = locations_symbols(l, dso);
	struct strs *strs = &l->model->strs;
	struct buf b = { 0 };

	if (s->own_reason == 0)
		s->own_reason = s->reason;
	if (s->own_reason == 0)
		return; /* lines alone were missing */
	buf_addf(&b, "%s; asked debuginfod: %s", strs_get(strs, s->own_reason), outcome);
	s->reason = strs_add_str(strs, buf_str(&b));
	buf_release(&b);
}

uint32_t
dso_source_build_id(const struct locations *l, uint32_t dso)
{
	return symbols_of(l, dso)->build_id;
}

uint32_t
dso_source_names(const struct locations *l, uint32_t dso)
{
	return symbols_of(l, dso)->source;
}

enum symbol_ns
dso_source_ns(const struct locations *l, uint32_t dso)
{
	return symbols_of(l, dso)->ns;
}

/* NULL: what was learned of the dso says more. */
static const struct lack *
lack_of(const struct locations *l, const struct location *loc)
{
	enum dso_kind kind = dsos_get(&l->model->dsos, loc->dso)->kind;

	if (loc == &l->items[LOCATION_CUT])
		return &cut;
	if (loc == &l->items[LOCATION_DENIED])
		return &denied;
	if (loc->kind == LOCATION_PENDING && !symbols_of(l, loc->dso)->awaits)
		return kind == DSO_ANON ? &not_named : &being_read;
	return symbols_of(l, loc->dso)->reason != 0 ? NULL : &lacks[kind];
}

uint32_t
dso_source_reason(const struct locations *l, uint32_t location)
{
	const struct location *loc = &l->items[location];
	const struct lack *lack = lack_of(l, loc);

	if (location_is_named(loc) || loc->reason != 0)
		return loc->reason;
	return lack != NULL ? strs_add_str(&l->model->strs, lack->reason)
			    : symbols_of(l, loc->dso)->reason;
}

uint32_t
dso_source_remedy(const struct locations *l, uint32_t location)
{
	const struct location *loc = &l->items[location];
	const struct lack *lack = lack_of(l, loc);

	if (location_is_named(loc) || loc->reason != 0)
		return loc->remedy;
	return lack != NULL ? strs_add_str(&l->model->strs, lack->remedy)
			    : symbols_of(l, loc->dso)->remedy;
}

bool
dso_source_alike(const struct locations *l, uint32_t dso, uint32_t other)
{
	const struct dso_symbols *a = symbols_of(l, dso), *b = symbols_of(l, other);

	if (dso == other)
		return true;
	return dsos_get(&l->model->dsos, dso)->path == dsos_get(&l->model->dsos, other)->path &&
	       a->build_id == b->build_id && a->source == b->source && a->reason == b->reason &&
	       a->remedy == b->remedy && (a->state < SYMBOLS_READY) == (b->state < SYMBOLS_READY);
}
