#include "record/checkout.h"

#include <stdlib.h>
#include <string.h>

#include "platform/below.h"
#include "platform/child.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "rundir/hash.h"
#include "rundir/layout.h"
#include "rundir/source.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define GIT_TIMEOUT (60 * NS_PER_S)

/* A difference that grows beyond is not even hashed: build outputs that someone has committed, for one. */
#define DIFF_HASHED_MAX (INT64_C(256) << 20)

#define SUBMODULES_MAX 200

/* Of an entry of the index that is a submodule: "160000 COMMIT 0\tPATH". */
#define SUBMODULE_MODE "160000 "

/* The command line of git, but for its arguments. False: there is no git. */
static bool begin_git(const char *source, struct strvec *argv)
{
	/* The checkout often belongs to another user: perf needs root, x.py does not. */
	static const char *const options[] = { "--no-optional-locks",     "-c",
					       "safe.directory=*",        "-c",
					       "core.fsmonitor=false",    "-c",
					       "core.hooksPath=/dev/null" };
	struct err err = ERR_INIT;
	char *git = program_find_own("git", &err);

	err_clear(&err);
	if (!git)
		return false;
	strvec_push_nodup(argv, git);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		strvec_push(argv, options[i]);
	strvec_push(argv, "-C");
	strvec_push(argv, source);
	return true;
}

static void push_all(struct strvec *argv, const char *const *args)
{
	for (; *args; args++)
		strvec_push(argv, *args);
}

/*
 * Run git for at most `timeout_ns`. What it printed, without the final newline; `*fine`: it succeeded. NULL: there is no
 * git.
 */
static char *call_git(const char *source, const char *const *args, int64_t timeout_ns, bool *fine)
{
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	*fine = false;
	if (!begin_git(source, &argv))
		return NULL;
	push_all(&argv, args);
	*fine = !child_capture(&argv, NULL, timeout_ns, &output, &exit_code, &err) &&
		exit_code == 0;
	err_clear(&err);
	strvec_release(&argv);
	while (strbuf_ends_with(&output, "\n"))
		strbuf_set_len(&output, output.len - 1);
	return strbuf_detach(&output);
}

/* The output of git with these arguments, without the final newline; NULL if it fails. */
static char *run_git(const char *source, const char *const *args)
{
	bool fine;
	char *output = call_git(source, args, GIT_TIMEOUT, &fine);

	if (fine)
		return output;
	free(output);
	return NULL;
}

/* The same for a step that changes something: -1 with what git printed. */
static int do_git(const char *source, const char *const *args, int64_t timeout_ns, struct err *err)
{
	bool fine;
	char *output = call_git(source, args, timeout_ns, &fine);

	if (!output)
		err_set(err, ERR_NOT_FOUND, "there is no git");
	else if (!fine)
		err_set(err, ERR_FAILED, "git %s in '%s': %s", *args, source, output);
	free(output);
	return fine ? 0 : -1;
}

/* Is it the top of a checkout? One unpacked from a tarball may be inside another repository, which does not count. */
static bool is_top(const char *dir)
{
	static const char *const args[] = { "rev-parse", "--show-toplevel", NULL };
	char *top = run_git(dir, args), *real = top ? fs_absolute(top) : NULL,
	     *self = fs_absolute(dir);
	bool same = real && self && !strcmp(real, self);

	free(top);
	free(real);
	free(self);
	return same;
}

