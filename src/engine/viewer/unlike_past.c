/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What hosts had of their functions in each second of the last minute. */
#include "engine/viewer/unlike_impl.h"

#include <stdlib.h>

enum { CELLS_MAX = 16 << 10, FUNCTIONS_MAX = 2048 };

#define KEPT_PART 0.0025 /* of a host's second: less is not kept by host */

const struct unlike_look unlike_looks[UNLIKE_LOOKS] = { { 12, 1 }, { 32, 4 } };

struct unlike *
unlike_new(void)
{
	return mem_calloc(1, sizeof(struct unlike));
}

void
unlike_free(struct unlike *u)
{
	if (u == NULL)
		return;
	free(u->hosts);
	free(u->cells);
	free(u->functions);
	free(u->gains);
	free(u->candidates);
	free(u->changes);
	index_release(&u->host_index);
	index_release(&u->cell_index);
	index_release(&u->function_index);
	index_release(&u->gain_index);
	free(u);
}

size_t
unlike_bytes(const struct unlike *u)
{
	if (u == NULL)
		return 0;
	return sizeof(*u) + u->host_cap * sizeof(*u->hosts) + u->cell_cap * sizeof(*u->cells) +
	       u->function_cap * sizeof(*u->functions) + u->gain_cap * sizeof(*u->gains) +
	       u->candidate_cap * sizeof(*u->candidates) + u->change_cap * sizeof(*u->changes) +
	       index_bytes(&u->host_index) + index_bytes(&u->cell_index) +
	       index_bytes(&u->function_index) + index_bytes(&u->gain_index);
}

static uint64_t
function_hash(uint32_t dso, uint32_t name)
{
	return hash_mix(dso, name);
}

static uint64_t
key_hash(const struct unlike_key *k)
{
	return hash_mix(k->host, function_hash(k->dso, k->name));
}

static uint32_t
host_number(struct unlike *u, uint32_t host)
{
	uint64_t hash = hash_mix(host, 0);
	uint32_t n, pos;

	for (n = index_first(&u->host_index, hash, &pos); n != 0; n = index_next(&u->host_index, hash, &pos))
		if (u->hosts[n - 1].host == host)
			return n - 1;
	VEC_ADD(u->hosts, u->host_len, u->host_cap) = (struct unlike_host){ .host = host };
	index_add(&u->host_index, hash, (uint32_t)u->host_len);
	return (uint32_t)u->host_len - 1;
}

static struct unlike_gain *
find_gain(struct unlike *u, const struct unlike_key *key)
{
	uint64_t hash = key_hash(key);
	uint32_t n, pos;

	for (n = index_first(&u->gain_index, hash, &pos); n != 0; n = index_next(&u->gain_index, hash, &pos))
		if (unlike_is_key(&u->gains[n - 1].key, key))
			return &u->gains[n - 1];
	VEC_ADD(u->gains, u->gain_len, u->gain_cap) = (struct unlike_gain){ .key = *key };
	index_add(&u->gain_index, hash, (uint32_t)u->gain_len);
	return &u->gains[u->gain_len - 1];
}

void
unlike_add(struct unlike *u, const struct unlike_key *key, double period, double samples)
{
	struct unlike_key here = *key;

	here.host = host_number(u, key->host);
	u->hosts[here.host].now += period;
	u->hosts[here.host].samples_now += samples;
	if (key->name != 0)
		find_gain(u, &here)->period += period;
}

static struct unlike_cell *
find_cell(const struct unlike *u, const struct unlike_key *key)
{
	uint64_t hash = key_hash(key);
	uint32_t n, pos;

	for (n = index_first(&u->cell_index, hash, &pos); n != 0; n = index_next(&u->cell_index, hash, &pos))
		if (unlike_is_key(&u->cells[n - 1].key, key))
			return &u->cells[n - 1];
	return NULL;
}

/* Its number plus one, 0: it is not there. */
static uint32_t
find_function(const struct unlike *u, uint32_t dso, uint32_t name)
{
	uint64_t hash = function_hash(dso, name);
	uint32_t n, pos;

	for (n = index_first(&u->function_index, hash, &pos); n != 0;
	     n = index_next(&u->function_index, hash, &pos))
		if (u->functions[n - 1].dso == dso && u->functions[n - 1].name == name)
			break;
	return n;
}

