/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What --version says: of which sources ptop is, how it was built, and which libraries are in. */
#include "app/config_impl.h"

#include "app/source.inc"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */

#define TEXT_(n) #n
#define TEXT(n) TEXT_(n)

static const struct {
	const char *name;
	const char *version; /* of the one that it was built with; "": not known; NULL: it is not in */
	const char *what;
	bool is_loaded;      /* when it is needed; a static ptop has it in */
} libraries[] = {
#ifdef __GLIBC__
	{ "glibc", TEXT(__GLIBC__) "." TEXT(__GLIBC_MINOR__), "C library", false },
#endif
	{ "libelf", PTOP_VERSION_ELF, "symbols", false },
	{ "ncurses", PTOP_VERSION_NCURSES, "screen", false },
	{ "libdw", PTOP_VERSION_LIBDW, "source lines", false },
	{ "libiberty", PTOP_VERSION_LIBIBERTY, "demangling", false },
	{ "jansson", PTOP_VERSION_JANSSON, "JSON reports", false },
	{ "zlib", PTOP_VERSION_ZLIB, "pprof reports", false },
	{ "libzstd", PTOP_VERSION_ZSTD, "compressed recordings", false },
	{ "inih", PTOP_VERSION_INIH, "configuration", false },
	{ "liblzma", PTOP_VERSION_LZMA, "names packed into stripped files", false },
	{ "libcurl", PTOP_VERSION_DEBUGINFOD, "--debuginfod and --push", true },
	{ "libcapstone", PTOP_VERSION_CAPSTONE, "instructions in listings of code", true },
	{ "libmicrohttpd", PTOP_VERSION_MICROHTTPD, "--serve", true },
	{ "libpfm4", PTOP_VERSION_LIBPFM4, "its names of events", true },
};

static void
put_library(struct buf *b, size_t i)
{
	const char *version = libraries[i].version;

	buf_addf(b, "%s %s", version != NULL ? "with" : "without", libraries[i].name);
	if (version != NULL && *version != '\0')
		buf_addf(b, " %s", version);
	buf_addf(b, " (%s)", libraries[i].what);
#ifndef PTOP_STATIC
	if (version != NULL && libraries[i].is_loaded)
		buf_add_str(b, ", loaded when it is needed");
#endif
	buf_add_char(b, '\n');
}

void
config_put_version(struct buf *b)
{
	buf_add_str(b, "ptop " PACKAGE_VERSION "\n");
	if (*SOURCE_COMMIT != '\0')
		buf_addf(b, "commit %s of %s%s\n", SOURCE_COMMIT, SOURCE_DATE,
			 SOURCE_IS_CHANGED ? ", with changes" : "");
#ifdef PTOP_STATIC
	buf_add_str(b, "one static file: users are those of /etc/passwd, characters ASCII or UTF-8\n");
#endif
#ifndef PTOP_CONFINE
	buf_add_str(b, "without confinement: the symbol parser is not confined wholly\n");
#endif
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		put_library(b, i);
}
