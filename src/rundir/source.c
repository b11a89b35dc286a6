#include "rundir/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "platform/below.h"
#include "platform/cost.h"
#include "platform/file.h"
#include "platform/fs.h"
#include "rundir/layout.h"
#include "rundir/processes.h"
#include "util/array.h"
#include "util/text.h"

#define READ_SIZE ((size_t)256 * 1024)

/* Maximum compression ratio of deflate. */
#define DEFLATE_RATIO 1032

/* A recording has a few files; a damaged zip may have any number. */
#define TRACES_MAX 64

/* A member copied from a bundle to a file, which has no name that could outlive this process. */
struct copy {
	char *member;
	struct scratch_file *file;
	uint64_t size; /* so far */
};

struct run_source {
	char *path;
	zip_t *zip;      /* NULL: a directory */
	uint64_t stored; /* bytes of the zip */
	char *top;       /* of the members in the zip: "" or "<directory>/" */
	struct copy *copies;
	size_t copies_nr, copies_alloc;
};

static int refuse_member(const struct run_source *source, const char *member, enum below_kind kind,
			 struct err *err)
{
	if (kind == BELOW_UNKNOWN)
		return err_set_errno(err, errno, "cannot read '%s' in the run '%s'", member,
				     source->path);
	return err_set(err, ERR_UNSUPPORTED,
		       "'%s' in the run '%s' is not a regular file (links are not followed)",
		       member, source->path);
}

/* A view would take what it is not to open for missing. */
static int check_members(const struct run_source *source, struct err *err)
{
	static const char *const names[] = { RUN_MANIFEST, RUN_PROCESSES, RUN_PERF_DATA, RUN_ETL };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		enum below_kind kind = below_find(source->path, names[i]);

		if (kind != BELOW_FILE && kind != BELOW_NOTHING)
			return refuse_member(source, names[i], kind, err);
	}
	return 0;
}

/* Explains the directories that `perf record --kcore` makes. */
static int open_dir(struct run_source *source, struct err *err)
{
	if (check_members(source, err))
		return -1;
	if (below_size(source->path, RUN_MANIFEST) >= 0)
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "'%s' is not a run directory: it has no " RUN_MANIFEST "; %s", source->path,
		       below_size(source->path, "data") >= 0
			       ? "if perf made it, give the file 'data' in it"
			       : "give the run or the trace file itself");
}

/* A zip without a manifest. */
static void refuse_zip(zip_t *zip, struct err *err)
{
	zip_int64_t count = zip_get_num_entries(zip, 0);

	for (zip_int64_t i = 0; i < count; i++) {
		const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);

		if (name && (text_ends_with(name, ".etl") || text_ends_with(name, "perf.data"))) {
			err_set(err, ERR_UNSUPPORTED,
				"it is a zip of a trace: unpack it, and give '%s' in it", name);
			return;
		}
	}
	err_set(err, ERR_UNSUPPORTED, "it is a zip without a run: no " RUN_MANIFEST " in it");
}

/* Programs differ in which of two members of one name they read. */
static int check_one_manifest(zip_t *zip, const char *top, struct err *err)
{
	zip_int64_t count = zip_get_num_entries(zip, 0);
	size_t len = strlen(top), nr = 0;

	for (zip_int64_t i = 0; i < count; i++) {
		const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);

		nr += name && !strncmp(name, top, len) && !strcmp(name + len, RUN_MANIFEST);
	}
	if (nr <= 1)
		return 0;
	return err_set(err, ERR_UNSUPPORTED, "%s members have the name '%s" RUN_MANIFEST "'",
		       nr == 2 ? "two" : "several", top);
}