/* NULL: there is no room. */
static struct unlike_cell *
add_cell(struct unlike *u, const struct unlike_key *key)
{
	uint32_t function = find_function(u, key->dso, key->name);

	if (u->cell_len >= CELLS_MAX || (function == 0 && u->function_len >= FUNCTIONS_MAX))
		return NULL;
	if (function == 0) {
		VEC_ADD(u->functions, u->function_len, u->function_cap) =
			(struct unlike_function){ .dso = key->dso, .name = key->name };
		function = (uint32_t)u->function_len;
		index_add(&u->function_index, function_hash(key->dso, key->name), function);
	}
	VEC_ADD(u->cells, u->cell_len, u->cell_cap) =
		(struct unlike_cell){ .key = *key, .function = function - 1 };
	index_add(&u->cell_index, key_hash(key), (uint32_t)u->cell_len);
	return &u->cells[u->cell_len - 1];
}

static bool
is_forgotten(const struct unlike *u, unsigned last)
{
	return u->seconds - last > UNLIKE_PAST;
}

/* What has had nothing for as long as it is remembered makes room. */
static void
sweep(struct unlike *u)
{
	size_t functions = 0, cells = 0;

	index_clear(&u->function_index);
	for (size_t i = 0; i < u->function_len; i++) {
		const struct unlike_function *f = &u->functions[i];

		if (is_forgotten(u, f->last))
			continue;
		u->functions[functions++] = *f;
		f = &u->functions[functions - 1];
		index_add(&u->function_index, function_hash(f->dso, f->name), (uint32_t)functions);
	}
	u->function_len = functions;
	index_clear(&u->cell_index);
	for (size_t i = 0; i < u->cell_len; i++) {
		struct unlike_cell c = u->cells[i];

		if (is_forgotten(u, c.last))
			continue;
		c.function = find_function(u, c.key.dso, c.key.name) - 1;
		u->cells[cells++] = c;
		index_add(&u->cell_index, key_hash(&c.key), (uint32_t)cells);
	}
	u->cell_len = cells;
}

static void
take_gain(struct unlike *u, const struct unlike_gain *g)
{
	const bool is_much = g->period >= KEPT_PART * u->hosts[g->key.host].now;
	struct unlike_cell *c = find_cell(u, &g->key);
	struct unlike_function *f;
	uint32_t function;

	if (c == NULL && is_much)
		c = add_cell(u, &g->key);
	if (c != NULL) {
		c->now = g->period;
		c->last = u->seconds;
	}
	function = find_function(u, g->key.dso, g->key.name);
	if (function == 0)
		return;
	f = &u->functions[function - 1];
	f->now += g->period;
	f->last = u->seconds;
	if (c == NULL && is_much)
		f->crowded = u->seconds + 1;
}

/* The newest second. */
static void
put(const struct unlike *u, struct unlike_past *p, double value)
{
	for (size_t k = 0; k < UNLIKE_LOOKS; k++) {
		unsigned oldest = u->seconds - unlike_looks[k].seconds;

		p->sums[k] += (double)(float)value - (double)p->of[oldest % UNLIKE_PAST];
	}
	p->of[u->seconds % UNLIKE_PAST] = (float)value;
}

static void
put_hosts(struct unlike *u)
{
	double all = 0, samples = 0;

	for (size_t i = 0; i < u->host_len; i++) {
		struct unlike_host *h = &u->hosts[i];

		put(u, &h->all, h->now);
		put(u, &h->samples, h->samples_now);
		put(u, &h->is_there, h->now > 0);
		all += h->now;
		samples += h->samples_now;
		h->now = h->samples_now = 0;
	}
	put(u, &u->all, all);
	put(u, &u->samples, samples);
}

/* What was summed becomes the newest second. */
void
unlike_turn(struct unlike *u)
{
	for (size_t i = 0; i < u->gain_len; i++)
		take_gain(u, &u->gains[i]);
	u->gain_len = 0;
	index_clear(&u->gain_index);
	put_hosts(u);
	for (size_t i = 0; i < u->cell_len; i++) {
		put(u, &u->cells[i].past, u->cells[i].now);
		u->cells[i].now = 0;
	}
	for (size_t i = 0; i < u->function_len; i++) {
		put(u, &u->functions[i].past, u->functions[i].now);
		u->functions[i].now = 0;
	}
	u->seconds++;
	if (u->seconds % UNLIKE_PAST == 0)
		sweep(u);
}

const struct unlike_past *
unlike_past_of(const struct unlike *u, uint32_t host, const struct unlike_function *f)
{
	const struct unlike_cell *c = find_cell(u, &(struct unlike_key){ host, f->dso, f->name });

	return c != NULL ? &c->past : NULL;
}
