/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/elf/iberty.h"

#ifdef HAVE_LIBIBERTY

#include <libiberty/demangle.h>

bool
iberty_rust(const char *raw, void (*take)(const char *, size_t, void *), void *arg)
{
	return rust_demangle_callback(raw, DMGL_NO_OPTS, take, arg) != 0;
}

bool
iberty_cplus(const char *raw, void (*take)(const char *, size_t, void *), void *arg)
{
	return cplus_demangle_v3_callback(raw, DMGL_NO_OPTS, take, arg) != 0;
}

char *
iberty_d(const char *raw)
{
	return dlang_demangle(raw, DMGL_NO_OPTS);
}

#else

bool
iberty_rust(const char *raw, void (*take)(const char *, size_t, void *), void *arg)
{
	(void)raw;
	(void)take;
	(void)arg;
	return false;
}

bool
iberty_cplus(const char *raw, void (*take)(const char *, size_t, void *), void *arg)
{
	(void)raw;
	(void)take;
	(void)arg;
	return false;
}

char *
iberty_d(const char *raw)
{
	(void)raw;
	return NULL;
}

#endif
