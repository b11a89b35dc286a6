#include "rundir/scrub_run.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/settings.h"
#include "model/process.h"
#include "platform/below.h"
#include "rundir/layout.h"
#include "rundir/processes.h"
#include "rundir/source.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/scrub_values.h"
#include "util/tab_field.h"
#include "util/text.h"
#include "util/utf8.h"

#define UTF16_MARK "\xff\xfe"

/* Scrub a string on the heap; NULL stays. */
static void scrub_string(struct scrub *scrub, char **string, enum scrub_form form)
{
	struct strbuf text = STRBUF_INIT;

	if (!*string)
		return;
	strbuf_adds(&text, *string);
	scrub_text(scrub, &text, form);
	free(*string);
	*string = strbuf_detach(&text);
}

static void scrub_strings(struct scrub *scrub, struct strvec *strings, enum scrub_form form)
{
	for (size_t i = 0; i < strings->nr; i++)
		scrub_string(scrub, &strings->v[i], form);
}

/* Of an environment the variables stay that tags follow from. */
static void scrub_environment(struct scrub *scrub, struct strvec *env)
{
	for (size_t i = env->nr; i-- > 0;) {
		if (scrub_keeps_variable(env->v[i]))
			continue;
		strvec_remove(env, i);
		scrub_note(scrub, "variables of processes", 1);
	}
	scrub_strings(scrub, env, SCRUB_TEXT);
}

static void scrub_process(struct scrub *scrub, struct process *process)
{
	scrub_string(scrub, &process->exe, SCRUB_TEXT);
	scrub_string(scrub, &process->cwd, SCRUB_TEXT);
	scrub_string(scrub, &process->why, SCRUB_COMMAND);
	process->tag.why = process->why;
	scrub_string(scrub, &process->tag.crate, SCRUB_TEXT);
	scrub_string(scrub, &process->tag.crate_type, SCRUB_TEXT);
	scrub_string(scrub, &process->tag.part, SCRUB_TEXT);
	scrub_string(scrub, &process->tag.target, SCRUB_TEXT);
	scrub_arguments(scrub, &process->argv);
	scrub_environment(scrub, &process->env);
	for (size_t i = 0; i < process->execs_nr; i++) {
		scrub_string(scrub, &process->execs[i].exe, SCRUB_TEXT);
		scrub_arguments(scrub, &process->execs[i].argv);
	}
	for (size_t i = 0; i < process->responses_nr; i++) {
		scrub_string(scrub, &process->responses[i].path, SCRUB_TEXT);
		scrub_string(scrub, &process->responses[i].text, SCRUB_COMMAND);
	}
}

static void scrub_process_line(struct scrub_lines *lines, struct strbuf *line)
{
	struct process_list list = PROCESS_LIST_INIT;
	int64_t damaged = 0;
	char *text;

	processes_parse(line->buf, line->len, "", &list, &damaged, NULL);
	strbuf_clear(line);
	if (list.nr) {
		scrub_process(lines->scrub, list.v[0]);
		text = processes_line(list.v[0]);
		strbuf_adds(line, text);
		free(text);
	} else if (damaged) {
		/* Views count it. */
		strbuf_adds(line, "damaged");
		scrub_note(lines->scrub, "damaged lines of " RUN_PROCESSES, 1);
	}
	process_list_release(&list);
}

static void scrub_command_line(struct scrub_lines *lines, struct strbuf *line)
{
	scrub_text(lines->scrub, line, SCRUB_COMMAND);
}

static void scrub_text_line(struct scrub_lines *lines, struct strbuf *line)
{
	scrub_text(lines->scrub, line, SCRUB_TEXT);
}

/* Without comments, as config.ini. */
static void scrub_toml_line(struct scrub_lines *lines, struct strbuf *line)
{
	bool comment = line->buf[strspn(line->buf, " \t")] == '#';

	if (comment)
		strbuf_clear(line);
	scrub_note(lines->scrub, "comments of " RUN_BOOTSTRAP_TOML, comment);
	scrub_text(lines->scrub, line, SCRUB_COMMAND);
}