static int64_t count_lines(const char *text)
{
	int64_t lines = *text != '\0';

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* The number of lines that git prints; -1: it fails. */
static int64_t count_of_git(const char *source, const char *const *args)
{
	char *output = run_git(source, args);
	int64_t lines = output ? count_lines(output) : -1;

	free(output);
	return lines;
}

/* Is it a run, a recording that goes on, or a series of `nightly`, with the working trees of its commits? */
static bool is_recorded_dir(const char *dir)
{
	struct manifest manifest;
	struct err err = ERR_INIT;
	char *seed = fs_join(dir, SERIES_SEED);
	bool recorded = text_ends_with(dir, RUN_PARTIAL) ||
			(strstr(fs_file_name(dir), "-ab-") && fs_size(seed) >= 0);

	if (!recorded) {
		recorded = !manifest_read(dir, &manifest, &err);
		manifest_release(&manifest);
		err_clear(&err);
	}
	free(seed);
	return recorded;
}

static bool is_bundle(const char *path)
{
	struct run_source *source = NULL;
	struct err err = ERR_INIT;
	bool is = text_ends_with(path, ".zip") && !run_source_open(path, &source, &err);

	run_source_free(source);
	err_clear(&err);
	return is;
}

/* How much of a path in the checkout names what stagetrace made there; 0: nothing of it does. */
static size_t recorded_prefix(const char *source, const char *path)
{
	const char *slash = path;
	size_t found = 0;
	char *full = fs_join(source, path);

	while (!found && (slash = strchr(slash, '/'))) {
		char *name = xstrndup(path, (size_t)(slash - path)), *dir = fs_join(source, name);

		slash++;
		if (is_recorded_dir(dir))
			found = (size_t)(slash - path);
		free(name);
		free(dir);
	}
	if (!found && is_bundle(full))
		found = strlen(path);
	free(full);
	return found;
}

static bool is_in_same_dir(const char *path, const char *other)
{
	const char *end = strrchr(path, '/'), *of_other = strrchr(other, '/');
	size_t len = end ? (size_t)(end - path) : 0;

	return end && of_other && (size_t)(of_other - other) == len && !strncmp(path, other, len);
}

/*
 * The files that git neither knows nor ignores, but for recordings: the next one of the same tree would differ from the
 * first by those files alone.
 */
static int64_t count_untracked(const char *source)
{
	static const char *const args[] = { "-c",       "core.quotePath=false", "ls-files",
					    "--others", "--exclude-standard",   NULL };
	char *list = run_git(source, args), *line = list, *next;
	const char *last = "", *recorded = "";
	size_t len = 0;
	int64_t nr = 0;

	for (; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		else
			next = line + strlen(line);
		/* Odd names are in quotes. */
		line += *line == '"';
		if (len && !strncmp(line, recorded, len))
			continue;
		len = is_in_same_dir(line, last) && !text_ends_with(line, ".zip")
			      ? 0
			      : recorded_prefix(source, line);
		recorded = last = line;
		nr += !len;
	}
	free(list);
	return nr;
}

static int64_t count_changes(const char *source)
{
	static const char *const args[] = { "status", "--porcelain", "--untracked-files=no",
					    "--ignore-submodules=dirty", NULL };

	return count_of_git(source, args);
}

/* Run git with its output in the file at `path`, as long as that is not too large. */
static int write_diff(const char *source, const struct strvec *env, const char *path,
		      struct err *err)
{
	/* Whatever the user's configuration says, equal trees have equal texts. */
	static const char *const args[] = { "-c",
					    "core.safecrlf=false",
					    "-c",
					    "diff.orderFile=/dev/null",
					    "diff",
					    "--no-color",
					    "--no-ext-diff",
					    "--no-textconv",
					    "--no-renames",
					    "--full-index",
					    "--binary",
					    "--unified=3",
					    "--diff-algorithm=myers",
					    "--src-prefix=a/",
					    "--dst-prefix=b/",
					    "--ignore-submodules=dirty",
					    "HEAD",
					    NULL };
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .env = env, .output = path };
	int64_t end = clock_now() + GIT_TIMEOUT;
	struct child child;
	int rc = begin_git(source, &argv) ? 0 : err_set(err, ERR_NOT_FOUND, "there is no git");

	push_all(&argv, args);
	if (!rc)
		rc = child_start(&options, &child, err);
	if (!rc)
		rc = child_release(&child, &options, err);
	while (!rc && !child_wait(&child, 20 * NS_PER_MS)) {
		if (clock_now() < end && fs_size(path) <= DIFF_HASHED_MAX)
			continue;
		child_signal(&child, CHILD_KILL);
		child_wait(&child, GIT_TIMEOUT);
		rc = err_set(err, ERR_FAILED, "it is too large");
	}
	if (!rc && child.exit_code)
		rc = err_set(err, ERR_FAILED, "git diff has exit code %lld",
			     (long long)child.exit_code);
	strvec_release(&argv);
	return rc;
}

/* git refreshes the index when it compares: it gets a copy. */
static int copy_index(const char *source, const char *to, struct strvec *env, struct err *err)
{
	static const char *const args[] = { "rev-parse", "--git-path", "index", NULL };
	char *name = run_git(source, args), *path = name ? fs_join(source, name) : NULL;
	int rc = path ? fs_copy(path, to, err) : err_set(err, ERR_FAILED, "it has no index");

	if (!rc)
		strvec_pushf(env, "GIT_INDEX_FILE=%s", to);
	free(name);
	free(path);
	return rc;
}

/* Make the difference in the directory `temp`, and describe it. */
static int describe_diff(const char *source, const char *temp, const char *dir,
			 struct system_facts *facts, struct err *err)
{
	char *index = fs_join(temp, "index"), *diff = fs_join(temp, "diff");
	struct strvec env = STRVEC_INIT;
	char sha256[HASH_TEXT_SIZE];
	int64_t size = 0;
	int rc = copy_index(source, index, &env, err);

	if (!rc)
		rc = write_diff(source, &env, diff, err);
	if (!rc)
		rc = hash_file(temp, "diff", sha256, &size, err);
	if (!rc && size) {
		system_facts_add_number(facts, "checkout", "diff_bytes", size);
		system_facts_add(facts, "checkout", "diff_sha256", sha256);
		if (size > CHECKOUT_DIFF_MAX)
			rc = err_set(err, ERR_UNSUPPORTED, "it has %.1f MB",
				     (double)size / (1 << 20));
		else if (dir)
			rc = below_copy(diff, dir, RUN_SOURCE_DIFF, err);
	}
	strvec_release(&env);
	free(index);
	free(diff);
	return rc;
}

static void add_diff(const char *source, const char *dir, struct system_facts *facts,
		     struct strvec *notes)
{
	struct err err = ERR_INIT, ignored = ERR_INIT;
	char *temp = fs_temp_dir(&err);

