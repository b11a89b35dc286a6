#include "cli/result_file.h"

#include <string.h>

#include "cli/view_progress.h"
#include "util/array.h"
#include "util/ascii.h"
#include "util/strbuf.h"

/* Endings that stand for a format, whether this program writes it or not. */
static const char *const known_endings[] = {
	".csv", ".etl",       ".folded", ".html", ".json", ".pb",
	".pdf", ".perf.data", ".png",    ".svg",  ".xlsx", ".zip",
};

#define PACKED ".gz"

bool result_file_is_stdout(const char *path)
{
	return !path || !strcmp(path, "-");
}

static bool ends_with(const char *text, size_t len, const char *ending)
{
	size_t ending_len = strlen(ending);

	if (len <= ending_len)
		return false;
	for (text += len - ending_len; *ending; text++, ending++) {
		if (ascii_lower(*text) != ascii_lower(*ending))
			return false;
	}
	return true;
}

static bool is_packed(const char *path)
{
	return ends_with(path, strlen(path), PACKED);
}

static bool has_ending(const char *path, const char *ending)
{
	return ends_with(path, strlen(path) - (is_packed(path) ? strlen(PACKED) : 0), ending);
}

/* Whether the last part of an ending is that of the path: ".json" of ".speedscope.json". */
static bool has_last_ending(const char *path, const char *ending)
{
	return has_ending(path, strrchr(ending, '.'));
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

/* The ending is the last part of those of some formats: which one? */
static int refuse_unclear(const char *path, const char *ending, const struct opt_choices *formats,
			  struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; name_at(formats, i); i++) {
		if (has_last_ending(path, formats->ending(i)))
			strbuf_addf(&names, "%s%s", nr++ ? ", " : "", name_at(formats, i));
	}
	if (nr)
		err_set(err, ERR_USAGE,
			"a file *%s may be of several formats: give --format, of %s", ending,
			names.buf);
	strbuf_release(&names);
	return nr ? -1 : 0;
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
	if (result_file_is_stdout(path) ||
	    (given >= 0 && has_ending(path, formats->ending((size_t)given))))
		return 0;
	/* "x.json" is fine for a format with ".speedscope.json", if it is asked for. */
	if (given >= 0 && has_last_ending(path, formats->ending((size_t)given)))
		return 0;
	/* Of ".json" and ".speedscope.json" the longer one. */
	for (int i = 0; name_at(formats, (size_t)i); i++) {
		if (has_ending(path, formats->ending((size_t)i)) &&
		    (named < 0 ||
		     strlen(formats->ending((size_t)i)) > strlen(formats->ending((size_t)named))))
			named = i;
	}
	if (named >= 0 && given >= 0)
		return err_set(err, ERR_USAGE,
			       "--format %s and the name '%s' do not agree: it is that of %s",
			       name_at(formats, (size_t)given), path,
			       name_at(formats, (size_t)named));
	for (size_t i = 0; named < 0 && i < ARRAY_SIZE(known_endings); i++) {
		if (has_ending(path, known_endings[i]))
			return refuse_unclear(path, known_endings[i], formats, err)
				       ? -1
				       : refuse_ending(path, known_endings[i], formats, err);
	}
	if (named >= 0)
		*format = named;
	return 0;
}

int result_file_check_option(const char *path, const struct strvec *inputs,
			     const struct opt_choices *formats, struct err *err)
{
	const char *last = inputs->nr > 1 ? inputs->v[inputs->nr - 1] : "";

	for (size_t i = 0; !path && name_at(formats, i); i++) {
		if (has_last_ending(last, formats->ending(i)))
			return err_set(err, ERR_USAGE,
				       "'%s' is no trace: to write a file of that name, give -o "
				       "'%s'",
				       last, last);
	}
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
	return result_file_is_stdout(path) ? 0 : output_check(path, kind_of(force), inputs, err);
}

int result_file_open(struct result_file *file, const char *path, bool force, bool packed,
		     struct err *err)
{
	*file = (struct result_file){ .out = stdout };
	view_progress_wipe();
	if (!result_file_is_stdout(path)) {
		if (output_open(path, kind_of(force), &file->output, err))
			return -1;
		file->out = output_stream(file->output);
		packed |= is_packed(path);
	}
	if (!packed)
		return 0;
	if (gzip_stream_open(file->out, &file->packed, err)) {
		output_free(file->output);
		return -1;
	}
	file->out = gzip_stream_file(file->packed);
	return 0;
}

int result_file_close(struct result_file *file, int rc, struct err *err)
{
	if (file->packed && gzip_stream_close(file->packed, err) && !rc)
		rc = -1;
	if (file->output && !rc)
		rc = output_finish(file->output, err);
	output_free(file->output);
	return rc ? -1 : 0;
}
