/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, as long as there is room for them. */
#include "model/model.h"

bool
model_take_room(struct model *m, uint32_t task, size_t bytes)
{
	return name_room_take(&m->room, model_owner(&m->tasks[m->tasks[task].process]), bytes);
}

static uint32_t
name_of(struct model *m, uint32_t uid, const char *text, size_t len)
{
	uint32_t id = strs_find(&m->strs, text, len);

	if (id != 0)
		return id;
	if (len > 0 && !name_room_take(&m->room, uid, len + NAME_ROOM_SITE_BYTES))
		return strs_add_str(&m->strs, "[too many names]");
	return strs_add(&m->strs, text, len);
}

uint32_t
model_name(struct model *m, uint32_t task, const char *text, size_t len)
{
	return name_of(m, model_owner(&m->tasks[m->tasks[task].process]), text, len);
}

uint32_t
model_code_name(struct model *m, const char *text, size_t len)
{
	return name_of(m, NAME_ROOM_CODE, text, len);
}
