#include "platform/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "platform/owner.h"
#include "platform/stream.h"
#include "util/alloc.h"
#include "util/array.h"

struct output {
	char *dir;  /* NULL: a FIFO or a device */
	char *name; /* in `dir`, and so is: */
	char *partial;
	char *path; /* of `partial`, for messages */
	FILE *file;
	int mode;          /* -1: as it was created */
	unsigned int kind; /* of enum output_kind */
};

static int refuse(const char *path, enum below_kind found, unsigned int kind, struct err *err)
{
	int errnum = errno;

	if (found == BELOW_FILE && owner_is_ours(path))
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' exists: choose another name, or replace it with --force",
			       path);
	if (found == BELOW_DIR)
		return err_set(err, ERR_USAGE, "'%s' is a directory: give the name of a file",
			       path);
	if (found == BELOW_LINK)
		return err_set(err, ERR_UNSUPPORTED,
			       "cannot write '%s': it is a link; give the name of the file that it "
			       "leads to",
			       path);
	if (found == BELOW_FILE)
		return err_set(err, ERR_UNSUPPORTED,
			       "cannot write '%s': it belongs to another user; remove it first, or "
			       "choose another name",
			       path);
	if (found == BELOW_UNKNOWN)
		return err_set_errno(err, errnum, "cannot write '%s'", path);
	return err_set(err, ERR_UNSUPPORTED, "cannot write '%s': it is not a regular file%s", path,
		       !(kind & OUTPUT_PRIVATE) ? "" : ", which this format needs");
}

/* Check what is at `name` in `dir` already. */
static int check_name(const char *dir, const char *name, unsigned int kind, struct err *err)
{
	char *path = fs_join(dir, name);
	bool is_dir = fs_is_dir(path) && !fs_is_link(path); /* also "..", or no name at all */
	enum below_kind found = is_dir ? BELOW_DIR : below_find(dir, name);
	int rc = 0;

	if (found != BELOW_NOTHING &&
	    !(found == BELOW_FILE && kind & OUTPUT_REPLACE && owner_is_ours(path)))
		rc = refuse(path, found, kind, err);
	free(path);
	return rc;
}

static bool takes_stream(const char *path, unsigned int kind)
{
	return !(kind & OUTPUT_PRIVATE) && fs_is_stream(path);
}

static int check_stream(const char *path, struct err *err)
{
	if (stream_is_ours(path))
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "cannot write '%s': another user chose where it leads; remove it first, or "
		       "choose another name",
		       path);
}

static int check_place(const struct output *output, const char *path, unsigned int kind,
		       struct err *err)
{
	if (!fs_is_dir(output->dir))
		return err_set(err, ERR_NOT_FOUND, "there is no directory '%s' to write '%s' to",
			       output->dir, path);
	if (check_name(output->dir, output->name, kind, err))
		return -1;
	return check_name(output->dir, output->partial, kind | OUTPUT_REPLACE, err);
}

static void output_init(struct output *output, const char *path, unsigned int kind)
{
	*output = (struct output){
		.mode = -1,
		.kind = kind,
		.dir = fs_dirname(path),
		.name = xstrdup(fs_file_name(path)),
	};
	output->partial = xasprintf("%s.partial", output->name);
	output->path = fs_join(output->dir, output->partial);
}

static void release(struct output *output)
{
	free(output->dir);
	free(output->name);
	free(output->partial);
	free(output->path);
}

/* Is `path` the directory or below it? Both are results of fs_absolute(). */
static bool is_in(const char *path, const char *dir)
{
	char *at = xstrdup(path);
	bool found, last = false;

	while (!(found = !strcmp(at, dir)) && !last) {
		char *above = fs_dirname(at);

		last = !strcmp(above, at);
		free(at);
		at = above;
	}
	free(at);
	return found;
}

static int check_inputs(const struct output *output, const char *path, const struct strvec *inputs,
			struct err *err)
{
	char *dir = fs_absolute(output->dir);
	const char *written[] = { path, output->path };
	char *absolute[] = { fs_absolute(path), fs_absolute(output->path) };
	int rc = 0;

