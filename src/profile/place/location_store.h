/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_LOCATION_STORE_H
#define PTOP_PROFILE_PLACE_LOCATION_STORE_H
/*
 * Locations, which say where code is: (dso, offset) until the dso's symbol image is there, (dso,
 * function) from then on.  Code that nothing bounds is counted by page, so that it stays bounded.
 * Ids are stable until they are forgotten; a location that was folded forwards to what it became.
 * Here they are kept; location.h, jit.h and inlined.h make them.  Engine thread only.
 */
#include "base/buf.h"
#include "model/model.h"
#include "profile/place/inlined.h"
#include "profile/place/jit_room.h"
#include "record/wait_kind.h"
#include "symbol/ask/ask.h"
#include "symbol/image/image.h"

enum {
	LOCATION_UNMAPPED = 1, /* all addresses that no map covers */
	LOCATION_DENIED,       /* the same of processes whose maps may not be read */
	LOCATION_CUT,          /* in the place of callers that a chain lacks; has no samples */
	LOCATION_OTHER,        /* what is too light to be kept of the past, of a process or below a node */
	LOCATION_OTHER_KERNEL, /* the same of the kernel, which can be hidden */
	LOCATION_WAITING,      /* and those behind it, one for each kind of waiting */
	LOCATION_FIRST = LOCATION_WAITING + WAIT_KINDS, /* that is made as it is met */
};

enum location_kind {
	LOCATION_PENDING,  /* an exact offset: the image is on its way */
	LOCATION_FUNCTION,
	LOCATION_PAGE,     /* no symbol covers it: all of the page */
	LOCATION_MAP,      /* too many pages of its dso: all of them; of JIT code: a whole map */
	LOCATION_EXACT,    /* an instruction, for call trees; forwards to what it is in */
};

struct location {
	uint64_t offset;   /* of the function, page or exact place */
	uint32_t dso;
	uint32_t fn;       /* in the dso's image */
	uint32_t name;     /* string, of functions, LOCATION_CUT; "libz.so.1+0x4a00" of entries */
	uint32_t forward;  /* what it was folded into, 0: nothing */
	uint32_t line;     /* string: "file.c:12" of the hottest instruction */
	uint32_t reason, remedy; /* strings: of a host's without a name, in its words; else 0 */
	uint32_t serial;   /* never given out again; that of the oldest that was folded into it */
	uint64_t line_of;  /* the offset whose line was asked for, 0: none was */
	uint32_t hot_offset, hot_votes; /* the likely hottest instruction: a majority vote */
	uint8_t kind;
	bool is_kernel;
	bool is_inlined;   /* a function where it is inlined in others, see inlined.h */
	bool is_rest;      /* of kind LOCATION_FUNCTION, but many: see locations_rest() */
	bool is_entry;     /* a function whose name is but where it is, see image_is_entry() */
};

/* Of JIT code, which has no image, SYMBOLS_READY: its runtime tells names. */
enum dso_symbols_state {
	SYMBOLS_NONE,
	SYMBOLS_ASKED,
	SYMBOLS_READY,
	SYMBOLS_FAILED,
	SYMBOLS_GIVEN_BACK, /* see image_budget.h */
};

struct dso_symbols {
	enum dso_symbols_state state;
	struct image *image;
	uint32_t *by_function;   /* of a recording: locations of its functions; 0: not yet */
	uint32_t finds;          /* of a recording: how often a place was looked for in the image */
	uint32_t reason, remedy; /* strings: why there are no names, or not all */
	uint32_t source;         /* string: where the names come from; 0: not known */
	uint32_t build_id;       /* string: in hex; 0: not known */
	uint32_t own_reason;     /* string: the reason without what follows it; 0: nothing does */
	enum symbol_ns ns;
	bool awaits;             /* more names may come: what has none stays pending */
	uint32_t pages;          /* locations of kind LOCATION_PAGE */
	uint32_t rest;           /* see locations_rest(); 0: there is none yet */
	struct jit *jit;         /* of DSO_ANON, once something was found there */
	uint64_t used;           /* locations.image_uses when a place was last looked for in it */
	uint64_t asked_ns;       /* when the image was asked for, 0: it never was */
	bool is_missed;          /* it was given back, and is wanted again */
	bool is_put_off;         /* it is wanted, but asked for later: nothing is to wait for it */
	bool is_renewed;         /* the next image is of a file that had one before */
};

