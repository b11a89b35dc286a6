/*
 * Writes the scenario of the tests (tests/support/scenario.h): make-scenario perf|etl FILE [WORD]...
 *
 * Words, of ETL files: xpress huffman split keys small (buffers of 1 KB) ns (ticks of 1 ns) devices commands parent lost
 */
#include <stdio.h>
#include <string.h>

#include "platform/fs.h"
#include "support/scenario.h"

static bool take_word(const char *word, struct scenario_options *options)
{
	if (!strcmp(word, "xpress"))
		options->compression = ETL_COMPRESSED_XPRESS;
	else if (!strcmp(word, "huffman"))
		options->compression = ETL_COMPRESSED_HUFFMAN;
	else if (!strcmp(word, "split"))
		options->stacks = SCENARIO_SPLIT;
	else if (!strcmp(word, "keys"))
		options->stacks = SCENARIO_KEYS;
	else if (!strcmp(word, "small"))
		options->buffer_size = 1024;
	else if (!strcmp(word, "ns"))
		options->frequency = 1000000000;
	else if (!strcmp(word, "devices"))
		options->devices = true;
	else if (!strcmp(word, "commands"))
		options->commands = true;
	else if (!strcmp(word, "parent"))
		options->parent_commits = true;
	else if (!strcmp(word, "lost"))
		options->lost_events = 7, options->lost_buffers = 2;
	else
		return false;
	return true;
}

static int write_file(const char *path, const struct strbuf *bytes)
{
	struct err err = ERR_INIT;
	int rc = fs_write_atomic(path, bytes->buf, bytes->len, &err);

	if (rc)
		fprintf(stderr, "make-scenario: %s\n", err.msg);
	err_clear(&err);
	return rc ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct scenario_options options = { .compression = ETL_COMPRESSED_NONE };
	struct strbuf bytes = STRBUF_INIT;
	bool perf = argc > 2 && !strcmp(argv[1], "perf");
	bool good = perf || (argc > 2 && !strcmp(argv[1], "etl"));
	struct perf_writer *writer;
	int rc;

	for (int i = 3; i < argc; i++)
		good = good && !perf && take_word(argv[i], &options);
	if (!good) {
		fprintf(stderr, "make-scenario perf|etl FILE [WORD]...\n");
		return 2;
	}
	if (perf) {
		writer = scenario_perf(PERF_WRITER_FILE);
		rc = write_file(argv[2], perf_writer_finish(writer));
		perf_writer_free(writer);
		return rc;
	}
	scenario_write_etl(&options, &bytes);
	rc = write_file(argv[2], &bytes);
	strbuf_release(&bytes);
	return rc;
}