	for (size_t i = 0; i < inputs->nr && !rc; i++) {
		char *input = fs_absolute(inputs->v[i]);

		for (size_t k = 0; k < ARRAY_SIZE(written) && !rc; k++) {
			if (input && absolute[k] && !strcmp(input, absolute[k]))
				rc = err_set(err, ERR_USAGE,
					     "'%s' is what is read: choose another name to write "
					     "to",
					     written[k]);
		}
		if (!rc && input && dir && fs_is_dir(input) && is_in(dir, input))
			rc = err_set(err, ERR_USAGE,
				     "'%s' is inside the run: choose a place outside it", path);
		free(input);
	}
	free(dir);
	for (size_t k = 0; k < ARRAY_SIZE(absolute); k++)
		free(absolute[k]);
	return rc;
}

int output_check(const char *path, unsigned int kind, const struct strvec *inputs, struct err *err)
{
	struct output output;
	int rc;

	if (kind & OUTPUT_PRIVATE && !strcmp(path, "-"))
		return err_set(err, ERR_USAGE,
			       "this cannot be written to '-', which is stdout: give the name of a "
			       "file, './-' for one called so");
	if (takes_stream(path, kind))
		return check_stream(path, err);
	output_init(&output, path, kind);
	rc = inputs ? check_inputs(&output, path, inputs, err) : 0;
	if (!rc)
		rc = check_place(&output, path, kind, err);
	release(&output);
	return rc;
}

/* One that an interrupted command has left is replaced. */
static int create(struct output *output, unsigned int kind, struct err *err)
{
	if (below_remove(output->dir, output->partial, err))
		return -1;
	if (kind & OUTPUT_PRIVATE) {
		output->file = below_create(output->dir, output->partial, err);
		if (!output->file)
			return -1;
	} else {
		output->file = fs_open(output->path, "wbx");
		if (!output->file)
			return err_set_errno(err, errno, "cannot write '%s'", output->path);
	}
	cost_set_unfinished(output->path);
	return 0;
}

int output_open(const char *path, unsigned int kind, struct output **output, struct err *err)
{
	struct output *made = xcalloc(1, sizeof(*made));
	int rc = 0;

	if (takes_stream(path, kind)) {
		made->path = xstrdup(path);
		rc = check_stream(path, err);
		if (!rc)
			made->file = stream_open(path);
		if (!rc && !made->file)
			rc = err_set_errno(err, errno, "cannot write '%s'", path);
	} else {
		output_init(made, path, kind);
		rc = check_place(made, path, kind, err);
		if (!rc)
			rc = create(made, kind, err);
	}
	if (rc) {
		release(made);
		free(made);
		return -1;
	}
	*output = made;
	return 0;
}

void output_set_mode(struct output *output, int mode)
{
	output->mode = mode;
}

FILE *output_stream(struct output *output)
{
	return output->file;
}

const char *output_path(const struct output *output)
{
	return output->path;
}

static int close_file(struct output *output, struct err *err)
{
	bool failed = ferror(output->file);
	int rc;

	/* What failed before fails again, with its reason. */
	errno = 0;
	rc = fs_sync(output->file, output->path, err);
	if (failed && !rc)
		rc = err_set_errno(err, EIO, "cannot write '%s'", output->path);
	errno = 0;
	if (fclose(output->file) && !rc)
		rc = err_set_errno(err, errno, "cannot write '%s'", output->path);
	output->file = NULL;
	return rc;
}

int output_finish(struct output *output, struct err *err)
{
	struct err ignored = ERR_INIT;
	struct owner owner;

	if (close_file(output, err))
		return -1;
	if (!output->partial)
		return 0;
	/* Some file systems have neither owners nor permissions. */
	owner = owner_in(output->dir);
	if (owner_give(output->path, &owner, output->mode, &ignored))
		err_clear(&ignored);
	/* Checked again: another program may have put something there meanwhile. */
	if (check_name(output->dir, output->name, output->kind, err) ||
	    below_rename(output->dir, output->partial, output->name, err))
		return -1;
	cost_set_unfinished(NULL);
	free(output->partial);
	output->partial = NULL;
	return 0;
}

void output_free(struct output *output)
{
	struct err ignored = ERR_INIT;

	if (!output)
		return;
	if (output->file)
		fclose(output->file);
	if (output->partial) {
		cost_set_unfinished(NULL);
		if (below_remove(output->dir, output->partial, &ignored))
			err_clear(&ignored);
	}
	release(output);
	free(output);
}
