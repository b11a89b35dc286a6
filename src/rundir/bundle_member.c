#include "rundir/bundle_member.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "util/alloc.h"

#define READ_SIZE    ((size_t)256 * 1024)
#define REPORT_BYTES ((int64_t)4 * 1024 * 1024)

int member_init(struct member *member, struct pack *pack, const char *dir, const char *path,
		struct err *err)
{
	zip_error_t error;
	zip_stat_t st;

	*member = (struct member){ .pack = pack, .path = xstrdup(path), .out = STRBUF_INIT };
	member->file_path = fs_join(dir, path);
	zip_error_init(&error);
	member->file = zip_source_file_create(member->file_path, 0, -1, &error);
	if (!member->file || zip_source_stat(member->file, &st)) {
		const zip_error_t *why = member->file ? zip_source_error(member->file) : &error;

		err_set(err, ERR_FAILED, "cannot read '%s': %s", member->file_path,
			zip_error_strerror((zip_error_t *)why));
		zip_error_fini(&error);
		return -1;
	}
	zip_error_fini(&error);
	member->size = st.valid & ZIP_STAT_SIZE ? (int64_t)st.size : 0;
	member->mtime = st.valid & ZIP_STAT_MTIME ? st.mtime : 0;
	return 0;
}

void member_release(struct member *member)
{
	zip_source_free(member->file);
	hash_free(member->hash);
	hash_free(member->hash_out);
	strbuf_release(&member->out);
	free(member->path);
	free(member->file_path);
}

static zip_int64_t fail(struct member *member)
{
	member->pack->failed = true;
	return -1;
}

static void start(struct member *member)
{
	hash_free(member->hash);
	hash_free(member->hash_out);
	member->hash = hash_new();
	member->hash_out = member->pack->scrub ? hash_new() : NULL;
	member->read = 0;
	member->whole = false;
	member->given = member->done = 0;
	strbuf_clear(&member->out);
}

static zip_int64_t open_file(struct member *member)
{
	start(member);
	if (zip_source_open(member->file)) {
		err_set(member->pack->err, ERR_FAILED, "cannot read '%s': %s", member->file_path,
			zip_error_strerror(zip_source_error(member->file)));
		return fail(member);
	}
	return 0;
}

/* At the end of the file. */
static int check(struct member *member)
{
	const struct manifest_file *listed = member->listed;
	struct err *err = member->pack->err;
	char sha256[HASH_TEXT_SIZE];

	hash_text(member->hash, sha256);
	memcpy(member->sha256, sha256, sizeof(sha256));
	member->whole = true;
	if (member->read != member->size)
		return err_set(err, ERR_FAILED, "'%s' changed while it was packed",
			       member->file_path);
	if (!listed)
		return 0;
	if (listed->size >= 0 && listed->size != member->read)
		return err_set(err, ERR_CORRUPT,
			       "'%s' is not what was recorded: %" PRId64
			       " bytes, the manifest says %" PRId64,
			       member->file_path, member->read, listed->size);
	if (*listed->sha256 && strcmp(listed->sha256, sha256) != 0)
		return err_set(
			err, ERR_CORRUPT,
			"'%s' is not what was recorded: its SHA-256 differs from the manifest's",
			member->file_path);
	return 0;
}

static bool is_stopped(struct pack *pack, int64_t more)
{
	const struct bundle_options *options = pack->options;

	pack->done += more;
	if (!options->progress || pack->done - pack->reported < REPORT_BYTES)
		return false;
	pack->reported = pack->done;
	return options->progress(pack->done, pack->total, options->data);
}

/* Bytes as they are on disk; 0 at the end, which is checked. */
static zip_int64_t read_file(struct member *member, void *data, size_t len)
{
	struct err *err = member->pack->err;
	zip_int64_t got = zip_source_read(member->file, data, len);

	if (got < 0) {
		err_set(err, ERR_FAILED, "cannot read '%s': %s", member->file_path,
			zip_error_strerror(zip_source_error(member->file)));
		return fail(member);
	}
	if (!got)
		return !member->whole && check(member) ? fail(member) : 0;
	hash_add(member->hash, data, (size_t)got);
	member->read += got;
	if (is_stopped(member->pack, got)) {
		err_set(err, ERR_FAILED, "stopped");
		return fail(member);
	}
	return got;
}

static void scrub_more(struct member *member)
{
	const char *buf = member->out.buf;

	member->done = scrub_part(member->pack->scrub, member->out.buf, member->given,
				  member->out.len, member->whole);
	hash_add(member->hash_out, buf + member->given, member->done - member->given);
	if (member->whole)
		hash_text(member->hash_out, member->sha256);
}

