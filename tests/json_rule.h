/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_JSON_RULE_H
#define PTOP_TESTS_JSON_RULE_H
/* What a JSON schema says of values.  After cmocka.h; with jansson alone. */
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

/* @type: a name of JSON Schema, or a list of such. */
static inline bool
json_is_of_type(json_t *type, json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "object", [JSON_ARRAY] = "array", [JSON_STRING] = "string",
		[JSON_INTEGER] = "integer", [JSON_REAL] = "number", [JSON_TRUE] = "boolean",
		[JSON_FALSE] = "boolean", [JSON_NULL] = "null",
	};
	const char *name = names[json_typeof(value)];
	json_t *one;
	size_t i;

	json_array_foreach(type, i, one)
		if (json_is_of_type(one, value))
			return true;
	if (!json_is_string(type))
		return false;
	return strcmp(json_string_value(type), name) == 0 ||
	       (json_is_integer(value) && strcmp(json_string_value(type), "number") == 0);
}

/* Every member is one that @rule names, and of its type; so are those of objects in lists. */
static inline void
assert_described(const char *what, json_t *rule, json_t *value)
{
	json_t *sub, *properties = json_object_get(rule, "properties"), *items = json_object_get(rule, "items");
	const char *key;
	size_t i;

	if (!json_is_of_type(json_object_get(rule, "type"), value))
		fail_msg("%s is of another type", what);
	json_object_foreach(value, key, sub) {
		if (json_object_get(properties, key) == NULL)
			fail_msg("%s: the schema lacks '%s'", what, key);
		assert_described(key, json_object_get(properties, key), sub);
	}
	json_array_foreach(value, i, sub) {
		if (items != NULL)
			assert_described(what, items, sub);
		else if (json_is_object(sub))
			fail_msg("%s: the schema does not say what each has", what);
	}
}

#endif