	if (!temp || describe_diff(source, temp, dir, facts, &err)) {
		system_facts_add(facts, "checkout", "diff_kept", "no");
		strvec_pushf(notes, "what differs from the commit in '%s' is not kept: %s", source,
			     err.msg);
	}
	if (temp)
		fs_remove_tree(temp, &ignored);
	err_clear(&err);
	err_clear(&ignored);
	free(temp);
}

/* Append how many files of a submodule differ, and by which difference: what counts alike may be another one. */
static void add_changes(const char *dir, int64_t changes, struct strbuf *text)
{
	struct system_facts facts = { NULL, 0, 0 };
	struct err err = ERR_INIT, ignored = ERR_INIT;
	char *temp = fs_temp_dir(&err);
	const struct system_fact *sha256 = NULL;

	strbuf_addf(text, ", %lld file%s differ%s", (long long)changes, changes == 1 ? "" : "s",
		    changes == 1 ? "s" : "");
	if (temp && !describe_diff(dir, temp, NULL, &facts, &err))
		sha256 = system_facts_find(&facts, "checkout", "diff_sha256");
	if (sha256)
		strbuf_addf(text, ": %s", sha256->text);
	if (temp)
		fs_remove_tree(temp, &ignored);
	system_facts_release(&facts);
	err_clear(&err);
	err_clear(&ignored);
	free(temp);
}

/* The commit of a submodule that the checkout asks for; NULL: it is none. */
static char *commit_in_index(const char *source, const char *name)
{
	const char *const args[] = {
		"--literal-pathspecs", "ls-files", "--stage", "--", name, NULL
	};
	char *entry = run_git(source, args), *commit = NULL;

	if (entry && text_starts_with(entry, SUBMODULE_MODE)) {
		const char *at = entry + strlen(SUBMODULE_MODE);

		commit = xstrndup(at, strcspn(at, " "));
	}
	free(entry);
	return commit;
}

/* The commit that is checked out there, and how many of its files differ; else the one that x.py will check out. */
static void add_submodule(const char *source, const char *name, struct system_facts *facts)
{
	static const char *const head[] = { "rev-parse", "HEAD", NULL };
	char *dir = fs_join(source, name), *commit = is_top(dir) ? run_git(dir, head) : NULL;
	int64_t changes = commit ? count_changes(dir) : 0;
	struct strbuf text = STRBUF_INIT;

	if (!commit)
		commit = commit_in_index(source, name);
	if (commit) {
		strbuf_adds(&text, commit);
		if (changes)
			add_changes(dir, changes, &text);
		system_facts_add(facts, "submodules", name, text.buf);
	}
	strbuf_release(&text);
	free(commit);
	free(dir);
}

static void add_submodules(const char *source, struct system_facts *facts)
{
	static const char *const args[] = {
		"-c",           "core.quotePath=false",    "config", "--file", ".gitmodules",
		"--get-regexp", "^submodule\\..*\\.path$", NULL
	};
	char *list = run_git(source, args), *line = list, *next;

	for (int i = 0; line && i < SUBMODULES_MAX; i++, line = next) {
		char *name = strchr(line, ' ');

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		/* A stranger's .gitmodules may name any place. */
		if (name && manifest_is_path(name + 1))
			add_submodule(source, name + 1, facts);
	}
	free(list);
}

void checkout_describe(const char *source, const char *dir, struct manifest *manifest,
		       struct strvec *notes)
{
	static const char *const head[] = { "rev-parse", "HEAD", NULL };
	static const char *const branch[] = { "rev-parse", "--abbrev-ref", "HEAD", NULL };
	int64_t others;

	if (!is_top(source))
		return;
	manifest->git_commit = run_git(source, head);
	manifest->git_branch = run_git(source, branch);
	manifest->git_dirty = count_changes(source);
	if (manifest->git_dirty)
		add_diff(source, dir, &manifest->build, notes);
	others = count_untracked(source);
	if (others > 0)
		system_facts_add_number(&manifest->build, "checkout", "untracked_files", others);
	add_submodules(source, &manifest->build);
}

int checkout_switch(const char *source, const char *commit, struct err *err)
{
	const char *const args[] = { "checkout", "--quiet", "--detach", commit, NULL };

	return do_git(source, args, 10 * GIT_TIMEOUT, err);
}

char *checkout_find_commit(const char *source, const char *name)
{
	char *commit = xasprintf("%s^{commit}", name);
	const char *const args[] = { "rev-parse",        "--verify", "--quiet",
				     "--end-of-options", commit,     NULL };
	char *found = *name ? run_git(source, args) : NULL;

	free(commit);
	return found;
}

char *checkout_find_toml(const char *source)
{
	static const char *const names[] = { "bootstrap.toml", "config.toml" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = fs_join(source, names[i]);

		if (fs_size(path) >= 0)
			return path;
		free(path);
	}
	return NULL;
}

int checkout_add_tree(const char *source, const char *commit, const char *dir, struct err *err)
{
	const char *const args[] = { "worktree", "add", "--quiet", "--detach", dir, commit, NULL };

	return do_git(source, args, 10 * GIT_TIMEOUT, err);
}
