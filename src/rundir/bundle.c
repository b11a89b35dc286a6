/*
 * Each file is a libzip source that reads the file once, in pieces, scrubs and hashes it, and compares the hash with the
 * manifest.
 */
#include "rundir/bundle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zip.h>

#include "platform/below.h"
#include "platform/cost.h"
#include "platform/fs.h"
#include "platform/output.h"
#include "rundir/hash.h"
#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "rundir/scrub_run.h"
#include "rundir/zip_target.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"
#include "util/utf8.h"

#define READ_SIZE ((size_t)256 * 1024)
#define LINE_MAX \
	((size_t)64 * 1024 * 1024) /* longer lines, and larger files in UTF-16, are not scrubbed */
#define NAMED_MAX    100           /* files that are left out; more are counted */
#define REPORT_BYTES ((int64_t)4 * 1024 * 1024)

/* Compresses a perf.data of 497 MB to 49.7 MB in 1.9 s; zlib's default level needs 4.1 s for 45.4 MB. */
#define DEFLATE_LEVEL 3

/* The Unix mode of a regular file; a zip has it in the upper half of the external attributes. */
#define MODE_FILE UINT32_C(0100000)

/* "UT", the extra field with a file's time in UTC: zip's standard field has local time in steps of 2 s. */
#define EXTRA_TIME 0x5455

struct pack;

struct member {
	struct pack *pack;
	char *path;                         /* in the run */
	char *file_path;                    /* for messages */
	FILE *file;                         /* while it is read */
	const struct manifest_file *listed; /* NULL: not in the manifest */
	int64_t size;
	time_t mtime;
	struct hash hash; /* of the bytes on disk */
	int64_t read;     /* bytes so far */
	bool whole;

	struct scratch_file *instead; /* its new content, borrowed; NULL: none */
	bool changes; /* it is scrubbed: its size in the bundle is not known before */
	enum scrub_content content;
	struct scrub_lines lines;
	struct strbuf in; /* bytes to be scrubbed */

	struct hash hash_out; /* of the bytes in the bundle, if they are scrubbed */
	struct strbuf out;    /* bytes to give */
	size_t given;         /* of these */
	int64_t size_out;
	char sha256[HASH_TEXT_SIZE];
};

/* One bundle while it is written. */
struct pack {
	const struct bundle_options *options;
	const char *dir; /* of the run */
	struct manifest manifest;
	struct strbuf manifest_text; /* the file on disk */
	bool rewrite;                /* the bundle needs a changed manifest */
	struct member *members;      /* the manifest is the last one */
	size_t nr;
	int64_t total, done; /* bytes */
	int64_t reported;
	struct err *err; /* a source's error, which libzip cannot carry */
	bool failed;
};

/* Set up `member` for the file `path` of `dir`, with its size and time. */
static int member_init(struct member *member, struct pack *pack, const char *dir, const char *path,
		       struct err *err)
{
	*member = (struct member){
		.pack = pack, .path = xstrdup(path), .in = STRBUF_INIT, .out = STRBUF_INIT
	};
	member->file_path = fs_join(dir, path);
	member->size = below_size(dir, path);
	member->mtime = (time_t)below_time(dir, path);
	if (member->size < 0)
		return err_set(err, ERR_NOT_FOUND, "cannot read '%s': it was removed",
			       member->file_path);
	return 0;
}

static void close_file(struct member *member)
{
	if (member->file)
		fclose(member->file);
	member->file = NULL;
}

static void member_release(struct member *member)
{
	close_file(member);
	strbuf_release(&member->in);
	strbuf_release(&member->out);
	free(member->path);
	free(member->file_path);
}

static zip_int64_t fail(struct member *member)
{
	member->pack->failed = true;
	return -1;
}

