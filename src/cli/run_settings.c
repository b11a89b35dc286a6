#include "cli/run_settings.h"

#include <string.h>

#include "config/config.h"
#include "gate/gate.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"

/* The settings of a run as they were given; none if they cannot be read. */
static void read_settings(struct run_source *source, struct config *config)
{
	struct err err = ERR_INIT;

	run_source_settings(source, config, &err);
	err_clear(&err);
}

void run_settings_gates(const char *path, struct gates *gates)
{
	struct config config = CONFIG_INIT;
	struct run_source *source;
	struct err err = ERR_INIT;
	const struct config_entry *entry;

	/* What is no run, or one that cannot be opened, is said by who reads it. */
	if (!run_source_takes(path) || run_source_open(path, &source, &err)) {
		err_clear(&err);
		return;
	}
	if (run_source_settings(source, &config, &err) && err.code != ERR_NOT_FOUND)
		gates_add_unread(gates, "[compare] fail-if", err.msg);
	entry = config_find_entry(&config, "compare", "fail-if");
	if (entry)
		gates_add_kept(gates, entry->value);
	err_clear(&err);
	config_release(&config);
	run_source_free(source);
}

char *run_settings_gates_text(struct run_source *source)
{
	struct config config = CONFIG_INIT;
	const struct config_entry *entry;
	char *text = NULL;

	read_settings(source, &config);
	entry = config_find_entry(&config, "compare", "fail-if");
	if (entry)
		text = xstrdup(entry->value);
	config_release(&config);
	return text;
}

char *run_settings_text(struct run_source *source)
{
	static const char *const sections[] = { "bootstrap", "stage1", "stage2", "record" };
	struct config config = CONFIG_INIT;
	struct strbuf all = STRBUF_INIT;

	read_settings(source, &config);
	for (size_t i = 0; i < config.entries_nr; i++) {
		const struct config_entry *entry = &config.entries[i];

		for (size_t k = 0; k < ARRAY_SIZE(sections); k++) {
			if (!strcmp(entry->section, sections[k]) && strcmp(entry->key, "temp") != 0)
				strbuf_addf(&all, "%s.%s = %s\n", entry->section, entry->key,
					    entry->value);
		}
	}
	config_release(&config);
	if (all.len)
		return strbuf_detach(&all);
	strbuf_release(&all);
	return NULL;
}