static void scrub_value(struct scrub *scrub, const struct setting *setting, char **value)
{
	struct strvec arguments = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct err ignored = ERR_INIT;

	for (size_t i = 0; setting->choices && setting->choices[i]; i++) {
		if (!strcmp(*value, setting->choices[i]))
			return;
	}
	if (setting->type != SETTING_COMMAND || quote_split(*value, &arguments, &ignored)) {
		scrub_string(scrub, value, SCRUB_COMMAND);
	} else {
		scrub_arguments(scrub, &arguments);
		quote_add_split(&text, &arguments);
		free(*value);
		*value = strbuf_detach(&text);
	}
	err_clear(&ignored);
	strvec_release(&arguments);
}

/* Scrub a setting and add it to `to`. */
static void scrub_entry(struct scrub *scrub, const struct config_entry *entry, struct config *to)
{
	const struct setting *setting = setting_find(entry->section, entry->key);
	char *key = xstrdup(entry->key), *value = xstrdup(entry->value);

	if (setting_is_family(setting))
		scrub_string(scrub, &key, SCRUB_COMMAND);
	if (setting->type == SETTING_ENV) {
		scrub_note(scrub, "values of variables", *value != '\0');
		*value = '\0';
	} else if (setting->type == SETTING_TOML) {
		/* The key says whether the value is secret. */
		char *both = xasprintf("%s=%s", entry->key, value), *sign;

		scrub_string(scrub, &both, SCRUB_COMMAND);
		sign = strchr(both, '=');
		free(value);
		value = xstrdup(sign ? sign + 1 : both);
		free(both);
	} else {
		scrub_value(scrub, setting, &value);
	}
	config_set_entry(to, entry->section, key, value, entry->line);
	free(key);
	free(value);
}

/* A value may go on in further lines. */
static void scrub_config(struct scrub_lines *lines, struct strbuf *text)
{
	struct config config = CONFIG_INIT, scrubbed = CONFIG_INIT;

	scrub_note(lines->scrub, "lines of " RUN_CONFIG " that are no settings",
		   config_read_entries(text->buf, text->len, &config));
	for (size_t i = 0; i < config.entries_nr; i++)
		scrub_entry(lines->scrub, &config.entries[i], &scrubbed);
	strbuf_clear(text);
	config_add_entries(&scrubbed, text);
	config_release(&config);
	config_release(&scrubbed);
}

/* The fields of a line of symbols/, separated by tabs: docs/symbols.md. */
struct fields {
	const char *v[4];
	size_t nr, lengths[4]; /* the last one has all that follows */
};

static void divide(const struct strbuf *line, struct fields *fields)
{
	const char *at = line->buf;

	for (fields->nr = 0; fields->nr < ARRAY_SIZE(fields->v); fields->nr++) {
		const char *tab = fields->nr + 1 < ARRAY_SIZE(fields->v) ? strchr(at, '\t') : NULL;

		fields->v[fields->nr] = at;
		fields->lengths[fields->nr] = tab ? (size_t)(tab - at) : strlen(at);
		if (!tab) {
			fields->nr++;
			return;
		}
		at = tab + 1;
	}
}

static bool is_word(const struct fields *fields, size_t i, const char *word)
{
	return strlen(word) == fields->lengths[i] && !memcmp(fields->v[i], word, strlen(word));
}

static bool is_field(const struct fields *fields, const char *word)
{
	return is_word(fields, 0, word);
}

#define HEX "0123456789abcdefABCDEF"

/* Have the fields from `i` to before `end` these characters only? */
static bool have_only(const struct fields *fields, size_t i, size_t end, const char *characters)
{
	for (; i < end; i++) {
		for (size_t j = 0; j < fields->lengths[i]; j++) {
			if (!strchr(characters, fields->v[i][j]))
				return false;
		}
	}
	return true;
}