/* The directory of the manifest in the zip, with "/" at its end. NULL: there is none, or that of several runs. */
static char *find_top(zip_t *zip, struct err *err)
{
	zip_int64_t count = zip_get_num_entries(zip, 0);
	char *top = NULL;

	if (zip_name_locate(zip, RUN_MANIFEST, 0) >= 0)
		return xstrdup("");
	for (zip_int64_t i = 0; i < count; i++) {
		const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);
		size_t len = name ? strcspn(name, "/") : 0;

		if (!len || !name[len] || strcmp(name + len + 1, RUN_MANIFEST) != 0)
			continue;
		if (top && strncmp(top, name, len + 1) != 0) {
			free(top);
			err_set(err, ERR_UNSUPPORTED,
				"it holds more than one run: if you trust it, unpack it and name "
				"the directory of one");
			return NULL;
		}
		if (!top)
			top = xstrndup(name, len + 1);
	}
	if (!top)
		refuse_zip(zip, err);
	return top;
}

/* Only regular files: opening a pipe would wait for a writer. */
static bool begins_as_zip(const char *path)
{
	FILE *file = fs_size(path) >= 0 ? fs_open(path, "rb") : NULL;
	char head[4] = "";
	bool is_zip = file && fread(head, 1, sizeof(head), file) == sizeof(head) &&
		      !memcmp(head, "PK\3\4", sizeof(head));

	if (file)
		fclose(file);
	return is_zip;
}

bool run_source_takes(const char *path)
{
	return fs_is_dir(path) || begins_as_zip(path);
}

const char *run_source_among(const struct strvec *paths)
{
	for (size_t i = 0; i < paths->nr; i++) {
		if (run_source_takes(paths->v[i]))
			return paths->v[i];
	}
	return NULL;
}

/* Holes cost nothing, and each byte of a zip raises limits. */
static int check_holes(struct run_source *source, struct err *err)
{
	struct file_at *file;

	if (file_at_open(source->path, &file, err))
		return -1;
	source->stored = file_at_stored(file);
	file_at_close(file);
	return 0;
}

static int open_zip(struct run_source *source, struct err *err)
{
	zip_error_t error;
	int code;

	if (check_holes(source, err))
		return -1;
	source->zip = zip_open(source->path, ZIP_RDONLY, &code);
	if (source->zip) {
		source->top = find_top(source->zip, err);
		if (source->top && !check_one_manifest(source->zip, source->top, err))
			return 0;
		return err_wrap(err, "'%s' is not a bundle", source->path);
	}
	if (!begins_as_zip(source->path))
		return err_set(err, ERR_UNSUPPORTED,
			       "'%s' is not a run: expected a run directory (with a " RUN_MANIFEST
			       ") or a bundle (.zip)",
			       source->path);
	zip_error_init_with_code(&error, code);
	err_set(err, ERR_CORRUPT, "'%s' is a damaged or incomplete bundle: %s", source->path,
		zip_error_strerror(&error));
	zip_error_fini(&error);
	return -1;
}

int run_source_open(const char *path, struct run_source **source, struct err *err)
{
	struct run_source *opened;
	int ret;

	errno = ENOENT;
	if (!fs_exists(path))
		return errno == EACCES
			       ? err_set_errno(err, errno, "cannot open '%s'", path)
			       : err_set(err, ERR_NOT_FOUND, "there is no run or trace '%s'", path);
	opened = xcalloc(1, sizeof(*opened));
	opened->path = xstrdup(path);
	ret = fs_is_dir(path) ? open_dir(opened, err) : open_zip(opened, err);
	if (ret)
		run_source_free(opened);
	else
		*source = opened;
	return ret;
}

/* Whether it holds a run, or several. */
static bool has_manifest(zip_t *zip)
{
	zip_int64_t count = zip_get_num_entries(zip, 0);

	for (zip_int64_t i = 0; i < count; i++) {
		const char *name = zip_get_name(zip, (zip_uint64_t)i, 0);

		if (name && !strcmp(text_file_name(name), RUN_MANIFEST))
			return true;
	}
	return false;
}

/* macOS adds files of its own that have the names of others. */
static bool is_trace(const char *name)
{
	return text_glob("*.etl", name, true) && strncmp(name, "__MACOSX/", 9) != 0;
}

/* Get the metadata of a zip member; false: there is no such member. */
static bool stat_member(struct run_source *source, const char *member, zip_stat_t *st)
{
	char *name = xasprintf("%s%s", source->top, member);
	bool there = manifest_is_path(member) && !zip_stat(source->zip, name, 0, st) &&
		     (st->valid & ZIP_STAT_SIZE) && (st->valid & ZIP_STAT_INDEX) &&
		     st->size <= INT64_MAX;

	free(name);
	return there;
}

