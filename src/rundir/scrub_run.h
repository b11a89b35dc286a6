/*
 * Scrubs the files of a run except its trace: util/scrub.h says what is replaced. JSON is decoded, scrubbed and
 * rewritten; members that are not known here are left out. config.ini is treated in the same way, and loses its comments.
 * Other files are scrubbed line by line.
 */
#ifndef RUNDIR_SCRUB_RUN_H
#define RUNDIR_SCRUB_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "rundir/manifest.h"
#include "util/err.h"
#include "util/scrub.h"
#include "util/strbuf.h"

enum scrub_content {
	SCRUB_CONTENT_TEXT,
	SCRUB_CONTENT_UTF16, /* little-endian, with a byte order mark: it becomes UTF-8 */
	SCRUB_CONTENT_OTHER, /* cannot be scrubbed */
};

/* Names of crates and programs of the run stay what they are, unless they are private. To be called first. */
int scrub_reserve_run(struct scrub *scrub, const char *dir, struct err *err);

/* What is in the file `path` of the run `dir`; owners of home directories that it names are learned. */
int scrub_look(struct scrub *scrub, const char *dir, const char *path, enum scrub_content *content,
	       struct err *err);

/* Scrubs the lines of one file. */
struct scrub_lines {
	struct scrub *scrub; /* borrowed */
	void (*line)(struct scrub_lines *lines, struct strbuf *line);
	bool whole;  /* its lines belong together: `line` gets all at once */
	bool hidden; /* symbols of a module whose path is hidden */
};

void scrub_lines_init(struct scrub_lines *lines, struct scrub *scrub, const char *path);

/* Scrub whole lines, and append them to `to`; the last one may lack its end. With `whole`, all lines. */
void scrub_lines_add(struct scrub_lines *lines, const char *text, size_t len, struct strbuf *to);

/* UTF-16, little-endian, becomes UTF-8, without a byte order mark. */
void scrub_from_utf16(struct strbuf *text);

/* Scrub a manifest, and list in it what was removed from all files. To be called last. */
void scrub_manifest(struct scrub *scrub, struct manifest *manifest);

#endif
