/*
 * Every command line of two real builds of rustc 1.85, tagged: the first stage 1 build and the recording
 * of stage 2. They are not part of the project: they are in $STAGETRACE_SHARED, else ../shared; without
 * them (or without zstd) the tests are skipped.
 *
 * The expected counts were taken from the files themselves by file name and a few words, not by the tagger:
 *
 *     zstd -dc exec.jsonl.zst | jq -r 'select(.exe) | .exe' | sed 's,.*\/,,' | sort | uniq -c
 *
* and, where the name alone is not enough: rustc below bootstrap/debug/ is the shim; a rustc or shim is a probe
 * without --crate-name, with the name ___, or with "-" as input; a cc is a probe with -E or -?, compiles
 * with -c, else links; cc1 and cc1plus with -E are probes, but for the one that has -o (it preprocesses the
 * assembler source of psm).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tag/path.h"
#include "tag/tag.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/json.h"
#include "util/quote.h"
#include "util/strbuf.h"
#include "util/text.h"

#define COMMAND_LINES "reference/bootstrap-cmdlines.txt"
#define EXEC_LOG      "traces/rustc-1.85-stage2/exec.jsonl.zst"
#define BUILD_LOG     "traces/rustc-1.85-stage2/stage2.log.zst"

#define NO_PARENT SIZE_MAX

struct row {
	long long pid;
	bool ended;
	size_t parent;
	size_t execs;
	char *exe, *stage, *package, *target_dir, *cwd;
	struct strvec argv;
	struct tag tag;
	struct tag before;
};

struct rows {
	struct row *v;
	size_t nr, alloc;
	bool bare; /* tag by executable, arguments and parent alone, as from a trace without its tracker */
};

static char *shared_path(const char *name)
{
	const char *shared = getenv("STAGETRACE_SHARED");

	return xasprintf("%s/%s", shared ? shared : "../shared", name);
}

/* Skips the test where the file is not there. */
static FILE *open_shared(const char *name)
{
	char *path = shared_path(name);
	FILE *file = fopen(path, "rb");

	if (!file) {
		print_message("skipped: no '%s' (set STAGETRACE_SHARED)\n", path);
		free(path);
		skip();
	}
	free(path);
	return file;
}

static FILE *open_unpacked(const char *name)
{
	char *path, *command;
	FILE *pipe;

	fclose(open_shared(name));
	if (system("zstd --version >/dev/null 2>&1") != 0) {
		print_message("skipped: no zstd to unpack '%s'\n", name);
		skip();
	}
	path = shared_path(name);
	command = xasprintf("zstd -dc '%s'", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	free(command);
	free(path);
	return pipe;
}

/* The next line without its end; false at the end of the file. */
static bool next_line(FILE *file, struct strbuf *line)
{
	int c;

	strbuf_clear(line);
	while ((c = getc(file)) != EOF && c != '\n')
		strbuf_addc(line, (char)c);
	return c != EOF || line->len;
}

static size_t find_pid(const struct rows *rows, long long pid)
{
	for (size_t i = rows->nr; i > 0; i--)
		if (rows->v[i - 1].pid == pid && !rows->v[i - 1].ended)
			return i - 1;
	return NO_PARENT;
}

static size_t add_row(struct rows *rows, long long pid, size_t parent)
{
	ARRAY_GROW(rows->v, rows->nr + 1, rows->alloc);
	rows->v[rows->nr] = (struct row){ .pid = pid,
					  .parent = parent,
					  .argv = STRVEC_INIT,
					  .tag = TAG_INIT,
					  .before = TAG_INIT };
	return rows->nr++;
}

static void tag_row(struct rows *rows, size_t i)
{
	struct row *row = &rows->v[i];
	struct tag_input in = {
		.exe = row->exe,
		.argv = &row->argv,
		.exec_seen = row->execs > 0,
		.parent = row->parent != NO_PARENT ? &rows->v[row->parent].tag : NULL,
		.before_exec = row->execs > 1 ? &row->before : NULL,
		.numbering = rows->bare ? NUMBERING_OLD : NUMBERING_UNKNOWN,
	};

	if (!rows->bare) {
		in.rustc_stage = row->stage;
		in.package = row->package;
		in.target_dir = row->target_dir;
		in.cwd = row->cwd;
	}
	tag_process(NULL, &in, &row->tag);
}

static void release_texts(struct row *row)
{
	free(row->exe);
	free(row->stage);
	free(row->package);
	free(row->target_dir);
	free(row->cwd);
	row->exe = row->stage = row->package = row->target_dir = row->cwd = NULL;
	strvec_release(&row->argv);
}

static void release_rows(struct rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		release_texts(&rows->v[i]);
		tag_release(&rows->v[i].tag);
		tag_release(&rows->v[i].before);
	}
	free(rows->v);
}

