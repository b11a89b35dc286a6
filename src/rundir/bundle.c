#include "rundir/bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "config/config.h"
#include "platform/below.h"
#include "platform/fs.h"
#include "platform/output.h"
#include "rundir/bundle_member.h"
#include "rundir/hash.h"
#include "rundir/layout.h"
#include "rundir/manifest.h"
#include "rundir/source.h"
#include "rundir/zip_target.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/strset.h"
#include "util/text.h"
#include "util/utf8.h"

#define NAMED_MAX 100 /* files that are left out; more are counted */

/* Compresses a perf.data of 497 MB to 49.7 MB in 1.9 s; zlib's default level needs 4.1 s for 45.4 MB. */
#define DEFLATE_LEVEL 3

/* The Unix mode of a regular file; a zip has it in the upper half of the external attributes. */
#define MODE_FILE UINT32_C(0100000)

/* "UT", the extra field with a file's time in UTC: zip's standard field has local time in steps of 2 s. */
#define EXTRA_TIME 0x5455

/* One bundle while it is written. */
struct pack {
	const struct bundle_options *options;
	struct packing packing;
	char *top; /* the directory in the bundle */
	struct manifest manifest;
	struct strbuf manifest_text; /* the file on disk */
	bool rewrite;                /* the bundle needs a changed manifest */
	struct member *members;      /* the manifest is the last one */
	size_t nr;
};

void bundle_files_add(struct bundle_files *files, const char *from, const char *name, int64_t size)
{
	const struct bundle_file file = { xstrdup(from), xstrdup(name), size };

	ARRAY_ADD(files->v, files->nr, files->alloc, file);
}

bool bundle_files_has(const struct bundle_files *files, const char *name)
{
	for (size_t i = 0; i < files->nr; i++) {
		if (!strcmp(files->v[i].name, name))
			return true;
	}
	return false;
}

void bundle_files_release(struct bundle_files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		free(files->v[i].from);
		free(files->v[i].name);
	}
	free(files->v);
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && path[len] == '/';
}

/* Files by whose names a run is read. */
static bool has_fixed_name(const char *path)
{
	static const char *const names[] = {
		RUN_MANIFEST,       RUN_PROCESSES,    RUN_PERF_DATA,      RUN_CONFIG,
		RUN_BOOTSTRAP_TOML, RUN_WPA_PROFILE,  RUN_WPRP,           RUN_STACKTAGS,
		RUN_OPEN_SH,        RUN_OPEN_CMD,     RUN_STAGE1_LOG,     RUN_BEFORE_LOG,
		RUN_STAGE2_LOG,     RUN_RECORDER_LOG, RUN_RECORDER_STATE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(path, names[i]))
			return true;
	}
	return is_below(path, RUN_SYMBOLS);
}

/* A path or name of the run, scrubbed like the manifest in the bundle. */
static char *path_in_bundle(const struct pack *pack, const char *path)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, path);
	if (pack->options->scrub && !has_fixed_name(path))
		scrub_text(pack->options->scrub, &sb, SCRUB_TEXT);
	return strbuf_detach(&sb);
}

/* logs/user.log becomes logs/user-2.log */
static char *numbered(const char *path, unsigned number)
{
	const char *name = fs_file_name(path), *dot = strrchr(name, '.');
	size_t len = dot && dot > name ? (size_t)(dot - path) : strlen(path);

	return xasprintf("%.*s-%u%s", (int)len, path, number, path + len);
}

/* Choose names for the bundle. Scrubbing can make some equal: those that it does not change have precedence. */
static void name_members(struct pack *pack)
{
	struct strset taken = STRSET_INIT;

	pack->top = path_in_bundle(pack, pack->manifest.name);
	for (size_t i = 0; i < pack->nr; i++) {
		struct member *member = &pack->members[i];

		member->name = path_in_bundle(pack, member->path);
		if (!strcmp(member->name, member->path))
			strset_add(&taken, member->name);
	}
	for (size_t i = 0; i < pack->nr; i++) {
		struct member *member = &pack->members[i];
		char *scrubbed = xstrdup(member->name);

		for (unsigned number = 2; strcmp(scrubbed, member->path) != 0 &&
					  strset_find(&taken, member->name) != STRSET_NONE;
		     number++) {
			free(member->name);
			member->name = numbered(scrubbed, number);
		}
		strset_add(&taken, member->name);
		free(scrubbed);
	}
	strset_release(&taken);
}

