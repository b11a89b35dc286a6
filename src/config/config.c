#include "config/config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "config/ini_reader.h"
#include "config/ini_writer.h"
#include "config/problems.h"
#include "config/settings.h"
#include "config/values.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

static void release_stage(struct config_stage *stage)
{
	strvec_release(&stage->command);
	strvec_release(&stage->before);
	strvec_release(&stage->env);
}

void config_release(struct config *config)
{
	for (size_t i = 0; i < config->entries_nr; i++) {
		free(config->entries[i].section);
		free(config->entries[i].key);
		free(config->entries[i].value);
	}
	free(config->entries);
	free(config->path);
	free(config->name);
	free(config->source);
	free(config->output);
	strvec_release(&config->set);
	free(config->bootstrap_config);
	release_stage(&config->stage1);
	release_stage(&config->stage2);
	free(config->recorder);
	free(config->temp);
	free(config->wpr_profile);
	free(config->detail);
	free(config->heap_job.recipe);
	strvec_release(&config->heap_job.crates);
	free(config->heap_job.pids.v);
	free(config->heap_job.image);
	free(config->heap_job.at.v);
	tag_rules_release(&config->tag_rules);
	free(config->wpa_profile);
	strvec_release(&config->fail_if);
	*config = (struct config)CONFIG_INIT;
}

/* The run's name where none is given: the INI's own, with what a file name should not hold replaced. */
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

/* Without the blanks around it, as the file's texts are. */
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

static void override_entry(struct config *config, const char *section, const char *key,
			   const char *value)
{
	struct config_entry *entry = ini_find_entry(config, section, key);

	if (!entry) {
		ini_add_entry(config, section, key, value, 0);
		return;
	}
	free(entry->value);
	entry->value = xstrdup(value);
	entry->line = 0;
}

static void apply_override(struct config *config, const char *arg, struct problems *problems)
{
	const char *dot = strchr(arg, '.'), *equals = strchr(arg, '=');
	char *section, *key, *value;
	struct strbuf near = STRBUF_INIT;

	if (!dot || !equals || dot > equals) {
		problems_add_override(problems, arg, "must be SECTION.KEY=VALUE");
		return;
	}
	section = trim(arg, (size_t)(dot - arg));
	key = trim(dot + 1, (size_t)(equals - dot - 1));
	value = trim(equals + 1, strlen(equals + 1));
	if (!setting_is_section(section)) {
		setting_suggest_section(section, &near);
		problems_add_override(problems, arg, "unknown section '%s'%s", section, near.buf);
	} else if (!setting_find(section, key)) {
		setting_suggest_key(section, key, &near);
		problems_add_override(problems, arg, "unknown key '%s' in [%s]%s", key, section,
				      near.buf);
	} else if (strlen(key) > SETTING_KEY_MAX) {
		problems_add_override(problems, arg, "key too long: at most %d bytes",
				      SETTING_KEY_MAX);
	} else if (has_control(key) || has_control(value)) {
		problems_add_override(problems, arg, "a control character");
	} else {
		override_entry(config, section, key, value);
	}
	strbuf_release(&near);
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
		    ini_find_entry(config, setting->section, setting->key))
			continue;
		if (setting->fallback)
			rc = value_set(setting, setting->key, setting->fallback, dir, config, &err);
		/* Of processes that run already nothing is built. */
		else if (setting->required && !config->heap_job.pids.nr)
			problems_add_file(problems, "[%s] must set '%s': %s", setting->section,
					  setting->key, setting->help);
		assert(!rc);
		(void)rc;
	}
	if (!config->name)
		config->name = default_name(config->path);
}

int config_load_text(const char *path, const char *text, size_t len, const struct strvec *overrides,
		     struct config *config, struct err *err)
{
	struct problems problems = PROBLEMS_INIT(path);
	char *dir = fs_dirname(path);
	int rc;

	*config = (struct config)CONFIG_INIT;
	config->path = xstrdup(path);
	ini_read(text, len, config, &problems);
	for (size_t i = 0; overrides && i < overrides->nr; i++)
		apply_override(config, overrides->v[i], &problems);
	apply_entries(config, dir, &problems);
	apply_defaults(config, dir, &problems);
	rc = problems_result(&problems, err);
	if (rc)
		config_release(config);
	problems_release(&problems);
	free(dir);
	return rc;
}