static zip_int64_t open_file(struct member *member)
{
	hash_init(&member->hash);
	hash_init(&member->hash_out);
	member->read = 0;
	member->whole = false;
	member->given = 0;
	member->size_out = 0;
	strbuf_clear(&member->in);
	strbuf_clear(&member->out);
	close_file(member);
	if (member->changes)
		scrub_lines_init(&member->lines, member->pack->options->scrub, member->path);
	if (member->instead)
		return 0;
	member->file = below_open(member->pack->dir, member->path, "rb", member->pack->err);
	return member->file ? 0 : fail(member);
}

/* The size and hash of what was read are those of the manifest. */
static int compare(const struct member *member, struct err *err)
{
	const struct manifest_file *listed = member->listed;

	if (!listed)
		return 0;
	if (listed->size >= 0 && listed->size != member->read)
		return err_set(err, ERR_CORRUPT,
			       "'%s' has changed since the recording: %" PRId64
			       " bytes, but the manifest says %" PRId64,
			       member->file_path, member->read, listed->size);
	if (*listed->sha256 && strcmp(listed->sha256, member->sha256) != 0)
		return err_set(err, ERR_CORRUPT,
			       "'%s' has changed since the recording: its SHA-256 differs from the "
			       "manifest's",
			       member->file_path);
	return 0;
}

/* At the end of the file. */
static int check(struct member *member)
{
	struct err *err = member->pack->err;

	hash_text(&member->hash, member->sha256);
	member->whole = true;
	if (member->read != member->size)
		return err_set(err, ERR_FAILED, "'%s' changed while it was packed",
			       member->file_path);
	return compare(member, err);
}

static bool is_stopped(struct pack *pack, int64_t more)
{
	const struct bundle_options *options = pack->options;

	pack->done += more;
	if (!options->progress || pack->done - pack->reported < REPORT_BYTES)
		return false;
	pack->reported = pack->done;
	return !options->progress->show(options->progress->data, pack->done, pack->total);
}

/* Read from the file, or from its new content. */
static zip_int64_t read_some(struct member *member, void *data, size_t len)
{
	zip_int64_t got;

	if (member->instead) {
		got = member->size - member->read < (int64_t)len ? member->size - member->read
								 : (int64_t)len;
		if (scratch_file_read(member->instead, (uint64_t)member->read, data, (size_t)got,
				      member->pack->err))
			return fail(member);
		return got;
	}
	got = (zip_int64_t)fread(data, 1, len, member->file);
	if (!ferror(member->file))
		return got;
	err_set_errno(member->pack->err, errno, "cannot read '%s'", member->file_path);
	return fail(member);
}

/* Read unchanged bytes; 0 at the end, which is checked. */
static zip_int64_t read_file(struct member *member, void *data, size_t len)
{
	zip_int64_t got = read_some(member, data, len);

	if (got < 0)
		return -1;
	if (!got)
		return !member->whole && check(member) ? fail(member) : 0;
	hash_add(&member->hash, data, (size_t)got);
	member->read += got;
	if (is_stopped(member->pack, got)) {
		err_set(member->pack->err, ERR_FAILED, "stopped");
		return fail(member);
	}
	return got;
}

/* Scrub the whole lines that were read. */
static int scrub_more(struct member *member)
{
	bool utf16 = member->content == SCRUB_CONTENT_UTF16;
	struct strbuf *in = &member->in;
	size_t nr = in->len;

	if (!member->whole) {
		while (nr && (utf16 || in->buf[nr - 1] != '\n'))
			nr--;
		if (in->len - nr > LINE_MAX)
			return err_set(member->pack->err, ERR_UNSUPPORTED,
				       "'%s' cannot be scrubbed, as it has a line of more than "
				       "64 MB: remove it from the run first",
				       member->file_path);
	}
	if (member->whole && utf16)
		scrub_from_utf16(in);
	scrub_lines_add(&member->lines, in->buf, member->whole ? in->len : nr, &member->out);
	if (member->whole)
		nr = in->len;
	memmove(in->buf, in->buf + nr, in->len - nr);
	strbuf_set_len(in, in->len - nr);
	return 0;
}