static void read_exec(struct rows *rows, const json_t *event, long long pid)
{
	const json_t *env = json_object_get(event, "env");
	size_t i = find_pid(rows, pid);
	struct err err = ERR_INIT;
	struct row *row;

	if (i == NO_PARENT)
		i = add_row(rows, pid, NO_PARENT);
	row = &rows->v[i];
	tag_copy(&row->before, &row->tag);
	release_texts(row);
	row->execs++;
	assert_int_equal(json_get_bytes(event, "exe", &row->exe, &err), 0);
	assert_int_equal(json_get_bytes(event, "cwd", &row->cwd, &err), 0);
	assert_int_equal(json_get_strings(event, "argv", &row->argv, &err), 0);
	assert_int_equal(json_get_bytes(env, "RUSTC_STAGE", &row->stage, &err), 0);
	assert_int_equal(json_get_bytes(env, "CARGO_PKG_NAME", &row->package, &err), 0);
	assert_int_equal(json_get_bytes(env, "CARGO_TARGET_DIR", &row->target_dir, &err), 0);
	tag_row(rows, i);
}

static void read_event(struct rows *rows, const json_t *event)
{
	const json_t *fork = json_object_get(event, "fork"), *gone = json_object_get(event, "exit");

	if (fork) {
		long long ppid = json_integer_value(json_object_get(event, "ppid"));

		tag_row(rows, add_row(rows, json_integer_value(fork), find_pid(rows, ppid)));
	} else if (gone) {
		size_t i = find_pid(rows, json_integer_value(gone));

		if (i != NO_PARENT)
			rows->v[i].ended = true;
	} else {
		read_exec(rows, event, json_integer_value(json_object_get(event, "pid")));
	}
}

/* Fork, exec and exit in the order they happened. */
static void read_stage2(struct rows *rows)
{
	struct strbuf line = STRBUF_INIT;
	FILE *file = open_unpacked(EXEC_LOG);

	while (next_line(file, &line)) {
		json_t *event = json_loadb(line.buf, line.len, 0, NULL);

		assert_non_null(event);
		read_event(rows, event);
		json_decref(event);
	}
	pclose(file);
	strbuf_release(&line);
}

static void split_tabs(const char *line, struct strvec *fields)
{
	for (;;) {
		size_t len = strcspn(line, "\t");

		strvec_push_nodup(fields, xstrndup(line, len));
		if (!line[len])
			return;
		line += len + 1;
	}
}

/*
 * "pid file argv", and from part 2 on "seconds pid ppid RUSTC_STAGE cwd file argv": nothing of that build
 * execs in place, so each line is a process.
 */