/* Check the name of a trace, and count its bytes. */
static int add_trace(struct run_source *source, zip_uint64_t index, const char *name,
		     uint64_t *bytes, struct err *err)
{
	zip_stat_t st;

	if (!manifest_is_path(name))
		return err_set(
			err, ERR_UNSUPPORTED,
			"'%s' in '%s' is no path as a zip has it, with '/': unpack it, and give "
			"the traces",
			name, source->path);
	if (!stat_member(source, name, &st))
		return err_set(err, ERR_CORRUPT, "'%s' does not say how large '%s' is",
			       source->path, name);
	/* Programs differ in which of the two they read. */
	if (st.index != index)
		return err_set(err, ERR_UNSUPPORTED, "two members of '%s' have the name '%s'",
			       source->path, name);
	*bytes += st.size < UINT64_MAX - *bytes ? st.size : UINT64_MAX - *bytes;
	return 0;
}

/* All traces are unpacked: together they may have as many bytes as one. */
static int find_traces(struct run_source *source, struct strvec *members, struct err *err)
{
	zip_int64_t count = zip_get_num_entries(source->zip, 0);
	uint64_t most = cost_decompressed_max(source->stored), bytes = 0;
	size_t nr = 0;

	for (zip_int64_t i = 0; i < count; i++) {
		const char *name = zip_get_name(source->zip, (zip_uint64_t)i, 0);

		if (!name || !is_trace(name))
			continue;
		if (nr++ == TRACES_MAX)
			return err_set(err, ERR_UNSUPPORTED,
				       "'%s' has more than %d traces: unpack it, and give those of "
				       "one recording",
				       source->path, TRACES_MAX);
		if (add_trace(source, (zip_uint64_t)i, name, &bytes, err))
			return -1;
		strvec_push(members, name);
	}
	if (bytes > most)
		return err_set(
			err, ERR_UNSUPPORTED,
			"the traces in '%s' have %llu MB unpacked, the limit for its size is "
			"%llu MB: unpack it yourself and give the traces; %s",
			source->path, (unsigned long long)bytes >> 20,
			(unsigned long long)most >> 20, cost_remedy());
	return nr ? 0 : 1;
}

int run_source_open_traces(const char *path, struct run_source **source, struct strvec *members,
			   struct err *err)
{
	struct run_source *opened;
	int code, rc = 1;

	if (!begins_as_zip(path))
		return 1;
	opened = xcalloc(1, sizeof(*opened));
	opened->path = xstrdup(path);
	opened->top = xstrdup("");
	if (check_holes(opened, err))
		rc = -1;
	else
		opened->zip = zip_open(path, ZIP_RDONLY, &code);
	if (opened->zip && !has_manifest(opened->zip))
		rc = find_traces(opened, members, err);
	if (rc)
		run_source_free(opened);
	else
		*source = opened;
	return rc;
}

void run_source_free(struct run_source *source)
{
	if (!source)
		return;
	for (size_t i = 0; i < source->copies_nr; i++) {
		free(source->copies[i].member);
		scratch_file_close(source->copies[i].file);
	}
	free(source->copies);
	if (source->zip)
		zip_discard(source->zip);
	free(source->top);
	free(source->path);
	free(source);
}

const char *run_source_path(const struct run_source *source)
{
	return source->path;
}

/* Append the files that a view reads, whether they are there or not. */
static void add_read_by_views(const char *dir, struct strvec *files)
{
	static const char *const names[] = { RUN_MANIFEST, RUN_PROCESSES, RUN_PERF_DATA, RUN_ETL };
	char *symbols = fs_join(dir, RUN_SYMBOLS);
	struct strvec in_symbols = STRVEC_INIT;
	struct err none = ERR_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		strvec_push(files, names[i]);
	if (fs_list(symbols, &in_symbols, &none))
		err_clear(&none);
	for (size_t i = 0; i < in_symbols.nr; i++)
		strvec_pushf(files, RUN_SYMBOLS "/%s", in_symbols.v[i]);
	strvec_release(&in_symbols);
	free(symbols);
}