/* Read one more piece into `out`, which is empty. */
static int fill(struct member *member)
{
	struct strbuf *to = member->changes ? &member->in : &member->out;
	zip_int64_t got;

	strbuf_clear(&member->out);
	member->given = 0;
	strbuf_grow(to, READ_SIZE);
	got = read_file(member, to->buf + to->len, READ_SIZE);
	if (got < 0)
		return -1;
	strbuf_set_len(to, to->len + (size_t)got);
	if (member->changes && scrub_more(member))
		return (int)fail(member);
	member->size_out += (int64_t)member->out.len;
	if (member->changes)
		hash_add(&member->hash_out, member->out.buf, member->out.len);
	if (member->changes && member->whole)
		hash_text(&member->hash_out, member->sha256);
	return 0;
}

/* libzip asks for 8 KB at a time; the file is read in larger pieces. */
static zip_int64_t give(struct member *member, void *data, size_t len)
{
	size_t left;

	while (member->given == member->out.len && !member->whole) {
		if (fill(member))
			return -1;
	}
	left = member->out.len - member->given;
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
	st->valid = ZIP_STAT_MTIME | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
	if (!member->changes)
		st->valid |= ZIP_STAT_SIZE;
	return sizeof(*st);
}

static zip_int64_t give_error(void *data, zip_uint64_t len)
{
	zip_error_t error;
	zip_int64_t ret;

	/* The message is in the pack. */
	zip_error_init(&error);
	zip_error_set(&error, ZIP_ER_READ, 0);
	ret = zip_error_to_data(&error, data, len);
	zip_error_fini(&error);
	return ret;
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
		close_file(member);
		return 0;
	case ZIP_SOURCE_STAT:
		return give_stat(member, data);
	case ZIP_SOURCE_ERROR:
		return give_error(data, len);
	case ZIP_SOURCE_SUPPORTS:
		return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
						      ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
						      ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
	case ZIP_SOURCE_FREE:
		return 0;
	default:
		return -1;
	}
}

/* A path or name of the run, scrubbed like the manifest in the bundle. */
static char *path_in_bundle(const struct pack *pack, const char *path)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, path);
	if (pack->options->scrub)
		scrub_text(pack->options->scrub, &sb, SCRUB_TEXT);
	return strbuf_detach(&sb);
}

/* List the packed files in the manifest. All of them have been read. */
static void list_files(struct pack *pack)
{
	struct manifest *manifest = &pack->manifest;

	manifest_drop_files(manifest);
	for (size_t i = 0; i + 1 < pack->nr; i++) {
		struct member *member = &pack->members[i];

		char *path = path_in_bundle(pack, member->path);

		manifest_add_file(manifest, path, member->size_out, member->sha256);
		free(path);
		member->listed = NULL;
	}
}

static void add_warnings(struct pack *pack)
{
	const struct strvec *warnings = pack->options->stack_warnings;

	for (size_t i = 0; warnings && i < warnings->nr; i++)
		manifest_add_stack_warning(&pack->manifest, true, true, warnings->v[i]);
}

/* Once all other members were read. */
static void make_manifest(struct member *member)
{
	struct pack *pack = member->pack;
	char *text;

	if (!pack->rewrite) {
		strbuf_add(&member->out, pack->manifest_text.buf, pack->manifest_text.len);
	} else {
		list_files(pack);
		add_warnings(pack);
		if (pack->options->scrub)
			scrub_manifest(pack->options->scrub, &pack->manifest);
		text = manifest_text(&pack->manifest);
		strbuf_adds(&member->out, text);
		free(text);
	}
	member->size = (int64_t)member->out.len;
	member->whole = true;
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
		return give(member, data, (size_t)len);
	case ZIP_SOURCE_CLOSE:
		return 0;
	case ZIP_SOURCE_STAT:
		/* Called by libzip before it reads the manifest, the last member. */
		if (!member->whole)
			make_manifest(member);
		return give_stat(member, data);
	default:
		return file_command(state, data, len, command);
	}
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && path[len] == '/';
}

bool bundle_is_trace(const char *path)
{
	return !strcmp(path, RUN_PERF_DATA) || !strcmp(path, RUN_STACK_COPIES) ||
	       text_ends_with(path, ".etl");
}

