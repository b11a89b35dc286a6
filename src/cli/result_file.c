#include "cli/result_file.h"

#include <string.h>

#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

/* Endings that stand for a format, whether this program writes it or not. */
static const char *const known_endings[] = {
	".csv", ".etl",       ".folded", ".gz",  ".html", ".json", ".pb",
	".pdf", ".perf.data", ".png",    ".svg", ".xlsx", ".zip",
};

static bool has_ending(const char *path, const char *ending)
{
	size_t len = strlen(path), ending_len = strlen(ending);

	return len > ending_len && text_equal_fold(path + len - ending_len, ending);
}

static const char *name_at(const struct opt_choices *formats, size_t i)
{
	return formats->words ? formats->words[i] : formats->name(i);
}

static void add_names(struct strbuf *sb, const struct opt_choices *formats)
{
	for (size_t i = 0; name_at(formats, i); i++)
		strbuf_addf(sb, "%s%s",
			    !i                        ? ""
			    : name_at(formats, i + 1) ? ", "
						      : " or ",
			    name_at(formats, i));
}

static int refuse_ending(const char *path, const char *ending, const struct opt_choices *formats,
			 struct err *err)
{
	struct strbuf names = STRBUF_INIT;

	add_names(&names, formats);
	err_set(err, ERR_USAGE, "'%s' cannot be written: this command writes %s, not %s", path,
		names.buf, ending + 1);
	strbuf_release(&names);
	return -1;
}

int result_file_format(const char *path, const struct opt_choices *formats, int given, int *format,
		       struct err *err)
{
	int named = -1;

	*format = given < 0 ? 0 : given;
	if (!path || (given >= 0 && has_ending(path, formats->ending((size_t)given))))
		return 0;
	for (int i = 0; named < 0 && name_at(formats, (size_t)i); i++) {
		if (has_ending(path, formats->ending((size_t)i)))
			named = i;
	}
	if (named >= 0 && given >= 0)
		return err_set(err, ERR_USAGE,
			       "--format %s and the name '%s' do not agree: it is that of %s",
			       name_at(formats, (size_t)given), path,
			       name_at(formats, (size_t)named));
	for (size_t i = 0; named < 0 && i < ARRAY_SIZE(known_endings); i++) {
		if (has_ending(path, known_endings[i]))
			return refuse_ending(path, known_endings[i], formats, err);
	}
	if (named >= 0)
		*format = named;
	return 0;
}

static unsigned int kind_of(bool force)
{
	return OUTPUT_STREAM | (force ? OUTPUT_REPLACE : 0);
}

int result_file_check(const char *path, bool force, const struct strvec *inputs, struct err *err)
{
	if (path && !*path)
		return err_set(err, ERR_USAGE, "--output takes the name of a file, not ''");
	return path ? output_check(path, kind_of(force), inputs, err) : 0;
}

int result_file_open(struct result_file *file, const char *path, bool force, struct err *err)
{
	*file = (struct result_file){ .out = stdout };
	if (!path)
		return 0;
	if (output_open(path, kind_of(force), &file->output, err))
		return -1;
	file->out = output_stream(file->output);
	return 0;
}

int result_file_close(struct result_file *file, int rc, struct err *err)
{
	if (file->output && !rc)
		rc = output_finish(file->output, err);
	output_free(file->output);
	return rc ? -1 : 0;
}
