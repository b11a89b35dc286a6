/*
 * Any text as a file of a run, and as the arguments of a command, scrubbed for a bundle:
 * the names of the host and of the user are not left, in any ASCII case, nor is a path that is hidden. The first byte
 * chooses the file.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rundir/scrub_run.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/scrub.h"

#define HOST "planted-host7"
#define USER "planteduser"
#define PATH "/opt/plantedpath" /* of a program that is not of the build */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A log is any other file; the last one is UTF-16. */
static const char *const files[] = {
	"logs/stage2.log",   "processes.jsonl",    "config.ini", "symbols/functions.txt",
	"symbols/lines.txt", "symbols/stacks.txt", "open.sh",    "logs/utf16.log",
};

static struct scrub *new_scrub(void)
{
	struct scrub *scrub = scrub_new();

	scrub_add_host(scrub, HOST);
	scrub_add_user(scrub, USER);
	scrub_add_home(scrub, "/srv/" USER);
	scrub_hide_path(scrub, PATH);
	return scrub;
}

static void expect_no_names(const char *text, size_t len)
{
	static const char *const names[] = { HOST, USER };

	for (size_t i = 0; i < len; i++) {
		for (size_t j = 0; j < ARRAY_SIZE(names); j++) {
			size_t nr = 0;

			while (i + nr < len && names[j][nr] &&
			       ascii_lower(text[i + nr]) == names[j][nr])
				nr++;
			if (names[j][nr])
				continue;
			fprintf(stderr, "'%s' is left in: %.*s\n", names[j], (int)len, text);
			abort();
		}
	}
}

/* Files with other control characters are left out of a bundle. */
static void make_text(struct strbuf *text)
{
	for (size_t i = 0; i < text->len; i++) {
		unsigned char c = (unsigned char)text->buf[i];

		if (c < ' ' && !memchr("\t\n\r\f\b\a\v\x1b", c, 8))
			text->buf[i] = '\n';
	}
}

static void scrub_file(const char *path, const uint8_t *data, size_t size)
{
	struct strbuf in = STRBUF_INIT, out = STRBUF_INIT;
	struct scrub *scrub = new_scrub();
	struct scrub_lines lines;

	strbuf_add(&in, (const char *)data, size);
	if (path == files[ARRAY_SIZE(files) - 1])
		scrub_from_utf16(&in);
	make_text(&in);
	scrub_learn(scrub, in.buf, in.len);
	scrub_lines_init(&lines, scrub, path);
	scrub_lines_add(&lines, in.buf, in.len, &out);
	expect_no_names(out.buf, out.len);
	scrub_free(scrub);
	strbuf_release(&in);
	strbuf_release(&out);
}

static void scrub_command(const uint8_t *data, size_t size)
{
	struct scrub *scrub = new_scrub();
	struct strvec arguments = STRVEC_INIT;

	while (size) {
		size_t nr = strnlen((const char *)data, size);

		strvec_push_nodup(&arguments, strndup((const char *)data, nr));
		nr += nr < size;
		data += nr;
		size -= nr;
	}
	scrub_arguments(scrub, &arguments);
	for (size_t i = 0; i < arguments.nr; i++)
		expect_no_names(arguments.v[i], strlen(arguments.v[i]));
	strvec_release(&arguments);
	scrub_free(scrub);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	scrub_file(files[data[0] % ARRAY_SIZE(files)], data + 1, size - 1);
	scrub_command(data + 1, size - 1);
	return 0;
}
