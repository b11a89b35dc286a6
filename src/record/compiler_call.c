#include "record/compiler_call.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "tag/argv.h"
#include "util/alloc.h"
#include "util/strset.h"
#include "util/text.h"
#include "util/utf8.h"

/* So many calls of a crate are listed. */
#define CALLS_LISTED 20

/* Larger ones are not read. */
#define DEP_INFO_MAX (4 << 20)

/* So many variables are taken from it. */
#define DEP_ENV_MAX 500

#define ENV_DEP "# env-dep:"

/* Values of -C and -Z that name a place which rustc writes to. */
static const char output_settings[] =
	"incremental self-profile temps-dir dump-mir-dir dump-mono-stats nll-facts-dir "
	"metrics-dir remark-dir profile-emit split-dwarf-out-dir";

/* Those that do so without a value, into the directory of the call. */
static const char bare_settings[] = "self-profile dump-mono-stats";

static bool is_chosen(const struct process *process, const struct compiler_choice *choice)
{
	const struct tag *tag = &process->tag;

	return tag->role == ROLE_RUSTC && (!choice->pid || process->pid == choice->pid) &&
	       (!choice->crate || (tag->crate && !strcmp(tag->crate, choice->crate))) &&
	       (!choice->part || (tag->part && !strcmp(tag->part, choice->part)));
}

static void add_choice(const struct compiler_choice *choice, struct strbuf *sb)
{
	if (choice->crate)
		strbuf_addf(sb, " of crate '%s'", choice->crate);
	if (choice->part)
		strbuf_addf(sb, " in part '%s'", choice->part);
	if (choice->pid)
		strbuf_addf(sb, " with pid %lld", (long long)choice->pid);
}

/* What a run says may not end a line. */
static void add_text(struct strbuf *sb, const char *before, const char *text)
{
	if (!text)
		return;
	strbuf_adds(sb, before);
	utf8_add_printable(sb, text);
}

static void add_call(const struct process *process, struct strbuf *sb)
{
	const struct tag *tag = &process->tag;

	strbuf_addf(sb, "--pid %lld", (long long)process->pid);
	add_text(sb, "  ", tag->crate ? tag->crate : "?");
	add_text(sb, ", ", tag->crate_type);
	add_text(sb, ", ", tag->part);
	add_text(sb, ", for ", tag->target);
	if (process->cpu_ns != PROCESS_UNKNOWN) {
		strbuf_adds(sb, ", ");
		text_add_duration(sb, process->cpu_ns);
		strbuf_adds(sb, " CPU");
	}
	strbuf_addc(sb, '\n');
}

static void add_calls(const struct process_list *list, const struct compiler_choice *choice,
		      size_t found, struct strbuf *several)
{
	size_t listed = 0;

	for (size_t i = 0; i < list->nr && listed < CALLS_LISTED; i++) {
		if (is_chosen(list->v[i], choice)) {
			add_call(list->v[i], several);
			listed++;
		}
	}
	if (found > listed)
		strbuf_addf(several, "and %zu more\n", found - listed);
}

/* A build script has the crate of its package, and another --crate-name. */
static bool is_named(const struct process *process, const struct compiler_choice *choice)
{
	const char *name = argv_value(&process->argv, 1, "--crate-name");

	return choice->crate && name && !strcmp(name, choice->crate);
}

static const char *crate_of(const struct process *process)
{
	return process->tag.crate;
}

static const char *part_of(const struct process *process)
{
	return process->tag.part;
}

/* Of what no call of rustc has, which one may have been meant. */
static void add_nearest(const struct process_list *list, const char *word,
			const char *(*name_of)(const struct process *process), struct strbuf *sb)
{
	struct strset names = STRSET_INIT;
	const char *near = NULL;

	for (size_t i = 0; word && i < list->nr; i++) {
		if (list->v[i]->tag.role == ROLE_RUSTC && name_of(list->v[i]))
			strset_add(&names, name_of(list->v[i]));
	}
	if (names.strings.nr && strset_find(&names, word) == STRSET_NONE)
		near = text_nearest(word, (const char *const *)names.strings.v, names.strings.nr);
	add_text(sb, " (did you mean '", near);
	strbuf_adds(sb, near ? "'?)" : "");
	strset_release(&names);
}