static uint64_t count_stored(const char *dir, const struct strvec *files)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < files->nr; i++) {
		char *path = fs_join(dir, files->v[i]);

		if (below_find(dir, files->v[i]) == BELOW_FILE)
			bytes += cost_of_file(path);
		free(path);
	}
	return bytes;
}

uint64_t run_dir_bytes(const char *dir, bool all)
{
	struct strvec files = STRVEC_INIT;
	struct err refused = ERR_INIT;
	uint64_t bytes;

	if (!all)
		add_read_by_views(dir, &files);
	else if (below_list(dir, &files, &refused))
		err_clear(&refused);
	bytes = count_stored(dir, &files);
	strvec_release(&files);
	return bytes;
}

int run_dir_list(const char *dir, struct strvec *files, struct err *err)
{
	uint64_t bytes = 0, stored, most;

	if (below_list(dir, files, err))
		return -1;
	for (size_t i = 0; i < files->nr; i++) {
		int64_t size = below_size(dir, files->v[i]);

		bytes += size > 0 ? (uint64_t)size : 0;
	}
	stored = count_stored(dir, files);
	most = cost_decompressed_max(stored);
	if (bytes <= most)
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "the files of '%s' are sparse: together they are %llu MB long with %llu MB "
		       "stored, and the limit for that is a length of %llu MB: copy them without "
		       "holes (cp -r --sparse=never); %s",
		       dir, (unsigned long long)bytes >> 20, (unsigned long long)stored >> 20,
		       (unsigned long long)most >> 20, cost_remedy());
}

uint64_t run_source_bundle_bytes(const struct run_source *source)
{
	return source->zip ? source->stored : 0;
}

uint64_t run_source_stored_bytes(const struct run_source *source)
{
	uint64_t bytes = run_source_bundle_bytes(source);

	return bytes ? bytes : run_dir_bytes(run_source_path(source), false);
}

int64_t run_source_size(struct run_source *source, const char *member)
{
	zip_stat_t st;

	if (source->zip)
		return stat_member(source, member, &st) ? (int64_t)st.size : -1;
	return manifest_is_path(member) ? below_size(source->path, member) : -1;
}

bool run_source_has(struct run_source *source, const char *member)
{
	return run_source_size(source, member) >= 0;
}

static int no_member(const struct run_source *source, const char *member, struct err *err)
{
	enum below_kind kind = BELOW_NOTHING;

	if (!source->zip && manifest_is_path(member))
		kind = below_find(source->path, member);
	if (kind != BELOW_NOTHING)
		return refuse_member(source, member, kind, err);
	err_set(err, ERR_NOT_FOUND, "there is no '%s' in the run '%s'", member, source->path);
	if (text_ends_with(source->path, RUN_PARTIAL))
		err_append(err, "; 'stagetrace recover' finishes it");
	return -1;
}

static int set_damaged(const struct run_source *source, const char *member, const char *why,
		       struct err *err)
{
	return err_set(err, ERR_CORRUPT, "cannot read '%s' in '%s': %s", member, source->path, why);
}

/* Bundles have no others, which pack what repeats to far less. */
static int check_method(const struct run_source *source, const char *member, const zip_stat_t *st,
			struct err *err)
{
	if (st->comp_method == ZIP_CM_STORE || st->comp_method == ZIP_CM_DEFLATE)
		return 0;
	return err_set(
		err, ERR_UNSUPPORTED,
		"'%s' in '%s' is compressed by method %u, and bundles have only 0 (store) "
		"and 8 (deflate): if you trust it, unpack it yourself and name its directory",
		member, source->path, (unsigned)st->comp_method);
}

/*
 * A member may be packed to very little: it is refused before it fills memory or the disk. Its compressed size may be a
 * hole.
 */
static int check_ratio(const struct run_source *source, const char *member, const zip_stat_t *st,
		       struct err *err)
{
	uint64_t stored = st->comp_size < source->stored ? st->comp_size : source->stored;
	uint64_t most = cost_decompressed_max(stored);