/* Is it the first line of a file? */
static bool is_head(const struct fields *fields)
{
	static const char *const heads[] = { "stagetrace-functions 1", "stagetrace-lines 1",
					     "stagetrace-stacks 1" };

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		if (fields->nr == 1 && is_field(fields, heads[i]))
			return true;
	}
	return false;
}

static bool is_module(const struct fields *fields)
{
	return is_field(fields, "module") && fields->nr > 2 &&
	       (is_word(fields, 1, "-") || have_only(fields, 1, 2, HEX)) &&
	       (fields->nr == 3 || is_word(fields, 3, "kernel"));
}

/* Has the line no text: a frame, a stack, that of a stack copy, or functions that were inlined at an offset? */
static bool is_numeric(const struct fields *fields)
{
	if (is_field(fields, "copy"))
		return fields->nr == 4 && have_only(fields, 1, 3, HEX) &&
		       (is_word(fields, 3, "whole") || is_word(fields, 3, "cut"));
	if (is_field(fields, "frame") || is_field(fields, "stack"))
		return have_only(fields, 1, fields->nr, HEX);
	return fields->nr > 1 && memchr(fields->v[1], ':', fields->lengths[1]) &&
	       have_only(fields, 0, 1, HEX) && have_only(fields, 1, fields->nr, "0123456789:-\t");
}

/* Remove what no reader understands; the first word stays that decides what the next lines mean. */
static void remove_damaged(struct scrub_lines *lines, struct strbuf *line,
			   const struct fields *fields)
{
	static const char *const words[] = { "module", "file", "name", "frame", "stack", "copy" };
	const char *word = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (is_field(fields, words[i]))
			word = words[i];
	}
	if (word && word == words[0])
		lines->hidden = true;
	strbuf_clear(line);
	strbuf_addf(line, "%s%sdamaged", word ? word : "", word ? "\t" : "");
	scrub_note(lines->scrub, "damaged lines of " RUN_SYMBOLS "/", 1);
}

/* Replace a field by `text`. */
static void put_field(struct strbuf *line, const struct fields *fields, size_t i,
		      const struct strbuf *text)
{
	struct strbuf made = STRBUF_INIT;
	const char *end = fields->v[i] + fields->lengths[i];

	strbuf_add(&made, line->buf, (size_t)(fields->v[i] - line->buf));
	strbuf_add(&made, text->buf, text->len);
	strbuf_adds(&made, end);
	strbuf_release(line);
	*line = made;
}

/* The line begins the functions of a module. False: its path is damaged. */
static bool scrub_module(struct scrub_lines *lines, struct strbuf *line,
			 const struct fields *fields)
{
	struct strbuf id = STRBUF_INIT, path = STRBUF_INIT, field = STRBUF_INIT;
	struct fields changed;

	strbuf_add(&id, fields->v[1], fields->lengths[1]);
	strbuf_add(&path, fields->v[2], fields->lengths[2]);
	if (!tab_field_decode(path.buf)) {
		strbuf_release(&id);
		strbuf_release(&path);
		return false;
	}
	strbuf_set_len(&path, strlen(path.buf));
	lines->hidden = scrub_is_hidden(lines->scrub, path.buf);
	scrub_id(lines->scrub, &id);
	scrub_path(lines->scrub, &path);
	tab_field_add(&field, path.buf);
	put_field(line, fields, 2, &field);
	divide(line, &changed);
	put_field(line, &changed, 1, &id);
	strbuf_release(&id);
	strbuf_release(&path);
	strbuf_release(&field);
	return true;
}