static void read_command_line(struct rows *rows, const char *line)
{
	struct strvec fields = STRVEC_INIT;
	struct err err = ERR_INIT;
	struct row *row;
	size_t i, parent = NO_PARENT;
	bool whole;

	split_tabs(line, &fields);
	whole = fields.nr == 7;
	assert_true(whole || fields.nr == 3);
	if (whole)
		parent = find_pid(rows, atoll(fields.v[2]));
	i = add_row(rows, whole ? atoll(fields.v[1]) : -1, parent);
	row = &rows->v[i];
	row->execs = 1;
	row->exe = xstrdup(fields.v[fields.nr - 2]);
	assert_int_equal(quote_split(fields.v[fields.nr - 1], &row->argv, &err), 0);
	if (whole && strcmp(fields.v[3], "-") != 0)
		row->stage = xstrdup(fields.v[3]);
	tag_row(rows, i);
	strvec_release(&fields);
}

static void read_stage1(struct rows *rows)
{
	struct strbuf line = STRBUF_INIT;
	FILE *file = open_shared(COMMAND_LINES);

	while (next_line(file, &line))
		if (line.len && line.buf[0] != '#')
			read_command_line(rows, line.buf);
	fclose(file);
	strbuf_release(&line);
}

static void assert_counts(const struct rows *rows, const size_t expected[ROLE_COUNT])
{
	size_t counts[ROLE_COUNT] = { 0 };
	bool same = true;

	for (size_t i = 0; i < rows->nr; i++)
		counts[rows->v[i].tag.role]++;
	for (int role = 0; role < ROLE_COUNT; role++)
		if (counts[role] != expected[role]) {
			print_error("%s: %zu, expected %zu\n", role_name((enum role)role),
				    counts[role], expected[role]);
			same = false;
		}
	assert_true(same);
}

/* Whatever is `other` is a fork, was gone, or is one of the shell's tools around the build. */
static void assert_others_explained(const struct rows *rows)
{
	static const char *const tools[] = { "bash", "time",  "perf", "tr",   "grep",
					     "mawk", "paste", "date", "uname" };

	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *row = &rows->v[i];
		bool known = !row->execs || !row->exe || !*row->exe;

		if (row->tag.role != ROLE_OTHER) {
			assert_null(row->tag.why);
			continue;
		}
		assert_non_null(row->tag.why);
		for (size_t k = 0; k < ARRAY_SIZE(tools) && !known; k++)
			known = !strcmp(path_file(row->exe).s, tools[k]);
		if (!known)
			fail_msg("'%s' is other: %s", row->exe, row->tag.why);
	}
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* A compilation is one shim and one rustc, of the same crate, stage and part. */
static void assert_shims_agree(const struct rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct tag *tag = &rows->v[i].tag, *shim;

		if (tag->role != ROLE_RUSTC || rows->v[i].parent == NO_PARENT)
			continue;
		shim = &rows->v[rows->v[i].parent].tag;
		if (shim->role == ROLE_CARGO)
			continue;
		assert_int_equal(shim->role, ROLE_RUSTC_SHIM);
		assert_int_equal(shim->built_by, tag->built_by);
		assert_true(same_text(shim->crate, tag->crate));
		assert_true(same_text(shim->crate_type, tag->crate_type));
		assert_true(same_text(shim->part, tag->part));
		assert_true(same_text(shim->target, tag->target));
	}
}

static void assert_complete(const struct rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		const struct tag *tag = &rows->v[i].tag;

		if (tag->role == ROLE_RUSTC) {
			assert_non_null(tag->crate_type);
			assert_true(tag->built_by != STAGE_UNKNOWN);
			assert_true(tag->target || !strcmp(tag->part, "bootstrap"));
		}
		if (tag->role == ROLE_RUSTC || tag->role == ROLE_LINK || tag->role == ROLE_CC ||
		    tag->role == ROLE_AR || tag->role == ROLE_BUILD_SCRIPT) {
			assert_non_null(tag->crate);
			assert_non_null(tag->part);
		}
	}
}

static size_t count(const struct rows *rows, enum role role, const char *part, const char *crate)
{
	size_t found = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		const struct tag *tag = &rows->v[i].tag;

		found += tag->role == role && (!part || same_text(tag->part, part)) &&
			 (!crate || same_text(tag->crate, crate));
	}
	return found;
}