	if (st->size <= most)
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "'%s' in '%s' has %llu MB unpacked, the limit for its size is %llu MB: "
		       "unpack the bundle yourself and name its directory; %s",
		       member, source->path, (unsigned long long)st->size >> 20,
		       (unsigned long long)most >> 20, cost_remedy());
}

/*
 * Pass the bytes of a zip member to `take`, which returns 0, or -1 with `err` to stop. A member whose size differs from
 * the one in the zip is an error; never more bytes than that are passed.
 */
static int unpack(struct run_source *source, const char *member, const zip_stat_t *st,
		  int (*take)(const void *data, size_t len, void *arg, struct err *err), void *arg,
		  struct err *err)
{
	zip_uint64_t total = 0;
	zip_file_t *file;
	zip_int64_t got;
	char *buf;
	int ret = 0;

	if (check_method(source, member, st, err) || check_ratio(source, member, st, err))
		return -1;
	file = zip_fopen_index(source->zip, st->index, 0);
	if (!file)
		return set_damaged(source, member, zip_strerror(source->zip), err);
	buf = xmalloc(READ_SIZE);
	while (!ret && (got = zip_fread(file, buf, READ_SIZE)) != 0) {
		if (got < 0)
			ret = set_damaged(source, member, zip_file_strerror(file), err);
		else if ((total += (zip_uint64_t)got) > st->size)
			ret = set_damaged(source, member, "it is larger than the bundle says", err);
		else
			ret = take(buf, (size_t)got, arg, err);
	}
	if (!ret && total != st->size)
		ret = set_damaged(source, member, "it is smaller than the bundle says", err);
	free(buf);
	zip_fclose(file);
	return ret;
}

static int take_into_buf(const void *data, size_t len, void *arg, struct err *err)
{
	(void)err;
	strbuf_add(arg, data, len);
	return 0;
}

int run_source_read(struct run_source *source, const char *member, int64_t limit, struct strbuf *sb,
		    struct err *err)
{
	int64_t size = run_source_size(source, member);
	zip_stat_t st;

	if (size < 0)
		return no_member(source, member, err);
	if (size > limit)
		return err_set(err, ERR_UNSUPPORTED, "'%s' in '%s' is larger than %lld bytes",
			       member, source->path, (long long)limit);
	if (source->zip)
		return stat_member(source, member, &st)
			       ? unpack(source, member, &st, take_into_buf, sb, err)
			       : no_member(source, member, err);
	return below_read(source->path, member, limit, sb, err);
}

/* The end of a member while it is unpacked. */
struct member_end {
	struct strbuf bytes;
	size_t limit;
};

static void drop_begin(struct member_end *end)
{
	size_t too_many = end->bytes.len > end->limit ? end->bytes.len - end->limit : 0;

	memmove(end->bytes.buf, end->bytes.buf + too_many, end->bytes.len - too_many);
	strbuf_set_len(&end->bytes, end->bytes.len - too_many);
}

static int take_into_end(const void *data, size_t len, void *arg, struct err *err)
{
	struct member_end *end = arg;

	(void)err;
	strbuf_add(&end->bytes, data, len);
	/* Each byte is moved once at most. */
	if (end->bytes.len >= 2 * end->limit)
		drop_begin(end);
	return 0;
}

int run_source_read_end(struct run_source *source, const char *member, int64_t limit,
			struct strbuf *sb, struct err *err)
{
	struct member_end end = { STRBUF_INIT, (size_t)limit };
	zip_stat_t st;
	int rc;

	if (!source->zip)
		return below_read_end(source->path, member, limit, sb, err);
	if (!stat_member(source, member, &st))
		return no_member(source, member, err);
	rc = unpack(source, member, &st, take_into_end, &end, err);
	if (!rc && end.bytes.len) {
		drop_begin(&end);
		strbuf_add(sb, end.bytes.buf, end.bytes.len);
	}
	strbuf_release(&end.bytes);
	return rc;
}

static int take_into_copy(const void *data, size_t len, void *arg, struct err *err)
{
	struct copy *copy = arg;

	if (scratch_file_write(copy->file, copy->size, data, len, err))
		return -1;
	copy->size += len;
	return 0;
}