int config_load(const char *path, const struct strvec *overrides, struct config *config,
		struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int rc;

	*config = (struct config)CONFIG_INIT;
	rc = fs_read(path, INI_FILE_MAX, &text, err);
	if (!rc)
		rc = config_load_text(path, text.buf, text.len, overrides, config, err);
	strbuf_release(&text);
	return rc;
}

void config_add_place(const struct config *config, const char *section, const char *key,
		      struct strbuf *sb)
{
	const struct config_entry *entry = ini_find_entry(config, section, key);

	if (!entry)
		strbuf_adds(sb, config->path);
	else if (entry->line)
		strbuf_addf(sb, "%s:%d", config->path, entry->line);
	else
		strbuf_addf(sb, "--set %s.%s", section, key);
}

static void add_family(const struct config *config, const struct setting *setting,
		       struct strbuf *sb)
{
	for (size_t i = 0; i < config->entries_nr; i++) {
		const struct config_entry *entry = &config->entries[i];

		if (!strcmp(entry->section, setting->section) &&
		    setting_find(entry->section, entry->key) == setting)
			ini_write(sb, entry->key, entry->value);
	}
}

static void add_setting(const struct config *config, const struct setting *setting,
			struct strbuf *sb)
{
	const struct config_entry *entry = ini_find_entry(config, setting->section, setting->key);
	const char *value = entry ? entry->value : setting->fallback;
	char *const *text = (char *const *)((const char *)config + setting->offset);
	char *path = NULL;

	if (setting->type == SETTING_NAME)
		value = *text;
	else if (setting->type == SETTING_PATH)
		value = path = *text ? value_absolute_path(*text) : NULL;
	if (value)
		ini_write(sb, setting->key, value);
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
			strbuf_addf(sb, "\n[%s]\n", section);
		}
		strbuf_adds(sb, part.buf);
	}
	strbuf_release(&part);
}

/* Debian has no "python", a Windows none of the name "python3" that works: one recipe runs on both. */
static const char *find_python(void)
{
	char *python = fs_find_program("python");
	char *python3 = python ? NULL : fs_find_program("python3");
	const char *name = python3 ? "python3" : "python";

	free(python);
	free(python3);
	return name;
}

static void push_set(const struct config *config, struct strvec *argv)
{
	for (size_t i = 0; i < config->set.nr; i++) {
		strvec_push(argv, "--set");
		strvec_push(argv, config->set.v[i]);
	}
	if (config->bootstrap_config) {
		strvec_push(argv, "--config");
		strvec_push(argv, config->bootstrap_config);
	}
}

/* The command's words; the --set arguments go to {set}, else before word `at` (SIZE_MAX: nowhere). */
static void push_command(const struct config *config, const struct strvec *command, size_t at,
			 struct strvec *argv)
{
	for (size_t i = 0; i < command->nr; i++) {
		if (i == at || !strcmp(command->v[i], "{set}"))
			push_set(config, argv);
		if (!i && !strcmp(command->v[i], "python"))
			strvec_push(argv, find_python());
		else if (strcmp(command->v[i], "{set}"))
			strvec_push(argv, command->v[i]);
	}
	if (command->nr && command->nr == at)
		push_set(config, argv);
}

void config_stage_argv(const struct config *config, const struct config_stage *stage,
		       struct strvec *argv)
{
	const struct strvec *command = &stage->command;
	size_t at = command->nr;

	for (size_t i = command->nr; i-- > 0;)
		if (!strcmp(command->v[i], "--"))
			at = i;
	for (size_t i = 0; i < command->nr; i++)
		if (!strcmp(command->v[i], "{set}"))
			at = SIZE_MAX;
	push_command(config, command, at, argv);
}

void config_before_argv(const struct config *config, const struct config_stage *stage,
			struct strvec *argv)
{
	push_command(config, &stage->before, SIZE_MAX, argv);
}