static void scrub_symbol_line(struct scrub_lines *lines, struct strbuf *line)
{
	struct strbuf text = STRBUF_INIT;
	struct fields fields;
	size_t at = 2;
	bool numbered;

	divide(line, &fields);
	if (is_head(&fields) || is_numeric(&fields))
		return;
	if (is_module(&fields) && scrub_module(lines, line, &fields))
		return;
	numbered = is_field(&fields, "file") || is_field(&fields, "name");
	if (fields.nr < 3 || !have_only(&fields, numbered, 2, HEX)) {
		remove_damaged(lines, line, &fields);
		return;
	}
	for (size_t i = at; i < fields.nr; i++)
		strbuf_addf(&text, "%s%.*s", i > at ? "\t" : "", (int)fields.lengths[i],
			    fields.v[i]);
	fields.lengths[at] = text.len;
	if (lines->hidden) {
		/* Names of functions stay different, and so views have as many rows. */
		size_t by = numbered ? 1 : 0;

		strbuf_clear(&text);
		strbuf_addf(&text, "other_%.*s", (int)fields.lengths[by], fields.v[by]);
	} else {
		scrub_text(lines->scrub, &text,
			   is_field(&fields, "file") ? SCRUB_TEXT : SCRUB_SYMBOL);
	}
	put_field(line, &fields, at, &text);
	strbuf_release(&text);
}

void scrub_lines_init(struct scrub_lines *lines, struct scrub *scrub, const char *path)
{
	static const struct {
		const char *path;
		void (*line)(struct scrub_lines *lines, struct strbuf *line);
	} known[] = {
		{ RUN_PROCESSES, scrub_process_line },
		{ RUN_CONFIG, scrub_config },
		{ RUN_SYMBOLS "/functions.txt", scrub_symbol_line },
		{ RUN_SYMBOLS "/lines.txt", scrub_symbol_line },
		{ RUN_SYMBOLS "/stacks.txt", scrub_symbol_line },
		{ RUN_OPEN_SH, scrub_text_line },
		{ RUN_OPEN_CMD, scrub_text_line },
		{ RUN_WPA_PROFILE, scrub_text_line },
		{ RUN_STACKTAGS, scrub_text_line },
		{ RUN_WPRP, scrub_text_line },
		{ RUN_BOOTSTRAP_TOML, scrub_toml_line },
	};

	*lines = (struct scrub_lines){ scrub, scrub_command_line, false, false };
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(path, known[i].path))
			lines->line = known[i].line;
	}
	lines->whole = lines->line == scrub_config;
}

void scrub_lines_add(struct scrub_lines *lines, const char *text, size_t len, struct strbuf *to)
{
	const char *end = text + len;
	struct strbuf line = STRBUF_INIT;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t nr;

		if (lines->whole)
			newline = NULL;
		nr = (size_t)((newline ? newline : end) - text);
		strbuf_clear(&line);
		strbuf_add(&line, text, nr);
		lines->line(lines, &line);
		strbuf_add(to, line.buf, line.len);
		if (newline)
			strbuf_addc(to, '\n');
		text += nr + (newline != NULL);
	}
	strbuf_release(&line);
}

int scrub_reserve_run(struct scrub *scrub, const char *dir, struct err *err)
{
	struct process_list list = PROCESS_LIST_INIT;
	struct run_source *source;
	int64_t damaged;
	int rc = run_source_open(dir, &source, err);

	if (rc)
		return -1;
	if (run_source_has(source, RUN_PROCESSES))
		rc = run_source_processes(source, &list, &damaged, NULL, err);
	for (size_t i = 0; i < list.nr; i++) {
		scrub_reserve(scrub, list.v[i]->tag.crate);
		scrub_reserve(scrub, list.v[i]->exe);
	}
	process_list_release(&list);
	run_source_free(source);
	return rc;
}

struct look {
	struct scrub *scrub;
	struct strbuf text; /* not looked at yet */
	bool begun, utf16, other;
	bool config; /* its values go on in further lines */
};

/* Line ends, tabs, page ends and colours of a terminal are in texts. */
static bool is_binary(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' && !memchr("\t\n\r\f\b\a\v\x1b", c, 8))
			return true;
	}
	return false;
}