/* Functions whose names are to be asked of the symbol service. */
struct name_ask {
	uint32_t dso, fn;
	uint32_t raw; /* string: the name as the file has it */
};

struct locations {
	struct model *model;
	struct location *items; /* by id; [0] is not used */
	size_t len, cap;
	uint32_t *free; /* ids of none, to be given out again */
	size_t free_len, free_cap;
	size_t kept;    /* how many there were after some were forgotten */
	uint32_t serial; /* the last that was given out */
	struct index index;
	struct dso_symbols *symbols; /* by dso */
	size_t symbols_cap;
	struct name_ask *names;
	size_t name_len, name_cap;
	struct buf raw_name; /* of the function that is being found */
	bool reads_all_names; /* from the mapping: for all of them cheaper than a call for each */
	struct jit_room jit_room; /* of what all JIT compilers made */
	size_t pending; /* locations of kind LOCATION_PENDING, not folded yet */
	uint32_t pending_first; /* none of them is below */
	size_t image_bytes, image_budget; /* of images; 0: without bound */
	uint64_t image_uses, images_given_back; /* so many */
	bool kernel_changes;    /* it is the running one: its symbols can be read again */
	bool kernel_missed;     /* an address had none: who reads the symbols again clears it */
	struct inlined inlined;
	bool learning;          /* what is not found now stays without a name */
};

/* Whether it has a name: all else is shown by where it is. */
static inline bool
location_is_named(const struct location *loc)
{
	return loc->kind == LOCATION_FUNCTION && !loc->is_entry;
}

/* Whether it is one function, be it without a name; of what hosts send so that is not known. */
static inline bool
location_is_function(const struct location *loc)
{
	return loc->kind == LOCATION_FUNCTION && (!loc->is_entry || loc->fn != IMAGE_NONE);
}

/* What is known of @dso's symbols.  Valid until the next call. */
struct dso_symbols *locations_symbols(struct locations *l, uint32_t dso);

/* The image with @dso's functions, NULL: it is not here.  A module's can be the kernel's. */
const struct image *locations_image(const struct locations *l, uint32_t dso);

static inline uint64_t
location_hash(uint32_t dso, enum location_kind kind, uint64_t what)
{
	return hash_mix((uint64_t)dso << 8 | kind, what);
}

/*
 * The location under @hash that is of @kind, in @dso, and has @what: a function its number, all
 * others their offset.  0: there is none.
 */
uint32_t locations_lookup(const struct locations *l, uint64_t hash, uint32_t dso,
			  enum location_kind kind, uint64_t what);

/* A new location, to be found under @hash; serial and is_kernel are filled in. */
uint32_t locations_add(struct locations *l, uint64_t hash, struct location loc);

/* The same, but only whoever keeps its id will find it. */
uint32_t locations_append(struct locations *l, struct location loc);

/* What stands for all functions of @dso that are not told apart any more, made if it is new. */
uint32_t locations_rest(struct locations *l, uint32_t dso);

/*
 * Forgets @id, which nobody knows any more and which is a function of an image, or was folded into
 * another.  Its number will be another's.
 */
void locations_forget(struct locations *l, uint32_t id);

/* Folds @id, which was not folded yet, into @to. */
void locations_forward(struct locations *l, uint32_t id, uint32_t to);

/* Gives @offset @votes in the choice of the location's hottest instruction. */
void locations_vote(struct locations *l, uint32_t id, uint64_t offset, uint32_t votes);

/* What @id was folded into, @id itself if it was not. */
static inline uint32_t
locations_resolve(const struct locations *l, uint32_t id)
{
	while (l->items[id].forward != 0)
		id = l->items[id].forward;
	return id;
}

/* What @id is in call trees: these keep exact places. */
static inline uint32_t
locations_frame(const struct locations *l, uint32_t id)
{
	return l->items[id].kind == LOCATION_EXACT ? id : locations_resolve(l, id);
}

/*
 * What the symbol images of files may take together: those that no place was looked for in for the
 * longest time are given back.  Their locations stay as they are; the next place in such a file
 * that is not known yet waits for the image to be asked for again.  Engine thread only.  Gives
 * back until the bound is kept, but for the image of @come, which has just come.
 */
void image_budget_keep(struct locations *l, uint32_t come);

/* Bytes of the kernel's image, which has no bound, and of all others, which have. */
size_t image_budget_kernel(const struct locations *l);
size_t image_budget_files(const struct locations *l);

#endif