int compiler_call_find(const struct process_list *list, const struct compiler_choice *choice,
		       const struct process **process, struct strbuf *several, struct err *err)
{
	struct strbuf what = STRBUF_INIT;
	size_t found = 0, named = 0;

	for (size_t i = 0; i < list->nr; i++) {
		if (!is_chosen(list->v[i], choice))
			continue;
		found++;
		named += is_named(list->v[i], choice);
		if (found == 1 || is_named(list->v[i], choice))
			*process = list->v[i];
	}
	if (found == 1 || named == 1)
		return 0;
	add_choice(choice, &what);
	if (found) {
		add_calls(list, choice, found, several);
		err_set(err, ERR_USAGE,
			"there are %zu calls of rustc%s, listed above: choose one with --part or "
			"--pid",
			found, what.buf);
	} else {
		add_nearest(list, choice->crate, crate_of, &what);
		add_nearest(list, choice->part, part_of, &what);
		err_set(err, ERR_NOT_FOUND,
			"the run has no call of rustc%s; 'stagetrace processes RUN --role rustc' "
			"lists them",
			what.buf);
	}
	strbuf_release(&what);
	return -1;
}

/* The contents of an @file argument; a process that ran several programs may have read it more than once. */
static const char *find_response(const struct process *process, const char *arg)
{
	for (size_t i = process->responses_nr; i-- > 0;)
		if (arg[0] == '@' && !strcmp(process->responses[i].path, arg + 1))
			return process->responses[i].text;
	return NULL;
}

/* rustc takes each line of such a file as one argument. */
static void push_lines(const char *text, struct strvec *argv)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		size_t kept = len && text[len - 1] == '\r' ? len - 1 : len;

		strvec_push_nodup(argv, xstrndup(text, kept));
		text += len + (text[len] == '\n');
	}
}

/* Flags of one letter may share an argument with an option of one: -go FILE. False: it is no such argument. */
static bool split_flags(const char *arg, struct strvec *args)
{
	size_t flags = arg[0] == '-' ? strspn(arg + 1, "gOv") : 0;

	if (!flags || !arg[1 + flags] || !strchr("oCZ", arg[1 + flags]))
		return false;
	for (size_t i = 1; i <= flags; i++)
		strvec_pushf(args, "-%c", arg[i]);
	strvec_pushf(args, "-%s", arg + 1 + flags);
	return true;
}

/* The arguments after argv[0], with those of @files in their place. Returns whether there were such files. */
static bool expand(const struct process *process, struct strvec *args, struct compiler_call *call)
{
	bool expanded = false;

	for (size_t i = 1; i < process->argv.nr; i++) {
		const char *arg = process->argv.v[i], *text = find_response(process, arg);

		if (text)
			push_lines(text, args);
		else if (split_flags(arg, args))
			continue;
		else if (arg[0] == '@')
			strvec_pushf(&call->missing,
				     "the contents of '%s', an argument of the recorded call, are "
				     "not in the run",
				     arg);
		else
			strvec_push(args, arg);
		expanded |= text != NULL;
	}
	return expanded;
}

static char *move_file(const char *outputs, const char *path)
{
	return !strcmp(path, "-") ? xstrdup(path) : fs_join(outputs, text_file_name(path));
}

/* "dep-info=a/b.d,link": what has a path gets one in `outputs`. */
static char *move_list(const char *outputs, const char *list)
{
	struct strbuf moved = STRBUF_INIT;

	while (*list) {
		size_t len = strcspn(list, ","), kind = strcspn(list, ",=");

		if (kind < len) {
			char *path = xstrndup(list + kind + 1, len - kind - 1);
			char *to = move_file(outputs, path);

			strbuf_add(&moved, list, kind + 1);
			strbuf_adds(&moved, to);
			free(to);
			free(path);
		} else {
			strbuf_add(&moved, list, len);
		}
		list += len;
		if (*list == ',')
			strbuf_addc(&moved, *list++);
	}
	return strbuf_detach(&moved);
}

/* "incremental=a/b", for -C and -Z. rustc takes "_" for "-". */
static char *move_setting(const char *outputs, const char *setting, struct compiler_call *call)
{
	size_t len = strcspn(setting, "=");
	char *name = xstrndup(setting, len), *moved;

	for (char *c = name; *c; c++)
		if (*c == '_')
			*c = '-';
	if (!text_has_word(setting[len] ? output_settings : bare_settings, name)) {
		moved = xstrdup(setting);
	} else {
		moved = xasprintf("%s=%s/%s", name, outputs, name);
		if (!strcmp(name, "incremental"))
			strvec_push(&call->notes,
				    "the recorded call was incremental: this one begins with "
				    "nothing compiled");
	}
	free(name);
	return moved;
}

static bool is_there(const char *cwd, const char *path)
{
	char *full = fs_join(cwd, path);
	bool there = fs_exists(full);

	free(full);
	return there;
}

/* NAME=PATH, priv:NAME=PATH; without a path the crate is searched for. */
static void check_extern(const char *cwd, const char *value, struct compiler_call *call)
{
	const char *path = strchr(value, '=');

	if (path && !is_there(cwd, path + 1))
		strvec_pushf(&call->missing,
			     "there is no '%s', which the crate uses: build it again, with the "
			     "same compiler",
			     path + 1);
}