/* The bytes up to the end of the last line; a unit of UTF-16 has 2. */
static size_t whole_lines(const struct strbuf *text, size_t unit)
{
	size_t nr = text->len - text->len % unit;

	while (nr && (text->buf[nr - unit] != '\n' || (unit == 2 && text->buf[nr - 1])))
		nr -= unit;
	return nr;
}

static void learn_settings(struct scrub *scrub, const char *text, size_t len)
{
	struct config config = CONFIG_INIT;

	if (len <= CONFIG_MAX)
		config_read_entries(text, len, &config);
	for (size_t i = 0; i < config.entries_nr; i++)
		scrub_learn(scrub, config.entries[i].value, strlen(config.entries[i].value));
	config_release(&config);
}

/* Learn from the first `nr` bytes. */
static void learn(struct look *look, size_t nr)
{
	struct strbuf *text = &look->text, utf8 = STRBUF_INIT;
	const char *from = text->buf;
	size_t len = nr;

	if (look->utf16) {
		utf8_add_utf16(&utf8, (const unsigned char *)text->buf, nr / 2);
		from = utf8.buf;
		len = utf8.len;
	}
	if (look->config)
		learn_settings(look->scrub, from, len);
	else
		scrub_learn(look->scrub, from, len);
	memmove(text->buf, text->buf + nr, text->len - nr);
	strbuf_set_len(text, text->len - nr);
	strbuf_release(&utf8);
}

static void take_part(void *data, const char *part, size_t len)
{
	struct look *look = data;

	if (!look->begun)
		look->utf16 = len >= 2 && !memcmp(part, UTF16_MARK, 2);
	look->begun = true;
	if (look->other)
		return;
	look->other = !look->utf16 && is_binary(part, len);
	strbuf_add(&look->text, part, len);
	if (!look->config)
		learn(look, whole_lines(&look->text, look->utf16 ? 2 : 1));
}

int scrub_look(struct scrub *scrub, const char *dir, const char *path, enum scrub_content *content,
	       struct err *err)
{
	struct look look = { .scrub = scrub,
			     .text = STRBUF_INIT,
			     .config = !strcmp(path, RUN_CONFIG) };
	int rc = below_read_parts(dir, path, take_part, &look, err);

	learn(&look, look.text.len);
	strbuf_release(&look.text);
	*content = look.other   ? SCRUB_CONTENT_OTHER
		   : look.utf16 ? SCRUB_CONTENT_UTF16
				: SCRUB_CONTENT_TEXT;
	return rc;
}

void scrub_from_utf16(struct strbuf *text)
{
	struct strbuf made = STRBUF_INIT;
	/* A file that was truncated in the meantime may lack it. */
	size_t mark = text->len >= 2 && !memcmp(text->buf, UTF16_MARK, 2) ? 2 : 0;

	utf8_add_utf16(&made, (const unsigned char *)text->buf + mark, (text->len - mark) / 2);
	strbuf_release(text);
	*text = made;
}

/* Replace the whole value, whatever name it is. */
static void replace(struct scrub *scrub, char **value, const char *to, const char *what)
{
	char *copy = xstrdup(to);

	scrub_note(scrub, what, strcmp(*value, copy) != 0);
	free(*value);
	*value = copy;
}

static void scrub_pairs(struct scrub *scrub, struct manifest_pair *pairs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		char **value = &pairs[i].value;

		if (!*value)
			continue;
		if (!strcmp(pairs[i].key, "user") || !strcmp(pairs[i].key, "caller"))
			replace(scrub, value, scrub_user(scrub, *value), "names of users");
		else if (!strcmp(pairs[i].key, "hostname"))
			replace(scrub, value, scrub_host(scrub), "names of the host");
		else
			scrub_string(scrub, value, SCRUB_COMMAND);
	}
}

static void scrub_command(struct scrub *scrub, struct manifest_command *command)
{
	scrub_string(scrub, &command->what, SCRUB_TEXT);
	scrub_arguments(scrub, &command->argv);
	scrub_string(scrub, &command->cwd, SCRUB_TEXT);
	scrub_environment(scrub, &command->env);
	scrub_string(scrub, &command->process, SCRUB_TEXT);
}

