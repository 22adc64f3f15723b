/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ptop says of itself: its options, and which libraries are in. */
#include "app/config_impl.h"

#include <config.h> /* the one of configure: in quotes it would be that of this folder */

void
config_put_help(struct buf *b)
{
	buf_add_str(b, "Usage: ptop [OPTION...] [-- COMMAND [ARG...]]\n"
		    "Shows which functions of which processes keep the machine busy, live.\n\n");
	options_put_help(b, config_options, config_option_count);
	buf_add_str(b, "\nKeys and views are explained in ptop(1), and on the screen by h.\n");
}

void
config_put_roff(struct buf *b)
{
	options_put_roff(b, config_options, config_option_count);
}

void
config_put_version(struct buf *b)
{
	static const struct {
		const char *name, *what;
		bool is_in;
	} libraries[] = {
		{ "libelf", "symbols", true },
#ifdef HAVE_NCURSES
		{ "ncurses", "screen", true },
#else
		{ "ncurses", "screen", false },
#endif
#ifdef HAVE_LIBDW
		{ "libdw", "source lines", true },
#else
		{ "libdw", "source lines", false },
#endif
#ifdef HAVE_LIBIBERTY
		{ "libiberty", "demangling", true },
#else
		{ "libiberty", "demangling", false },
#endif
#ifdef HAVE_JANSSON
		{ "jansson", "JSON reports", true },
#else
		{ "jansson", "JSON reports", false },
#endif
#ifdef HAVE_ZLIB
		{ "zlib", "pprof reports", true },
#else
		{ "zlib", "pprof reports", false },
#endif
#ifdef HAVE_ZSTD
		{ "libzstd", "compressed recordings", true },
#else
		{ "libzstd", "compressed recordings", false },
#endif
#ifdef HAVE_INIH
		{ "inih", "configuration", true },
#else
		{ "inih", "configuration", false },
#endif
#ifdef HAVE_LZMA
		{ "liblzma", "names packed into stripped files", true },
#else
		{ "liblzma", "names packed into stripped files", false },
#endif
#ifdef HAVE_DEBUGINFOD
		{ "libcurl", "--debuginfod and --push", true },
#else
		{ "libcurl", "--debuginfod and --push", false },
#endif
#ifdef HAVE_CAPSTONE
		{ "libcapstone", "instructions in listings of code", true },
#else
		{ "libcapstone", "instructions in listings of code", false },
#endif
#ifdef HAVE_LIBPFM4
		{ "libpfm4", "its names of events", true },
#else
		{ "libpfm4", "its names of events", false },
#endif
	};

	buf_add_str(b, "ptop " PACKAGE_VERSION "\n");
	for (size_t i = 0; i < ARRAY_SIZE(libraries); i++)
		buf_addf(b, "%s %s (%s)\n", libraries[i].is_in ? "with" : "without",
			 libraries[i].name, libraries[i].what);
}