/* Check that there is space for a copy, and that the size in the zip is possible. */
static int check_copy(struct run_source *source, const char *member, const zip_stat_t *st,
		      const char *dir, struct err *err)
{
	struct strbuf need = STRBUF_INIT, room = STRBUF_INIT;
	int64_t have = fs_free_space(dir);
	int ret = 0;

	if (st->comp_method == ZIP_CM_DEFLATE && st->size / DEFLATE_RATIO > st->comp_size)
		return set_damaged(source, member,
				   "the size that the bundle has of it is impossible", err);
	if (check_method(source, member, st, err) || check_ratio(source, member, st, err))
		return -1;
	if (have >= 0 && (int64_t)st->size > have) {
		text_add_bytes(&need, (int64_t)st->size);
		text_add_bytes(&room, have);
		ret = err_set(
			err, ERR_NO_SPACE,
			"cannot unpack '%s' of '%s': it takes %s, '%s' has %s: make room there, "
			"set TMPDIR, or, if you trust the bundle, unpack it yourself and name its "
			"directory",
			member, source->path, need.buf, dir, room.buf);
	}
	strbuf_release(&need);
	strbuf_release(&room);
	return ret;
}

static int copy_member(struct run_source *source, const char *member, struct err *err)
{
	struct copy copy = { NULL, NULL, 0 };
	zip_stat_t st;

	if (!stat_member(source, member, &st))
		return no_member(source, member, err);
	if (scratch_file_open(&copy.file, err))
		return -1;
	if (check_copy(source, member, &st, scratch_file_dir(copy.file), err) ||
	    unpack(source, member, &st, take_into_copy, &copy, err)) {
		scratch_file_close(copy.file);
		return -1;
	}
	copy.member = xstrdup(member);
	ARRAY_GROW(source->copies, source->copies_nr + 1, source->copies_alloc);
	source->copies[source->copies_nr++] = copy;
	return 0;
}

char *run_source_file(struct run_source *source, const char *member, struct err *err)
{

	if (!source->zip) {
		if (run_source_has(source, member))
			return fs_join(source->path, member);
		no_member(source, member, err);
		return NULL;
	}
	for (size_t i = 0; i < source->copies_nr; i++) {
		if (!strcmp(source->copies[i].member, member))
			return scratch_file_path(source->copies[i].file);
	}
	if (copy_member(source, member, err))
		return NULL;
	return scratch_file_path(source->copies[source->copies_nr - 1].file);
}

int run_source_name_copies(const struct run_source *source, struct err *err)
{
	for (size_t i = 0; i < source->copies_nr; i++) {
		char *path = scratch_file_path(source->copies[i].file);
		char *quoted = xasprintf("'%s'", path);
		char *name = xasprintf("'%s/%s'", source->path, source->copies[i].member);

		err_replace(err, quoted, name);
		free(name);
		free(quoted);
		free(path);
	}
	return -1;
}

int run_source_manifest(struct run_source *source, struct manifest *manifest, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *name = fs_join(source->path, RUN_MANIFEST);
	int ret = run_source_read(source, RUN_MANIFEST, MANIFEST_MAX, &text, err);

	manifest_init(manifest);
	if (!ret)
		ret = manifest_parse(text.buf, text.len, name, manifest, err);
	strbuf_release(&text);
	free(name);
	return ret;
}

int run_source_processes(struct run_source *source, struct process_list *list, int64_t *damaged,
			 struct strbuf *first, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *name = fs_join(source->path, RUN_PROCESSES);
	int ret = run_source_read(source, RUN_PROCESSES, PROCESSES_MAX, &text, err);

	if (!ret)
		processes_parse(text.buf, text.len, name, list, damaged, first);
	strbuf_release(&text);
	free(name);
	return ret;
}

int run_source_settings(struct run_source *source, struct config *config, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc = run_source_read(source, RUN_CONFIG, CONFIG_MAX, &text, err);

	if (!rc)
		config_read_entries(text.buf, text.len, config);
	strbuf_release(&text);
	return rc;
}