/* Append the arguments, with other places for the outputs. */
static void move_outputs(const struct strvec *args, const char *cwd,
			 const struct compiler_options *options, struct strvec *moved,
			 struct compiler_call *call)
{
	const char *outputs = options->outputs;
	bool placed = false, dumps = false;

	for (size_t i = 0; i < args->nr; i++) {
		const char *arg = args->v[i], *value;
		char *to = NULL;

		if (argv_take_value(args, &i, "--out-dir")) {
			placed = true;
			strvec_pushf(moved, "--out-dir=%s", outputs);
		} else if ((value = argv_take_value(args, &i, "--output")) ||
			   (value = argv_take_value(args, &i, "-o"))) {
			placed = true;
			strvec_push(moved, "-o");
			strvec_push_nodup(moved, move_file(outputs, value));
		} else if ((value = argv_take_value(args, &i, "--emit"))) {
			to = move_list(outputs, value);
			strvec_pushf(moved, "--emit=%s", to);
		} else if ((value = argv_take_value(args, &i, "--print"))) {
			to = move_list(outputs, value);
			strvec_pushf(moved, "--print=%s", to);
		} else if ((value = argv_take_value(args, &i, "-C")) ||
			   (value = argv_take_value(args, &i, "--codegen"))) {
			to = move_setting(outputs, value, call);
			strvec_pushf(moved, "-C%s", to);
		} else if ((value = argv_take_value(args, &i, "-Z"))) {
			to = move_setting(outputs, value, call);
			strvec_pushf(moved, "-Z%s", to);
			dumps |= text_starts_with(value, "dump-mir=") ||
				 text_starts_with(value, "dump_mir=");
		} else {
			strvec_push(moved, arg);
			if (rustc_takes_next(arg) && i + 1 < args->nr)
				strvec_push(moved, args->v[++i]);
			if (options->look && !strcmp(arg, "--extern"))
				check_extern(cwd, args->v[i], call);
			else if (options->look && text_starts_with(arg, "--extern="))
				check_extern(cwd, arg + strlen("--extern="), call);
		}
		free(to);
	}
	if (!placed)
		strvec_pushf(moved, "--out-dir=%s", outputs);
	/* The last one counts. */
	if (dumps)
		strvec_pushf(moved, "-Zdump-mir-dir=%s/dump-mir-dir", outputs);
}

/* The value of -C NAME=VALUE; NULL: not given. The last one counts. */
static const char *find_codegen(const struct strvec *args, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < args->nr; i++) {
		const char *value = argv_take_value(args, &i, "-C");

		if (!value)
			value = argv_take_value(args, &i, "--codegen");
		if (value && text_starts_with(value, name) && value[strlen(name)] == '=')
			found = value + strlen(name) + 1;
	}
	return found;
}

/* A path for --emit dep-info; NULL: none is given. The caller frees it. */
static char *find_emit_path(const struct strvec *args)
{
	static const char kind[] = "dep-info=";
	const char *list = argv_value(args, 0, "--emit");
	const char *at = list ? strstr(list, kind) : NULL;

	if (!at || (at != list && at[-1] != ','))
		return NULL;
	at += strlen(kind);
	return xstrndup(at, strcspn(at, ","));
}

/* Where the recorded call wrote its file of dependencies: --emit, -o with another extension, --out-dir. */
static char *dep_info_path(const struct strvec *args, const char *cwd)
{
	struct rustc_options options = rustc_options_scan(args, 0);
	const char *extra = find_codegen(args, "extra-filename");
	char *name = find_emit_path(args), *path;

	if (!name && options.output) {
		const char *file = text_file_name(options.output), *dot = strrchr(file, '.');
		size_t len = dot ? (size_t)(dot - options.output) : strlen(options.output);

		name = xasprintf("%.*s.d", (int)len, options.output);
	} else if (!name) {
		char *file = xasprintf("%s%s.d", options.crate_name ? options.crate_name : "",
				       extra ? extra : "");

		name = options.out_dir ? fs_join(options.out_dir, file) : xstrdup(file);
		free(file);
	}
	path = fs_join(cwd, name);
	free(name);
	return path;
}

static bool has_variable(const struct strvec *env, const char *pair)
{
	size_t len = strcspn(pair, "=") + 1;

	for (size_t i = 0; i < env->nr; i++)
		if (!strncmp(env->v[i], pair, len))
			return true;
	return false;
}

/* rustc writes line breaks and backslashes as \n, \r and \\. */
static char *unescape(const char *text, size_t len)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '\\' && i + 1 < len) {
			c = text[++i];
			c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
		}
		strbuf_addc(&sb, c);
	}
	return strbuf_detach(&sb);
}