static bool is_left_out(const struct pack *pack, const char *path)
{
	const struct bundle_options *options = pack->options;

	if (!strcmp(path, RUN_MANIFEST) || text_ends_with(path, RUN_PARTIAL))
		return true;
	if (!strcmp(path, RUN_STACK_COPIES) && !options->with_stack_copies)
		return true;
	if (options->without_trace && bundle_is_trace(path))
		return true;
	if (options->trace.distilled && !strcmp(path, RUN_SYMBOLS "/stacks.txt"))
		return true;
	return options->without_symbols && is_below(path, RUN_SYMBOLS);
}

static int by_path(const void *a, const void *b)
{
	const struct manifest_file *const *fa = a, *const *fb = b;

	return strcmp((*fa)->path, (*fb)->path);
}

/* Find each member's entry in the manifest; an entry without a member is a missing file. */
static int match_files(struct pack *pack, struct err *err)
{
	const struct manifest *manifest = &pack->manifest;
	const struct manifest_file **sorted = xcalloc(manifest->files_nr + 1, sizeof(*sorted));
	size_t at = 0;
	int ret = 0;

	for (size_t i = 0; i < manifest->files_nr; i++)
		sorted[i] = &manifest->files[i];
	qsort(sorted, manifest->files_nr, sizeof(*sorted), by_path);
	for (size_t i = 0; i < manifest->files_nr && !ret; i++) {
		const char *path = sorted[i]->path;

		if (is_left_out(pack, path)) {
			pack->rewrite = true;
			continue;
		}
		while (at + 1 < pack->nr && strcmp(pack->members[at].path, path) < 0)
			at++;
		if (at + 1 < pack->nr && !strcmp(pack->members[at].path, path))
			pack->members[at].listed = sorted[i];
		else
			ret = err_set(err, ERR_CORRUPT,
				      "'%s' is missing, but the manifest lists it", path);
	}
	free(sorted);
	return ret;
}

static int add_members(struct pack *pack, const char *dir, struct err *err)
{
	struct strvec files = STRVEC_INIT;
	int ret = below_list(dir, &files, err);

	pack->members = xcalloc(files.nr + 1, sizeof(*pack->members));
	for (size_t i = 0; i < files.nr && !ret; i++) {
		if (is_left_out(pack, files.v[i]))
			continue;
		ret = member_init(&pack->members[pack->nr++], pack, dir, files.v[i], err);
	}
	strvec_release(&files);
	if (!ret)
		ret = member_init(&pack->members[pack->nr++], pack, dir, RUN_MANIFEST, err);
	return ret;
}

/* The trace in the bundle is another one; the run's must be as its manifest says nevertheless. */
static int replace_trace(struct pack *pack, struct err *err)
{
	const struct bundle_trace *trace = &pack->options->trace;

	for (size_t i = 0; i + 1 < pack->nr && trace->file; i++) {
		struct member *member = &pack->members[i];

		if (strcmp(member->path, RUN_PERF_DATA) != 0)
			continue;
		if (hash_file(pack->dir, member->path, member->sha256, &member->read, err) ||
		    compare(member, err))
			return -1;
		member->instead = trace->file;
		member->size = trace->size;
		member->listed = NULL;
		pack->rewrite = true;
	}
	return 0;
}

/* List a file that is left out. */
static void note_left_out(const struct pack *pack, const char *path, bool named)
{
	struct strbuf what = STRBUF_INIT;
	char *shown = path_in_bundle(pack, path);

	if (named)
		utf8_add_printable(&what, shown);
	strbuf_adds(&what, named ? ", a file that is no text" : "more files that are no text");
	scrub_note(pack->options->scrub, what.buf, 1);
	strbuf_release(&what);
	free(shown);
}

