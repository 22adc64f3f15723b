/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_DATABASE_H
#define PTOP_TESTS_DATABASE_H
/*
 * Databases of a test's own, in a folder that goes with them: nothing of the machine's is touched.
 * What fails ends the test.
 */
struct database_kind {
	const char *name;
	const char *program; /* without it there is none */
	/* What it does with the file rows.ndjson, as @sql has it. */
	void (*load)(const char *sql);
	/* The answer as CSV, to be freed. */
	char *(*ask)(const char *sql);
};

extern const struct database_kind database_sqlite, database_postgres, database_clickhouse;

/* Makes the folder, and writes rows.ndjson in it.  Skips the test if there is no such database. */
void database_begin(const struct database_kind *kind, const char *rows);
void database_end(void); /* in any case; after a test that failed, too */

#endif