/* Read one more piece; the bytes from `given` to `done` can be given then. */
static int fill(struct member *member)
{
	size_t context = member->pack->scrub ? SCRUB_CONTEXT : 0;
	size_t drop = member->done > context ? member->done - context : 0;
	struct strbuf *out = &member->out;
	zip_int64_t got;

	strbuf_grow(out, READ_SIZE);
	memmove(out->buf, out->buf + drop, out->len - drop);
	strbuf_set_len(out, out->len - drop);
	member->given = member->done - drop;
	got = read_file(member, out->buf + out->len, READ_SIZE);
	if (got < 0)
		return -1;
	strbuf_set_len(out, out->len + (size_t)got);
	member->done = out->len;
	if (member->pack->scrub)
		scrub_more(member);
	return 0;
}

/* libzip asks for 8 KB at a time; the file is read in larger pieces. */
static zip_int64_t give(struct member *member, void *data, size_t len)
{
	size_t left;

	while (member->given == member->done && !member->whole) {
		if (fill(member))
			return -1;
	}
	left = member->done - member->given;
	if (len > left)
		len = left;
	memcpy(data, member->out.buf + member->given, len);
	member->given += len;
	return (zip_int64_t)len;
}

static zip_int64_t give_stat(const struct member *member, void *data)
{
	zip_stat_t *st = data;

	zip_stat_init(st);
	st->size = (zip_uint64_t)member->size;
	st->mtime = member->mtime;
	st->comp_method = ZIP_CM_STORE;
	st->encryption_method = ZIP_EM_NONE;
	st->valid =
		ZIP_STAT_SIZE | ZIP_STAT_MTIME | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
	return sizeof(*st);
}

static zip_int64_t give_error(void *data, zip_uint64_t len)
{
	zip_error_t error;
	zip_int64_t ret;

	/* The reason in words is in the pack. */
	zip_error_init(&error);
	zip_error_set(&error, ZIP_ER_READ, 0);
	ret = zip_error_to_data(&error, data, len);
	zip_error_fini(&error);
	return ret;
}

static zip_int64_t supported(void)
{
	return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
					      ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
					      -1);
}

static zip_int64_t file_command(void *state, void *data, zip_uint64_t len, zip_source_cmd_t command)
{
	struct member *member = state;

	switch (command) {
	case ZIP_SOURCE_OPEN:
		return open_file(member);
	case ZIP_SOURCE_READ:
		return give(member, data, (size_t)len);
	case ZIP_SOURCE_CLOSE:
		zip_source_close(member->file);
		return 0;
	case ZIP_SOURCE_STAT:
		return give_stat(member, data);
	case ZIP_SOURCE_ERROR:
		return give_error(data, len);
	case ZIP_SOURCE_SUPPORTS:
		return supported();
	case ZIP_SOURCE_FREE:
		return 0;
	default:
		return -1;
	}
}

static bool is_manifest(const struct member *member)
{
	return member == &member->pack->members[member->pack->nr - 1];
}

/* The manifest inside: the files that are, as they are. All of them have been read. */
static void list_files(struct pack *pack)
{
	struct manifest *manifest = &pack->manifest;

	for (size_t i = 0; i < manifest->files_nr; i++)
		free(manifest->files[i].path);
	manifest->files_nr = 0;
	for (size_t i = 0; i + 1 < pack->nr; i++) {
		struct member *member = &pack->members[i];

		manifest_add_file(manifest, member->path, member->size, member->sha256);
		member->listed = NULL;
	}
}

static void make_manifest(struct member *member)
{
	struct pack *pack = member->pack;
	char *text;

	strbuf_clear(&member->out);
	member->given = 0;
	if (!pack->rewrite) {
		strbuf_add(&member->out, pack->manifest_text.buf, pack->manifest_text.len);
		return;
	}
	list_files(pack);
	pack->manifest.scrubbed |= pack->scrub != NULL;
	text = manifest_text(&pack->manifest);
	strbuf_adds(&member->out, text);
	free(text);
	if (pack->scrub)
		scrub_text(pack->scrub, &member->out);
}

static zip_int64_t read_manifest(struct member *member, void *data, size_t len)
{
	size_t left = member->out.len - member->given;

	if (len > left)
		len = left;
	memcpy(data, member->out.buf + member->given, len);
	member->given += len;
	return (zip_int64_t)len;
}

static zip_int64_t manifest_command(void *state, void *data, zip_uint64_t len,
				    zip_source_cmd_t command)
{
	struct member *member = state;

	switch (command) {
	case ZIP_SOURCE_OPEN:
		member->given = 0;
		return 0;
	case ZIP_SOURCE_READ:
		return read_manifest(member, data, (size_t)len);
	case ZIP_SOURCE_CLOSE:
		return 0;
	case ZIP_SOURCE_STAT:
		/* libzip asks when it is this one's turn. */
		if (!member->whole)
			make_manifest(member);
		member->whole = true;
		member->size = (int64_t)member->out.len;
		return give_stat(member, data);
	default:
		return file_command(state, data, len, command);
	}
}

zip_source_t *member_source(struct member *member, zip_error_t *error)
{
	return zip_source_function_create(is_manifest(member) ? manifest_command : file_command,
					  member, error);
}