/* Decide how each file is scrubbed; those that cannot be are left out. */
static int choose_scrubbing(struct pack *pack, struct err *err)
{
	struct scrub *scrub = pack->options->scrub;
	size_t kept = 0, left_out = 0;
	int rc = 0;

	for (size_t i = 0; i + 1 < pack->nr && !rc; i++) {
		struct member *member = &pack->members[i];

		member->changes = !member->instead;
		if (member->instead)
			continue;
		if (bundle_is_trace(member->path))
			rc = err_set(err, ERR_UNSUPPORTED,
				     "'%s' cannot be scrubbed: --without-trace leaves the trace "
				     "out of the bundle",
				     member->file_path);
		else
			rc = scrub_look(scrub, pack->dir, member->path, &member->content, err);
	}
	for (size_t i = 0; i < pack->nr; i++) {
		struct member *member = &pack->members[i];

		if (member->changes && member->content == SCRUB_CONTENT_OTHER) {
			note_left_out(pack, member->path, left_out++ < NAMED_MAX);
			member_release(member);
		} else {
			pack->members[kept++] = *member;
		}
	}
	pack->nr = kept;
	return rc;
}

static int pack_init(struct pack *pack, const char *dir, struct err *err)
{
	const struct bundle_options *options = pack->options;
	char *path = fs_join(dir, RUN_MANIFEST);
	int ret = below_read(dir, RUN_MANIFEST, MANIFEST_MAX, &pack->manifest_text, err);

	if (!ret)
		ret = manifest_parse(pack->manifest_text.buf, pack->manifest_text.len, path,
				     &pack->manifest, err);
	free(path);
	if (ret || add_members(pack, dir, err) || match_files(pack, err) ||
	    replace_trace(pack, err) || (options->scrub && choose_scrubbing(pack, err)))
		return -1;
	pack->rewrite |= options->scrub != NULL;
	pack->rewrite |= options->stack_warnings && options->stack_warnings->nr;
	for (size_t i = 0; i + 1 < pack->nr; i++) {
		const struct manifest_file *listed = pack->members[i].listed;

		pack->total += pack->members[i].size;
		pack->rewrite |= !listed || listed->size < 0 || !*listed->sha256;
	}
	cost_allow((uint64_t)pack->total);
	return 0;
}

static void pack_release(struct pack *pack)
{
	for (size_t i = 0; i < pack->nr; i++)
		member_release(&pack->members[i]);
	free(pack->members);
	manifest_release(&pack->manifest);
	strbuf_release(&pack->manifest_text);
}

static bool is_compressed(const char *path)
{
	static const char *const suffixes[] = { ".zst", ".gz", ".xz", ".zip", ".bz2", ".png" };

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (text_ends_with(path, suffixes[i]))
			return true;
	}
	return false;
}

static zip_uint32_t file_mode(const struct bundle_options *options)
{
	return options->mode ? (zip_uint32_t)options->mode : 0600;
}

static int set_time(zip_t *zip, zip_uint64_t index, time_t mtime)
{
	uint32_t seconds = (uint32_t)mtime;
	zip_uint8_t data[5] = {
		1, /* flags: has the modification time only */
		(zip_uint8_t)seconds,
		(zip_uint8_t)(seconds >> 8),
		(zip_uint8_t)(seconds >> 16),
		(zip_uint8_t)(seconds >> 24),
	};

	if (mtime < 0 || mtime > INT32_MAX)
		return 0;
	return zip_file_extra_field_set(zip, index, EXTRA_TIME, 0, data, sizeof(data),
					ZIP_FL_LOCAL | ZIP_FL_CENTRAL);
}

static int set_properties(zip_t *zip, zip_uint64_t index, const struct member *member)
{
	bool store = !member->pack->options->compress || is_compressed(member->path);
	bool program = text_ends_with(member->path, ".sh") || fs_is_executable(member->file_path);
	zip_uint32_t mode = MODE_FILE | file_mode(member->pack->options);

	if (program)
		mode |= (mode & 0444) >> 2;

	if (zip_set_file_compression(zip, index, store ? ZIP_CM_STORE : ZIP_CM_DEFLATE,
				     store ? 0 : DEFLATE_LEVEL))
		return -1;
	if (zip_file_set_external_attributes(zip, index, 0, ZIP_OPSYS_UNIX, mode << 16))
		return -1;
	return set_time(zip, index, member->mtime);
}

