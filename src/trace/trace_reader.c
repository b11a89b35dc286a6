#include "trace/trace_reader.h"

#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/fs.h"
#include "trace/etl/etl_reader.h"
#include "trace/perf/perf_reader.h"
#include "util/alloc.h"
#include "util/array.h"

static const struct trace_format *const formats[] = { &perf_format, &etl_format };

struct trace_reader {
	const struct trace_format *format;
	struct strvec paths;
	void *reader; /* NULL after a failure */
	struct trace_facts facts;
};

/* A directory is not a trace. The message names perf's directories, which look like one. */
static int refuse_directory(const char *path, struct err *err)
{
	char *data = fs_join(path, "data");
	bool threads = fs_exists(data);

	free(data);
	if (threads)
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is a directory as 'perf record --threads' makes it, which is "
			       "not read: record without --threads",
			       path);
	return err_set(err, ERR_UNSUPPORTED, "'%s' is a directory, not a trace", path);
}

/* Files in which traces are sent, by their first bytes. */
static const struct {
	const char *magic, *what;
} archives[] = {
	{ "PK\3\4", "a zip" },
	{ "\x1f\x8b", "compressed with gzip" },
	{ "7z\xbc\xaf\x27\x1c", "a 7z archive" },
	{ "\xfd"
	  "7zXZ",
	  "compressed with xz" },
	{ "\x28\xb5\x2f\xfd", "compressed with zstd" },
	{ "BZh", "compressed with bzip2" },
	{ "MSCF", "a cabinet" },
	{ "Rar!", "a RAR archive" },
};

/* What Git has instead of a file that is stored with Git LFS. */
#define LFS_POINTER "version https://git-lfs."

static bool begins(const unsigned char *head, size_t nr, const char *magic)
{
	return nr >= strlen(magic) && !memcmp(head, magic, strlen(magic));
}

static int refuse_unknown(const char *path, const unsigned char *head, size_t nr, struct err *err)
{
	struct strbuf found = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(archives); i++) {
		if (begins(head, nr, archives[i].magic))
			return err_set(err, ERR_UNSUPPORTED,
				       "'%s' is %s: unpack it, and give the trace in it", path,
				       archives[i].what);
	}
	if (begins(head, nr, LFS_POINTER))
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is a pointer of Git LFS, not the file itself: get that with "
			       "'git lfs pull'",
			       path);

	for (size_t i = 0; i < nr && i < 8; i++)
		strbuf_addf(&found, " %02x", head[i]);
	err_set(err, ERR_UNSUPPORTED, "'%s' is not a trace of a known format: it begins with%s",
		path, found.buf);
	strbuf_release(&found);
	return -1;
}

static int read_head(const char *path, unsigned char *head, int64_t *nr, struct err *err)
{
	struct file_at *file;

	if (file_at_open(path, &file, err))
		return -1;
	*nr = file_at_read(file, 0, head, TRACE_PROBE_BYTES, err);
	file_at_close(file);
	return *nr < 0 ? -1 : 0;
}

static int find_format(const char *path, const struct trace_format **format, struct err *err)
{
	unsigned char head[TRACE_PROBE_BYTES];
	int64_t nr;
	int best = 0;

	if (fs_is_dir(path))
		return refuse_directory(path, err);
	if (read_head(path, head, &nr, err))
		return -1;
	if (!nr)
		return err_set(err, ERR_UNSUPPORTED, "'%s' is empty", path);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		int bid = formats[i]->probe(head, (size_t)nr);

		if (bid > best) {
			best = bid;
			*format = formats[i];
		}
	}
	return best ? 0 : refuse_unknown(path, head, (size_t)nr, err);
}

/* The common format of all files. */
static int find_formats(const struct strvec *paths, const struct trace_format **format,
			struct err *err)
{
	if (find_format(paths->v[0], format, err))
		return -1;
	if (paths->nr > 1 && !(*format)->many)
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is %s: a recording has only one such file, give only that one",
			       paths->v[0], (*format)->name);
	for (size_t i = 1; i < paths->nr; i++) {
		const struct trace_format *other;

		if (find_format(paths->v[i], &other, err))
			return -1;
		if (other != *format)
			return err_set(err, ERR_UNSUPPORTED,
				       "'%s' and '%s' are not of one recording: %s and %s",
				       paths->v[0], paths->v[i], (*format)->name, other->name);
	}
	return 0;
}

int trace_reader_open(const struct strvec *paths, const struct trace_options *options,
		      struct trace_reader **reader, struct err *err)
{
	const struct trace_format *format;
	struct trace_reader *made;

	if (find_formats(paths, &format, err))
		return -1;
	made = xcalloc(1, sizeof(*made));
	made->format = format;
	made->paths = (struct strvec)STRVEC_INIT;
	strvec_push_all(&made->paths, paths);
	trace_facts_init(&made->facts);
	if (format->open(paths, options, &made->facts, &made->reader, err)) {
		trace_reader_free(made);
		return -1;
	}
	*reader = made;
	return 0;
}

int trace_reader_again(struct trace_reader *reader, const struct trace_options *options,
		       struct err *err)
{
	const struct trace_format *format = reader->format;

	if (format->again)
		return format->again(reader->reader, options, err);
	format->free(reader->reader);
	reader->reader = NULL;
	trace_facts_release(&reader->facts);
	return format->open(&reader->paths, options, &reader->facts, &reader->reader, err);
}

int trace_reader_next(struct trace_reader *reader, const struct trace_event **events, size_t *nr,
		      struct err *err)
{
	return reader->format->next(reader->reader, events, nr, err);
}

const struct trace_facts *trace_reader_facts(const struct trace_reader *reader)
{
	return &reader->facts;
}

void trace_reader_set_counts(struct trace_reader *reader, const struct trace_counters *counters,
			     const struct trace_event_count *counts, size_t nr)
{
	struct trace_facts *facts = &reader->facts;

	facts->counters = *counters;
	for (size_t i = 0; i < nr; i++) {
		if (i >= facts->counts_nr)
			trace_facts_add_count(facts, xstrdup(counts[i].name), 0, counts[i].stacks);
		facts->counts[i].nr = counts[i].nr;
		facts->counts[i].lost = counts[i].lost;
	}
}

void trace_reader_free(struct trace_reader *reader)
{
	if (!reader)
		return;
	reader->format->free(reader->reader);
	trace_facts_release(&reader->facts);
	strvec_release(&reader->paths);
	free(reader);
}
