/*
 * Reads and checks a configuration file; writes the configuration as used.
 */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/ini_reader.h"
#include "config/problems.h"
#include "config/settings.h"
#include "config/values.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/ascii.h"
#include "util/quote.h"
#include "util/text.h"

/* Width of written lines: below INI_LINE_MAX even if every character is escaped. */
#define CHUNK_MAX 90

/* The default name of the run: the INI file's name, with invalid characters replaced. */
static char *default_name(const char *path)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_.-";
	struct strbuf sb = STRBUF_INIT;
	const char *base = path;

	for (const char *p = path; *p; p++)
		if (*p == '/' || *p == '\\')
			base = p + 1;
	base += strspn(base, ".-");
	for (; *base && strcmp(base, ".ini") && sb.len < 60; base++)
		strbuf_addc(&sb, strchr(safe, *base) ? *base : '-');
	if (!sb.len || sb.buf[0] == '-' || sb.buf[0] == '.')
		strbuf_adds(&sb, "run");
	if (sb.buf[0] == '-' || sb.buf[0] == '.')
		sb.buf[0] = '_';
	return strbuf_detach(&sb);
}

/* A copy without leading and trailing blanks, which a file's values do not have either. */
static char *trim(const char *s, size_t len)
{
	while (len && (*s == ' ' || *s == '\t')) {
		s++;
		len--;
	}
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	return xstrndup(s, len);
}

static bool has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' && *s != '\t')
			return true;
	return false;
}

static void apply_override(struct config *config, const char *arg, struct problems *problems)
{
	const char *dot = strchr(arg, '.'), *equals = strchr(arg, '=');
	char *section, *key, *value;
	struct strbuf why = STRBUF_INIT;

	if (!dot || !equals || dot > equals) {
		problems_add_override(problems, arg, "must be SECTION.KEY=VALUE");
		return;
	}
	section = trim(arg, (size_t)(dot - arg));
	key = trim(dot + 1, (size_t)(equals - dot - 1));
	value = trim(equals + 1, strlen(equals + 1));
	if (setting_refuse_section(section, &why) || setting_refuse(section, key, &why))
		problems_add_override(problems, arg, "%s", why.buf);
	else if (has_control(key) || has_control(value))
		problems_add_override(problems, arg, "a control character");
	else
		config_set_entry(config, section, key, value, 0);
	strbuf_release(&why);
	free(section);
	free(key);
	free(value);
}

static void apply_entries(struct config *config, const char *dir, struct problems *problems)
{
	for (size_t i = 0; i < config->entries_nr; i++) {
		const struct config_entry *entry = &config->entries[i];
		const struct setting *setting = setting_find(entry->section, entry->key);
		struct err err = ERR_INIT;
		char *arg;

		if (!value_set(setting, entry->key, entry->value, dir, config, &err))
			continue;
		arg = xasprintf("%s.%s=%s", entry->section, entry->key, entry->value);
		if (entry->line)
			problems_add_line(problems, entry->line, "%s", err.msg);
		else
			problems_add_override(problems, arg, "%s", err.msg);
		free(arg);
		err_clear(&err);
	}
}

static void apply_defaults(struct config *config, const char *dir, struct problems *problems)
{
	size_t count;
	const struct setting *table = setting_table(&count);

	for (size_t i = 0; i < count; i++) {
		const struct setting *setting = &table[i];
		struct err err = ERR_INIT;
		int rc = 0;

		if (setting_is_family(setting) ||
		    config_find_entry(config, setting->section, setting->key))
			continue;
		if (setting->fallback)
			rc = value_set(setting, setting->key, setting->fallback, dir, config, &err);
		/* With [heap] pid nothing is built. */
		else if (setting->required && !config->heap_job.pids.nr)
			problems_add_file(problems, "[%s] must set '%s': %s", setting->section,
					  setting->key, setting->help);
		assert(!rc);
		(void)rc;
	}
	if (!config->name)
		config->name = default_name(config->path);
}

/* Does an entry belong to the bootstrap that a command replaces? Variables of [stage2] stay, for the command. */
static bool is_of_bootstrap(const struct config_entry *entry)
{
	if (!strcmp(entry->section, "run"))
		return !strcmp(entry->key, "source");
	if (!strcmp(entry->section, "stage2"))
		return !text_starts_with(entry->key, "env.");
	return !strcmp(entry->section, "bootstrap") || !strcmp(entry->section, "stage1");
}

static void replace_bootstrap(struct config *config, const struct strvec *command,
			      struct problems *problems)
{
	struct strbuf value = STRBUF_INIT;
	char *here = value_absolute_path(".");

	config_remove_entries(config, is_of_bootstrap);
	quote_add_split(&value, command);
	for (size_t i = 0; i < command->nr; i++)
		if (has_control(command->v[i]) || !strcmp(command->v[i], "{set}"))
			problems_add_file(
				problems,
				"argument %zu of the command has a control character or is "
				"{set}: put the command into a script",
				i);
	config_set_entry(config, "run", "source", here, 0);
	config_set_entry(config, "stage2", "command", value.buf, 0);
	free(here);
	strbuf_release(&value);
}