/* The name in the bundle: the run's folder, then the path. */
static char *name_in_bundle(const struct pack *pack, const char *path)
{
	char *top = path_in_bundle(pack, pack->manifest.name);
	char *below = path_in_bundle(pack, path), *name = xasprintf("%s/%s", top, below);

	free(top);
	free(below);
	return name;
}

static int add_member(zip_t *zip, struct member *member, struct err *err)
{
	bool is_manifest = member == &member->pack->members[member->pack->nr - 1];
	zip_source_t *source;
	zip_error_t error;
	zip_int64_t index;
	char *name;

	zip_error_init(&error);
	/* libzip reads the manifest after all others. */
	source = zip_source_function_create(is_manifest ? manifest_command : file_command, member,
					    &error);
	if (!source) {
		err_set(err, ERR_FAILED, "cannot pack '%s': %s", member->path,
			zip_error_strerror(&error));
		zip_error_fini(&error);
		return -1;
	}
	name = name_in_bundle(member->pack, member->path);
	index = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);
	free(name);
	if (index < 0)
		zip_source_free(source);
	if (index < 0 || set_properties(zip, (zip_uint64_t)index, member))
		return err_set(err, ERR_FAILED, "cannot pack '%s': %s", member->path,
			       zip_strerror(zip));
	return 0;
}

static int stop_when_asked(zip_t *zip, void *data)
{
	const struct pack *pack = data;

	(void)zip;
	return pack->failed;
}

static int write_zip(struct pack *pack, struct output *output, const char *path, struct err *err)
{
	struct zip_target target;
	zip_error_t error;
	zip_t *zip;
	int ret = 0;

	setvbuf(output_stream(output), NULL, _IOFBF, READ_SIZE);
	zip_error_init(&error);
	zip = zip_target_open(&target, output_stream(output), &error);
	if (!zip)
		ret = zip_target_fail(path, &error, err);
	zip_error_fini(&error);
	if (ret)
		return -1;
	zip_register_cancel_callback_with_state(zip, stop_when_asked, NULL, pack);
	for (size_t i = 0; i < pack->nr && !ret; i++)
		ret = add_member(zip, &pack->members[i], err);
	if (!ret && zip_close(zip)) {
		ret = -1;
		if (!pack->failed)
			zip_target_fail(path, zip_get_error(zip), err);
	} else if (!ret) {
		zip = NULL;
	}
	if (zip)
		zip_discard(zip);
	zip_target_release(&target);
	return ret;
}

/* Nor inside the run, where the bundle would contain itself. */
static int check_place(const char *dir, const char *path, struct err *err)
{
	struct strvec inputs = STRVEC_INIT;
	int ret;

	strvec_push(&inputs, dir);
	ret = output_check(path, OUTPUT_PRIVATE, &inputs, err);
	strvec_release(&inputs);
	return ret;
}

int bundle_write(const char *dir, const char *path, const struct bundle_options *options,
		 struct err *err)
{
	struct pack pack = {
		.options = options, .dir = dir, .err = err, .manifest_text = STRBUF_INIT
	};
	struct output *output = NULL;
	int ret = check_place(dir, path, err);

	manifest_init(&pack.manifest);
	if (!ret)
		ret = pack_init(&pack, dir, err);
	if (!ret)
		ret = options->compress ? 0 : zip_target_check_room(path, pack.total, err);
	if (!ret)
		ret = output_open(path, OUTPUT_PRIVATE, &output, err);
	if (!ret) {
		output_set_mode(output, (int)file_mode(options));
		ret = write_zip(&pack, output, path, err);
	}
	if (!ret)
		ret = output_finish(output, err);
	output_free(output);
	if (!ret && options->progress)
		options->progress->show(options->progress->data, pack.total, pack.total);
	if (ret)
		err_wrap(err, "cannot bundle '%s'", dir);
	pack_release(&pack);
	return ret;
}