/* A name without a value was not set when the crate read it. */
static void add_dep_env(const char *text, struct compiler_call *call, struct strbuf *names)
{
	size_t taken = 0;

	while (text) {
		size_t len = strcspn(text, "\r\n");

		if (text_starts_with(text, ENV_DEP) && memchr(text, '=', len)) {
			char *pair = unescape(text + strlen(ENV_DEP), len - strlen(ENV_DEP));

			if (!has_variable(&call->env, pair) && taken++ < DEP_ENV_MAX) {
				strvec_push(&call->env, pair);
				strbuf_addf(names, "%s%.*s", names->len ? ", " : "",
					    (int)strcspn(pair, "="), pair);
			}
			free(pair);
		}
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
}

/* From the file of dependencies. Their values are in the new run, which the recorded one does not have. */
static void add_dependencies(const struct process *process, const struct strvec *args,
			     struct compiler_call *call)
{
	char *path = dep_info_path(args, process->cwd);
	struct strbuf text = STRBUF_INIT, names = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (fs_is_stream(path) || fs_read(path, DEP_INFO_MAX, &text, &err))
		strvec_pushf(&call->notes,
			     "there is no '%s': variables that the crate reads, and the run does "
			     "not keep, are not set",
			     path);
	else
		add_dep_env(text.buf, call, &names);
	if (names.len)
		strvec_pushf(&call->notes, "from '%s', and in the new run: the variables %s", path,
			     names.buf);
	err_clear(&err);
	strbuf_release(&names);
	strbuf_release(&text);
	free(path);
}

static void add_environment(const struct process *process, const struct strvec *args, bool look,
			    struct compiler_call *call)
{
	/* An environment may have texts that are no variables. */
	for (size_t i = 0; i < process->env.nr; i++) {
		const char *pair = process->env.v[i], *end = strchr(pair, '=');

		if (end && end > pair)
			strvec_push(&call->env, pair);
	}
	if (!call->env.nr)
		strvec_push(&call->notes, "the run keeps no variables of the call (it may be "
					  "scrubbed): a crate that reads one does not compile");
	if (look)
		add_dependencies(process, args, call);
}

static void check_inputs(const struct process *process, const char *compiler,
			 const struct strvec *args, struct compiler_call *call)
{
	struct rustc_options options = rustc_options_scan(args, 0);

	if (!fs_is_executable(compiler))
		strvec_pushf(&call->missing,
			     "there is no compiler '%s': build it again, or use another one with "
			     "--with",
			     compiler);
	if (!fs_is_dir(process->cwd))
		strvec_pushf(&call->missing, "there is no directory '%s', in which the call ran",
			     process->cwd);
	else if (options.source && !strcmp(options.source, "-"))
		strvec_push(&call->missing, "the source, which was the call's standard input, is "
					    "not in the run");
	else if (options.source && !is_there(process->cwd, options.source))
		strvec_pushf(&call->missing, "there is no source '%s' in '%s'", options.source,
			     process->cwd);
}

static bool has_line_break(const struct strvec *args)
{
	for (size_t i = 0; i < args->nr; i++)
		if (strpbrk(args->v[i], "\r\n"))
			return true;
	return false;
}

/* With many arguments, as they were: in a file. */
static void push_arguments(const struct strvec *moved, bool in_file, const char *outputs,
			   struct compiler_call *call)
{
	struct strbuf lines = STRBUF_INIT;

	if (!in_file || has_line_break(moved)) {
		strvec_push_all(&call->argv, moved);
		return;
	}
	for (size_t i = 0; i < moved->nr; i++)
		strbuf_addf(&lines, "%s\n", moved->v[i]);
	call->arguments = strbuf_detach(&lines);
	strvec_pushf(&call->argv, "@%s/arguments", outputs);
}

int compiler_call_make(const struct process *process, const struct compiler_options *options,
		       struct compiler_call *call, struct err *err)
{
	struct strvec args = STRVEC_INIT, moved = STRVEC_INIT;
	const char *path = options->compiler ? options->compiler : process->exe;
	bool in_file;

	*call = (struct compiler_call)COMPILER_CALL_INIT;
	if (process->argv.nr < 2 || process->argv_lost || !process->cwd || !path)
		return err_set(err, ERR_FAILED,
			       "the command line, directory or path of process %lld is not in the "
			       "run",
			       (long long)process->pid);
	in_file = expand(process, &args, call) && !options->in_line;
	if (options->look)
		check_inputs(process, path, &args, call);
	move_outputs(&args, process->cwd, options, &moved, call);
	add_environment(process, &args, options->look, call);
	strvec_push(&call->argv, path);
	push_arguments(&moved, in_file, options->outputs, call);
	strvec_release(&args);
	strvec_release(&moved);
	return 0;
}

void compiler_call_release(struct compiler_call *call)
{
	strvec_release(&call->argv);
	free(call->arguments);
	strvec_release(&call->env);
	strvec_release(&call->missing);
	strvec_release(&call->notes);
}