int config_load_text(const char *path, const char *text, size_t len,
		     const struct config_changes *changes, struct config *config, struct err *err)
{
	struct problems problems = PROBLEMS_INIT(path);
	char *dir = fs_dirname(path);
	int rc;

	*config = (struct config)CONFIG_INIT;
	config->path = xstrdup(path);
	ini_read(text, len, config, &problems);
	if (changes && changes->command.nr)
		replace_bootstrap(config, &changes->command, &problems);
	for (size_t i = 0; changes && i < changes->set.nr; i++)
		apply_override(config, changes->set.v[i], &problems);
	apply_entries(config, dir, &problems);
	apply_defaults(config, dir, &problems);
	rc = problems_result(&problems, err);
	if (rc)
		config_release(config);
	problems_release(&problems);
	free(dir);
	return rc;
}

int config_load(const char *path, const struct config_changes *changes, struct config *config,
		struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	*config = (struct config)CONFIG_INIT;
	/* A FIFO would be waited for; that of a shell, <(...), has a writer. */
	if (fs_is_stream(path) && !text_starts_with(path, "/dev/"))
		rc = err_set(err, ERR_UNSUPPORTED, "'%s' is not a regular file", path);
	else
		rc = fs_read(path, CONFIG_MAX, &text, err);
	if (!rc)
		rc = config_load_text(path, text.buf, text.len, changes, config, err);
	strbuf_release(&text);
	return rc;
}

/* Append `len` bytes, with a backslash before what would otherwise be lost (see ini_reader.h). */
static void add_escaped(struct strbuf *sb, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!i || ascii_is_blank(s[i - 1])) {
			size_t run = strspn(s + i, "\\");
			char c = i + run < len ? s[i + run] : '\0';

			if (c == ';' || (c == '#' && (run || !i)) || (ascii_is_blank(c) && !i))
				strbuf_addc(sb, '\\');
		}
		strbuf_addc(sb, s[i]);
	}
}

/* The position at which to break a long value: after a blank if possible, else at any character. */
static size_t find_break(const char *s, size_t max)
{
	size_t at = max;

	while (at > 1 && !(ascii_is_blank(s[at - 1]) && !ascii_is_blank(s[at])))
		at--;
	if (at > 1)
		return at;
	for (at = max; at > 1 && ((unsigned char)s[at] & 0xc0) == 0x80; at--)
		;
	return at > 1 ? at : max;
}

/* Append one setting as INI text. `value` has no control characters, and no blanks at its ends. */
static void write_setting(struct strbuf *sb, const char *key, const char *value)
{
	size_t max = (INI_LINE_MAX - strlen(key) - 4) / 2;

	strbuf_addf(sb, "%s =%s", key, *value ? " " : "");
	if (max > CHUNK_MAX)
		max = CHUNK_MAX;
	while (strlen(value) > max) {
		size_t len = find_break(value, max);

		add_escaped(sb, value, len);
		strbuf_adds(sb, "\\\n\t");
		value += len;
		max = CHUNK_MAX;
	}
	add_escaped(sb, value, strlen(value));
	strbuf_addc(sb, '\n');
}

static void add_section(struct strbuf *sb, const char *section)
{
	strbuf_addf(sb, "%s[%s]\n", sb->len ? "\n" : "", section);
}

size_t config_read_entries(const char *text, size_t len, struct config *config)
{
	struct problems problems = PROBLEMS_INIT("");
	size_t nr;

	ini_read(text, len, config, &problems);
	nr = problems.nr;
	problems_release(&problems);
	return nr;
}

void config_add_entries(const struct config *config, struct strbuf *sb)
{
	const char *section = "";

	for (size_t i = 0; i < config->entries_nr; i++) {
		const struct config_entry *entry = &config->entries[i];

		if (strcmp(section, entry->section) != 0)
			add_section(sb, section = entry->section);
		write_setting(sb, entry->key, entry->value);
	}
}

static void add_family(const struct config *config, const struct setting *setting,
		       struct strbuf *sb)
{
	for (size_t i = 0; i < config->entries_nr; i++) {
		const struct config_entry *entry = &config->entries[i];

		if (!strcmp(entry->section, setting->section) &&
		    setting_find(entry->section, entry->key) == setting)
			write_setting(sb, entry->key, entry->value);
	}
}

static void add_setting(const struct config *config, const struct setting *setting,
			struct strbuf *sb)
{
	const struct config_entry *entry =
		config_find_entry(config, setting->section, setting->key);
	const char *value = entry ? entry->value : setting->fallback;
	char *const *text = (char *const *)((const char *)config + setting->offset);
	char *path = NULL;

	if (setting->type == SETTING_NAME)
		value = *text;
	else if (setting->type == SETTING_PATH)
		value = path = *text ? value_absolute_path(*text) : NULL;
	if (value)
		write_setting(sb, setting->key, value);
	if (value && !entry) {
		strbuf_set_len(sb, sb->len - 1);
		strbuf_adds(sb, "  ; default\n");
	}
	free(path);
}

void config_add_ini(const struct config *config, struct strbuf *sb)
{
	struct strbuf part = STRBUF_INIT;
	const char *section = "";
	size_t count;
	const struct setting *table = setting_table(&count);

	strbuf_adds(sb, "# The configuration as used: --set applied, paths absolute, defaults "
			"written out.\n");
	for (size_t i = 0; i < count; i++) {
		strbuf_clear(&part);
		if (setting_is_family(&table[i]))
			add_family(config, &table[i], &part);
		else
			add_setting(config, &table[i], &part);
		if (part.len && strcmp(section, table[i].section)) {
			section = table[i].section;
			add_section(sb, section);
		}
		strbuf_adds(sb, part.buf);
	}
	strbuf_release(&part);
}
