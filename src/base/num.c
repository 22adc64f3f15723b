/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/num.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
num_u64(const char *s, uint64_t *out)
{
	char *end;
	unsigned long long v;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno != 0 || *end != '\0')
		return false;
	*out = v;
	return true;
}

bool
num_double(const char *s, double *out)
{
	char *end;
	double v;

	/* Nothing that strtod() takes beyond plain decimals: inf, nan, hexadecimal. */
	if (*s == '\0' || s[strspn(s, "0123456789.")] != '\0')
		return false;
	errno = 0;
	v = strtod(s, &end);
	if (errno != 0 || *end != '\0' || !isfinite(v))
		return false;
	*out = v;
	return true;
}

bool
num_size(const char *s, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	const char *unit;
	char digits[24];
	size_t len = strlen(s);
	unsigned shift = 0;
	uint64_t v;

	if (len == 0 || len >= sizeof(digits))
		return false;
	memcpy(digits, s, len + 1);
	unit = strchr(units, toupper((unsigned char)s[len - 1]));
	if (unit != NULL && *unit != '\0') {
		shift = 10 * (unsigned)(unit - units + 1);
		digits[len - 1] = '\0';
	}
	if (!num_u64(digits, &v) || (v << shift) >> shift != v)
		return false;
	*bytes = v << shift;
	return true;
}

bool
num_list(const char *s, unsigned max, unsigned **items, size_t *len)
{
	unsigned *list = NULL;
	size_t n = 0, cap = 0;
	char *end;

	for (;;) {
		unsigned long a, b;

		if (!isdigit((unsigned char)*s))
			goto fail;
		a = b = strtoul(s, &end, 10);
		if (*end == '-' && isdigit((unsigned char)end[1]))
			b = strtoul(end + 1, &end, 10);
		if (a > b || b > max || n + (b - a) > max)
			goto fail;
		for (; a <= b; a++) {
			VEC_ADD(list, n, cap) = (unsigned)a;
		}
		if (*end != ',')
			break;
		s = end + 1;
	}
	while (isspace((unsigned char)*end))
		end++;
	if (*end != '\0')
		goto fail;
	*items = mem_realloc(*items, *len + n, sizeof(**items));
	memcpy(*items + *len, list, n * sizeof(*list));
	*len += n;
	free(list);
	return true;
fail:
	free(list);
	return false;
}

bool
num_bool(const char *s, bool *out)
{
	static const char *const words[][2] = {
		{ "no", "yes" }, { "off", "on" }, { "false", "true" }, { "0", "1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		for (int is_yes = 0; is_yes < 2; is_yes++) {
			if (strcmp(s, words[i][is_yes]) == 0) {
				*out = is_yes;
				return true;
			}
		}
	}
	return false;
}
