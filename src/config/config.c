#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"

static void release_stage(struct config_stage *stage)
{
	strvec_release(&stage->command);
	strvec_release(&stage->before);
	strvec_release(&stage->env);
}

bool config_wants_touched(const struct config *config)
{
	return config->virtualalloc && config->touched && !strcmp(config->touched, "sampled");
}

int config_file_mode(const struct config *config)
{
	return config->mode ? (int)strtol(config->mode, NULL, 8) : 0600;
}

void config_release(struct config *config)
{
	config_remove_entries(config, NULL);
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
	free(config->touched);
	free(config->detail);
	free(config->heap_job.recipe);
	strvec_release(&config->heap_job.crates);
	free(config->heap_job.pids.v);
	free(config->heap_job.image);
	free(config->heap_job.at.v);
	tag_rules_release(&config->tag_rules);
	free(config->wpa_profile);
	free(config->mode);
	strvec_release(&config->fail_if);
	*config = (struct config)CONFIG_INIT;
}

void config_remove_entries(struct config *config,
			   bool (*is_removed)(const struct config_entry *entry))
{
	size_t kept = 0;

	for (size_t i = 0; i < config->entries_nr; i++) {
		struct config_entry *entry = &config->entries[i];

		if (is_removed && !is_removed(entry)) {
			config->entries[kept++] = *entry;
			continue;
		}
		free(entry->section);
		free(entry->key);
		free(entry->value);
	}
	config->entries_nr = kept;
}

struct config_entry *config_find_entry(const struct config *config, const char *section,
				       const char *key)
{
	for (size_t i = 0; i < config->entries_nr; i++)
		if (!strcmp(config->entries[i].key, key) &&
		    !strcmp(config->entries[i].section, section))
			return &config->entries[i];
	return NULL;
}

void config_set_entry(struct config *config, const char *section, const char *key,
		      const char *value, int line)
{
	struct config_entry *entry = config_find_entry(config, section, key);

	if (!entry) {
		ARRAY_GROW(config->entries, config->entries_nr + 1, config->entries_alloc);
		entry = &config->entries[config->entries_nr++];
		*entry = (struct config_entry){ .section = xstrdup(section), .key = xstrdup(key) };
	}
	free(entry->value);
	entry->value = xstrdup(value);
	entry->line = line;
}

void config_add_place(const struct config *config, const char *section, const char *key,
		      struct strbuf *sb)
{
	const struct config_entry *entry = config_find_entry(config, section, key);

	if (!entry)
		strbuf_adds(sb, config->path);
	else if (entry->line)
		strbuf_addf(sb, "%s:%d", config->path, entry->line);
	else
		strbuf_addf(sb, "--set %s.%s", section, key);
}

static bool is_x_py(const char *word, bool program)
{
	const char *name = fs_file_name(word);

	return !strcmp(name, "x.py") || !strcmp(name, "x.ps1") ||
	       (program && (!strcmp(name, "x") || !strcmp(name, "x.exe")));
}

bool config_runs_x_py(const struct strvec *argv)
{
	for (size_t i = 0; i < argv->nr; i++)
		if (is_x_py(argv->v[i], !i || !strcmp(argv->v[i - 1], "--")))
			return true;
	return false;
}

bool config_is_bootstrap(const struct config *config)
{
	return config_runs_x_py(&config->stage1.command) ||
	       config_runs_x_py(&config->stage2.command) ||
	       config_runs_x_py(&config->stage2.before) || config->set.nr ||
	       config->bootstrap_config;
}

/* Debian has no "python", and Windows no working "python3": with this, one configuration runs on both. */
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

/* Append a command. The arguments for x.py replace {set}; without {set} they precede word `at` (SIZE_MAX: omitted). */
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
