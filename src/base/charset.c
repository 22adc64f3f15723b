/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/charset.h"

#include <config.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>

void
charset_begin(void)
{
	/* Not the others: numbers in reports are read by programs, and each category is a file. */
	setlocale(LC_CTYPE, "");
#ifdef PTOP_STATIC
	/* What converts another set than UTF-8 is loaded by glibc, which a static program cannot do. */
	if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C");
#endif
}
