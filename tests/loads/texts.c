/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls said() with texts, each as often as the table says; "texts wait" does nothing until its input
 * ends, and then the same; "texts ever" says one of them until it is ended.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { PAGE = 4096, LONG = 3000 };

long said(long n, const char *text);

KEEP long
said(long n, const char *text)
{
	__asm__ volatile("" : : "r"(text) : "memory");
	return n + 1;
}

/* Where nothing is mapped any more. */
static const char *
gone(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		_exit(1);
	munmap(page, PAGE);
	return page;
}

int
main(int argc, char **argv)
{
	static char long_text[LONG + 1];
	const struct {
		const char *text;
		int times;
	} rows[] = {
		{ "GET /", 300 }, { "PUT /\033[31m,\"x\"", 70 }, { "", 5 }, { NULL, 11 },
		{ gone(), 7 }, { long_text, 3 },
	};
	char c;

	memset(long_text, 'x', LONG);
	if (argc > 1 && strcmp(argv[1], "wait") == 0)
		while (read(0, &c, 1) == 1)
			continue;
	while (argc > 1 && strcmp(argv[1], "ever") == 0) {
		said(0, rows[0].text);
		usleep(1000);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int n = 0; n < rows[i].times; n++)
			said(n, rows[i].text);
	return 0;
}