static void tag_process__first_stage1_build__all_told(void **state)
{
	static const size_t expected[ROLE_COUNT] = {
		[ROLE_OTHER] = 1,  [ROLE_RUSTC] = 485,       [ROLE_RUSTC_SHIM] = 409,
		[ROLE_CARGO] = 12, [ROLE_BOOTSTRAP] = 2,     [ROLE_X_PY] = 2,
		[ROLE_LINK] = 255, [ROLE_BUILD_SCRIPT] = 49, [ROLE_CC] = 25,
		[ROLE_AR] = 4,     [ROLE_PROBE] = 132,
	};
	struct rows rows = { NULL, 0, 0, false };

	(void)state;
	read_stage1(&rows);
	assert_others_explained(&rows);
	assert_counts(&rows, expected);
	assert_shims_agree(&rows);
	release_rows(&rows);
}

static void tag_process__recording_of_stage2__all_told(void **state)
{
	/* Of the 16 others 8 are the shell's tools, 4 never ran a program, and 4 were gone too soon. */
	static const size_t expected[ROLE_COUNT] = {
		[ROLE_OTHER] = 16, [ROLE_RUSTC] = 316,       [ROLE_RUSTC_SHIM] = 316,
		[ROLE_CARGO] = 7,  [ROLE_BOOTSTRAP] = 1,     [ROLE_X_PY] = 1,
		[ROLE_LINK] = 150, [ROLE_BUILD_SCRIPT] = 27, [ROLE_CC] = 25,
		[ROLE_AR] = 4,     [ROLE_PROBE] = 98,
	};
	struct rows rows = { NULL, 0, 0, false };

	(void)state;
	read_stage2(&rows);
	assert_others_explained(&rows);
	assert_counts(&rows, expected);
	assert_shims_agree(&rows);
	assert_complete(&rows);
	assert_int_equal(count(&rows, ROLE_RUSTC, "stage2-rustc", NULL),
			 count(&rows, ROLE_RUSTC, NULL, NULL));
	assert_int_equal(count(&rows, ROLE_RUSTC, "stage2-rustc", "rustc_middle"), 1);
	release_rows(&rows);
}

/* Crates by name, counted from both sides: the log adds, the processes take away. */
struct tally {
	struct tally_row {
		char *crate;
		int left;
	} * v;
	size_t nr, alloc;
};

static void tally_add(struct tally *tally, const char *crate, size_t len, int by)
{
	size_t i = 0;

	while (i < tally->nr &&
	       (strlen(tally->v[i].crate) != len || strncmp(tally->v[i].crate, crate, len) != 0))
		i++;
	if (i == tally->nr) {
		ARRAY_GROW(tally->v, tally->nr + 1, tally->alloc);
		tally->v[tally->nr++] = (struct tally_row){ xstrndup(crate, len), 0 };
	}
	tally->v[i].left += by;
}

static void assert_tally_even(struct tally *tally)
{
	bool even = true;

	for (size_t i = 0; i < tally->nr; i++) {
		if (tally->v[i].left)
			print_error("%s: %+d\n", tally->v[i].crate, tally->v[i].left);
		even &= !tally->v[i].left;
		free(tally->v[i].crate);
	}
	free(tally->v);
	assert_true(even);
}

/*
 * The "[RUSTC-TIMING] crate test:false seconds" lines of the stage 2 compiler. Cargo repeats the output of
 * what is fresh, so the library and the stage 1 compiler have such lines too, above.
 */
static size_t read_timings(struct tally *tally)
{
	static const char head[] = "[RUSTC-TIMING] ";
	struct strbuf line = STRBUF_INIT;
	FILE *file = open_unpacked(BUILD_LOG);
	bool stage2 = false;
	size_t lines = 0;

	while (next_line(file, &line)) {
		const char *crate = line.buf + strlen(head);

		if (text_starts_with(line.buf, "Building compiler artifacts (stage1 -> stage2"))
			stage2 = true;
		if (!stage2 || !text_starts_with(line.buf, head))
			continue;
		tally_add(tally, crate, strcspn(crate, " "), 1);
		lines++;
	}
	pclose(file);
	strbuf_release(&line);
	return lines;
}