/* List the packed files in the manifest. All of them have been read. */
static void list_files(struct pack *pack)
{
	struct manifest *manifest = &pack->manifest;

	manifest_drop_files(manifest);
	for (size_t i = 0; i + 1 < pack->nr; i++) {
		struct member *member = &pack->members[i];

		manifest_add_file(manifest, member->name, member->size_out, member->sha256);
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
static void make_manifest(struct pack *pack, struct member *member)
{
	char *text;

	if (!pack->rewrite) {
		strbuf_add(&member->out, pack->manifest_text.buf, pack->manifest_text.len);
	} else {
		list_files(pack);
		add_warnings(pack);
		/* As is_unscrubbed_symbol(). */
		if (pack->options->scrub && !pack->options->trace.file)
			manifest_drop_unnamed(&pack->manifest);
		if (pack->options->scrub)
			scrub_manifest(pack->options->scrub, &pack->manifest);
		text = manifest_text(&pack->manifest);
		strbuf_adds(&member->out, text);
		free(text);
	}
	member->size = (int64_t)member->out.len;
	member->complete = true;
}

static zip_int64_t manifest_command(void *state, void *data, zip_uint64_t len,
				    zip_source_cmd_t command)
{
	struct pack *pack = state;
	struct member *member = &pack->members[pack->nr - 1];

	switch (command) {
	case ZIP_SOURCE_OPEN:
		member->given = 0;
		return 0;
	case ZIP_SOURCE_READ:
		return member_give(member, data, (size_t)len);
	case ZIP_SOURCE_CLOSE:
		return 0;
	case ZIP_SOURCE_STAT:
		/* Called by libzip before it reads the manifest, the last member. */
		if (!member->complete)
			make_manifest(pack, member);
		return member_give_stat(member, data);
	default:
		return member_command(member, data, len, command);
	}
}

bool bundle_is_trace(const char *path)
{
	return !strcmp(path, RUN_PERF_DATA) || !strcmp(path, RUN_STACK_COPIES) ||
	       text_ends_with(path, ".etl");
}

/*
 * Which modules are of the build is known from a trace: without one, symbols of all would stay, which no view needs
 * then.
 */
static bool is_unscrubbed_symbol(const struct pack *pack, const char *path)
{
	const struct bundle_options *options = pack->options;

	return options->scrub && !options->trace.file && is_below(path, RUN_SYMBOLS);
}

static bool is_symbol_file(const char *path)
{
	return is_below(path, RUN_PDBS) || is_below(path, RUN_DEBUG_FILES) ||
	       is_below(path, RUN_SYMCACHE);
}

/* It has been made of the run's trace, and cannot be scrubbed. */
static bool is_converted(const struct pack *pack, const char *path)
{
	return pack->options->scrub && !strcmp(path, RUN_ETL) &&
	       below_size(pack->packing.dir, RUN_PERF_DATA) >= 0;
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
	/* They are of the run's own trace. */
	if ((options->without_trace || options->trace.file) &&
	    (!strcmp(path, RUN_TRACE_STACKS) || !strcmp(path, RUN_TRACE_CPU)))
		return true;
	if (options->trace.distilled && !strcmp(path, RUN_SYMBOLS "/stacks.txt"))
		return true;
	if (options->names_only && is_symbol_file(path))
		return true;
	return is_unscrubbed_symbol(pack, path) || is_converted(pack, path) ||
	       (options->without_symbols && is_below(path, RUN_SYMBOLS));
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
	const struct bundle_files *more = pack->options->files;
	size_t more_nr = more ? more->nr : 0;
	struct strvec files = STRVEC_INIT;
	int ret = run_dir_list(dir, &files, err);

	pack->members = xcalloc(files.nr + more_nr + 1, sizeof(*pack->members));
	for (size_t i = 0; i < files.nr && !ret; i++) {
		if (is_unscrubbed_symbol(pack, files.v[i]))
			scrub_note(pack->options->scrub,
				   "files with names of functions, as there is no trace", 1);
		if (is_converted(pack, files.v[i]))
			scrub_note(pack->options->scrub, "an ETL file that was made of the trace",
				   1);
		if (is_left_out(pack, files.v[i]))
			continue;
		ret = member_init(&pack->members[pack->nr++], &pack->packing, files.v[i], err);
	}
	strvec_release(&files);
	for (size_t i = 0; i < more_nr && !ret; i++)
		member_init_from(&pack->members[pack->nr++], &pack->packing, more->v[i].name,
				 more->v[i].from, more->v[i].size);
	if (!ret)
		ret = member_init(&pack->members[pack->nr++], &pack->packing, RUN_MANIFEST, err);
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
		if (hash_file(pack->packing.dir, member->path, member->sha256, &member->read,
			      err) ||
		    member_compare(member, err))
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

/* Decide how each file is scrubbed, once all were looked at; those that cannot be are left out. */
static int choose_scrubbing(struct pack *pack, struct err *err)
{
	struct scrub *scrub = pack->options->scrub;
	size_t kept = 0, left_out = 0;
	int rc = 0;

	scrub_learn(scrub, pack->manifest_text.buf, pack->manifest_text.len);
	for (size_t i = 0; i + 1 < pack->nr && !rc; i++) {
		struct member *member = &pack->members[i];

		member->changes = !member->instead;
		if (member->instead)
			continue;
		if (progress_show(pack->options->progress, SCRUB_STEP, (int64_t)i,
				  (int64_t)pack->nr, err))
			return -1;
		if (bundle_is_trace(member->path))
			rc = err_set(err, ERR_UNSUPPORTED,
				     "'%s' cannot be scrubbed: --without-trace leaves the trace "
				     "out of the bundle",
				     member->file_path);
		else if (!strcmp(member->path, RUN_CONFIG) && member->size > CONFIG_MAX)
			rc = err_set(err, ERR_UNSUPPORTED,
				     "'%s' cannot be scrubbed, as it is larger than 256 KB: remove "
				     "it from the run first",
				     member->file_path);
		else
			rc = scrub_look(scrub, pack->packing.dir, member->path, &member->content,
					err);
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
	name_members(pack);
	pack->rewrite |= options->scrub != NULL;
	pack->rewrite |= options->stack_warnings && options->stack_warnings->nr;
	for (size_t i = 0; i + 1 < pack->nr; i++) {
		const struct manifest_file *listed = pack->members[i].listed;

		pack->packing.total += pack->members[i].size;
		pack->rewrite |= !listed || listed->size < 0 || !*listed->sha256;
	}
	return 0;
}

static void pack_release(struct pack *pack)
{
	for (size_t i = 0; i < pack->nr; i++)
		member_release(&pack->members[i]);
	free(pack->members);
	free(pack->top);
	manifest_release(&pack->manifest);
	strbuf_release(&pack->manifest_text);
}

static bool is_compressed(const char *path)
{
	static const char *const suffixes[] = { ".zst", ".gz",  ".xz",    ".zip",
						".bz2", ".png", ".stacks" };

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

static int set_properties(zip_t *zip, zip_uint64_t index, const struct pack *pack,
			  const struct member *member)
{
	bool store = !pack->options->compress || is_compressed(member->path);
	bool program = text_ends_with(member->path, ".sh") ||
		       (!member->from && fs_is_executable(member->file_path));
	zip_uint32_t mode = MODE_FILE | file_mode(pack->options);

	if (program)
		mode |= (mode & 0444) >> 2;

	if (zip_set_file_compression(zip, index, store ? ZIP_CM_STORE : ZIP_CM_DEFLATE,
				     store ? 0 : DEFLATE_LEVEL))
		return -1;
	if (zip_file_set_external_attributes(zip, index, 0, ZIP_OPSYS_UNIX, mode << 16))
		return -1;
	return set_time(zip, index, member->mtime);
}

static int add_member(zip_t *zip, struct pack *pack, struct member *member, struct err *err)
{
	bool is_manifest = member == &pack->members[pack->nr - 1];
	zip_source_t *source;
	zip_error_t error;
	zip_int64_t index;
	char *name;

	zip_error_init(&error);
	/* libzip reads the manifest after all others. */
	source = is_manifest ? zip_source_function_create(manifest_command, pack, &error)
			     : zip_source_function_create(member_command, member, &error);
	if (!source) {
		err_set(err, ERR_FAILED, "cannot pack '%s': %s", member->path,
			zip_error_strerror(&error));
		zip_error_fini(&error);
		return -1;
	}
	name = xasprintf("%s/%s", pack->top, member->name);
	index = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);
	free(name);
	if (index < 0)
		zip_source_free(source);
	if (index < 0 || set_properties(zip, (zip_uint64_t)index, pack, member))
		return err_set(err, ERR_FAILED, "cannot pack '%s': %s", member->path,
			       zip_strerror(zip));
	return 0;
}

static int stop_when_asked(zip_t *zip, void *data)
{
	const struct pack *pack = data;

	(void)zip;
	return pack->packing.failed;
}

static int write_zip(struct pack *pack, struct output *output, const char *path, struct err *err)
{
	struct zip_target target;
	zip_error_t error;
	zip_t *zip;
	int ret = 0;

	setvbuf(output_stream(output), NULL, _IOFBF, MEMBER_READ_SIZE);
	zip_error_init(&error);
	zip = zip_target_open(&target, output_stream(output), &error);
	if (!zip)
		ret = zip_target_fail(path, &error, err);
	zip_error_fini(&error);
	if (ret)
		return -1;
	zip_register_cancel_callback_with_state(zip, stop_when_asked, NULL, pack);
	for (size_t i = 0; i < pack->nr && !ret; i++)
		ret = add_member(zip, pack, &pack->members[i], err);
	if (!ret && zip_close(zip)) {
		ret = -1;
		if (!pack->packing.failed)
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
static int check_place(const char *dir, const char *path, unsigned int kind, struct err *err)
{
	struct strvec inputs = STRVEC_INIT;
	int ret;

	strvec_push(&inputs, dir);
	ret = output_check(path, kind, &inputs, err);
	strvec_release(&inputs);
	return ret;
}

int bundle_learn(const char *dir, struct scrub *scrub, const struct progress *progress,
		 struct err *err)
{
	struct strvec files = STRVEC_INIT;
	enum scrub_content ignored;
	int rc = run_dir_list(dir, &files, err);

	for (size_t i = 0; i < files.nr && !rc; i++) {
		const char *path = files.v[i];

		if (bundle_is_trace(path) || text_ends_with(path, RUN_PARTIAL))
			continue;
		rc = progress_show(progress, SCRUB_STEP, (int64_t)i, (int64_t)files.nr, err);
		if (!rc)
			rc = scrub_look(scrub, dir, path, &ignored, err);
	}
	strvec_release(&files);
	return rc ? err_wrap(err, "cannot bundle '%s'", dir) : 0;
}

int bundle_write(const char *dir, const char *path, const struct bundle_options *options,
		 struct err *err)
{
	struct pack pack = {
		.options = options,
		.packing = { .dir = dir,
			     .scrub = options->scrub,
			     .progress = options->progress,
			     .err = err },
		.manifest_text = STRBUF_INIT,
	};
	unsigned int kind = OUTPUT_PRIVATE | (options->replace ? OUTPUT_REPLACE : 0);
	struct output *output = NULL;
	int ret = check_place(dir, path, kind, err);

	manifest_init(&pack.manifest);
	if (!ret)
		ret = pack_init(&pack, dir, err);
	if (!ret)
		ret = options->compress ? 0 : zip_target_check_room(path, pack.packing.total, err);
	if (!ret)
		ret = progress_show(options->progress, BUNDLE_STEP, 0, pack.packing.total, err);
	if (!ret)
		ret = output_open(path, kind, &output, err);
	if (!ret) {
		output_set_mode(output, (int)file_mode(options));
		ret = write_zip(&pack, output, path, err);
	}
	if (!ret)
		ret = output_finish(output, err);
	output_free(output);
	if (ret)
		err_wrap(err, "cannot bundle '%s'", dir);
	pack_release(&pack);
	return ret;
}