/* A text of the environment is a value of a variable, whatever its name is. */
static void scrub_facts(struct scrub *scrub, struct system_facts *facts)
{
	for (size_t i = 0; i < facts->nr; i++) {
		struct system_fact *fact = &facts->v[i];

		scrub_string(scrub, &fact->key, SCRUB_TEXT);
		if (!strcmp(fact->section, "environment") && fact->text)
			replace(scrub, &fact->text, "", "values of variables");
		else
			scrub_string(scrub, &fact->text, SCRUB_TEXT);
	}
}

/* As scrub_module(), so that views find it. The details name files of the machine, of any form. */
static void scrub_unnamed(struct scrub *scrub, struct manifest_unnamed *unnamed)
{
	struct strbuf path = STRBUF_INIT, id = STRBUF_INIT;

	strbuf_adds(&path, unnamed->path);
	scrub_path(scrub, &path);
	free(unnamed->path);
	unnamed->path = strbuf_detach(&path);
	if (unnamed->build_id) {
		strbuf_adds(&id, unnamed->build_id);
		scrub_id(scrub, &id);
		free(unnamed->build_id);
		unnamed->build_id = strbuf_detach(&id);
	}
	scrub_string(scrub, &unnamed->reason, SCRUB_TEXT);
	scrub_note(scrub, "details of why modules have no names", unnamed->why != NULL);
	free(unnamed->why);
	unnamed->why = NULL;
}

void scrub_manifest(struct scrub *scrub, struct manifest *manifest)
{
	size_t nr;
	const struct scrub_removed *list;

	manifest->scrubbed = true;
	scrub_string(scrub, &manifest->reason, SCRUB_COMMAND);
	scrub_string(scrub, &manifest->name, SCRUB_TEXT);
	scrub_string(scrub, &manifest->version, SCRUB_TEXT);
	scrub_string(scrub, &manifest->cookie, SCRUB_TEXT);
	free(manifest->place);
	manifest->place = NULL;
	scrub_pairs(scrub, manifest->host, manifest->host_nr);
	scrub_facts(scrub, &manifest->system);
	scrub_facts(scrub, &manifest->build);
	scrub_string(scrub, &manifest->recorder, SCRUB_TEXT);
	scrub_string(scrub, &manifest->recorder_version, SCRUB_TEXT);
	scrub_pairs(scrub, manifest->session, manifest->session_nr);
	for (size_t i = 0; i < manifest->snapshots_nr; i++)
		scrub_string(scrub, &manifest->snapshots[i].crate, SCRUB_TEXT);
	for (size_t i = 0; i < manifest->commands_nr; i++)
		scrub_command(scrub, &manifest->commands[i]);
	scrub_string(scrub, &manifest->source, SCRUB_TEXT);
	scrub_string(scrub, &manifest->git_branch, SCRUB_TEXT);
	scrub_string(scrub, &manifest->tracker, SCRUB_TEXT);
	scrub_strings(scrub, &manifest->warnings, SCRUB_COMMAND);
	for (size_t i = 0; i < manifest->stack_warnings_nr; i++)
		scrub_string(scrub, &manifest->stack_warnings[i].text, SCRUB_COMMAND);
	for (size_t i = 0; i < manifest->unnamed_nr; i++)
		scrub_unnamed(scrub, &manifest->unnamed[i]);
	for (size_t i = 0; i < manifest->undo_nr; i++) {
		scrub_string(scrub, &manifest->undo[i].path, SCRUB_TEXT);
		scrub_string(scrub, &manifest->undo[i].value, SCRUB_TEXT);
	}
	list = scrub_list(scrub, &nr);
	manifest_drop_removed(manifest);
	for (size_t i = 0; i < nr; i++)
		manifest_add_removed(manifest, list[i].what, (int64_t)list[i].count);
}