/* As the log has it: build scripts under their crate's name, not their package's. */
static const char *name_given(const struct row *row)
{
	for (size_t i = 0; i + 1 < row->argv.nr; i++)
		if (!strcmp(row->argv.v[i], "--crate-name"))
			return row->argv.v[i + 1];
	return "";
}

static void tag_process__each_timing_line__has_its_rustc(void **state)
{
	struct rows rows = { NULL, 0, 0, false };
	struct tally tally = { NULL, 0, 0 };

	(void)state;
	assert_int_equal(read_timings(&tally), 316);
	read_stage2(&rows);
	for (size_t i = 0; i < rows.nr; i++) {
		const struct row *row = &rows.v[i];
		const char *name = name_given(row);

		if (row->tag.role != ROLE_RUSTC)
			continue;
		assert_int_equal(row->tag.built_by, 1);
		tally_add(&tally, name, strlen(name), -1);
		if (!text_starts_with(name, "build_script_"))
			assert_string_equal(row->tag.crate, name);
	}
	assert_tally_even(&tally);
	release_rows(&rows);
}

static void tag_process__each_compiled_build_script__has_run(void **state)
{
	struct rows rows = { NULL, 0, 0, false };
	struct tally tally = { NULL, 0, 0 };

	(void)state;
	read_stage2(&rows);
	for (size_t i = 0; i < rows.nr; i++) {
		const struct row *row = &rows.v[i];
		int by = row->tag.role == ROLE_BUILD_SCRIPT ? -1 : 0;

		if (row->tag.role == ROLE_RUSTC &&
		    text_starts_with(name_given(row), "build_script_"))
			by = 1;
		if (by)
			tally_add(&tally, row->tag.crate, strlen(row->tag.crate), by);
	}
	/* thiserror is built for the host and the target: one script, run twice. */
	tally_add(&tally, "thiserror", strlen("thiserror"), 1);
	/* Cargo's child in compiler/rustc was gone before the log's writer could read it. */
	tally_add(&tally, "rustc-main", strlen("rustc-main"), -1);
	assert_tally_even(&tally);
	release_rows(&rows);
}

static bool needs_environment(enum role role)
{
	return role == ROLE_CARGO || role == ROLE_PROBE || role == ROLE_OTHER;
}

/* Without environment and directories, but with the numbering known, what is built has the same tags. */
static void tag_process__bare_trace__same_tags(void **state)
{
	struct rows full = { NULL, 0, 0, false }, bare = { NULL, 0, 0, true };
	size_t differ = 0;

	(void)state;
	read_stage2(&full);
	read_stage2(&bare);
	for (size_t i = 0; i < full.nr; i++) {
		const struct tag *a = &full.v[i].tag, *b = &bare.v[i].tag;

		assert_int_equal(a->role, b->role);
		if (needs_environment(a->role))
			continue;
		if (a->built_by == b->built_by && same_text(a->part, b->part) &&
		    same_text(a->crate, b->crate) && same_text(a->target, b->target))
			continue;
		print_error("%s %d %s | %d %s\n", role_name(a->role), a->built_by, a->part,
			    b->built_by, b->part);
		differ++;
	}
	assert_int_equal(differ, 0);
	release_rows(&full);
	release_rows(&bare);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(tag_process__first_stage1_build__all_told),
		cmocka_unit_test(tag_process__recording_of_stage2__all_told),
		cmocka_unit_test(tag_process__each_timing_line__has_its_rustc),
		cmocka_unit_test(tag_process__each_compiled_build_script__has_run),
		cmocka_unit_test(tag_process__bare_trace__same_tags),
	};

	return cmocka_run_group_tests_name("tag corpus", tests, NULL, NULL);
}
