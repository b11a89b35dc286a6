#include "record/bootstrap_setting.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "record/checkout.h"
#include "tag/argv.h"
#include "util/alloc.h"
#include "util/text.h"

/* One with all its comments has 50 kB. */
#define TOML_MAX (1 << 20)

/* The value of an option of x.py in the command that is recorded; NULL: it has none. */
static const char *option_of_command(const struct record_plan *plan, const char *name)
{
	const char *value = NULL;

	if (!config_runs_x_py(&plan->stage2))
		return NULL;
	for (size_t i = 1; i < plan->stage2.nr && !value; i++)
		value = argv_take_value(&plan->stage2, &i, name);
	return value;
}

/* As x.py looks for it. A relative path is that of the checkout, where x.py runs. */
char *bootstrap_toml(const struct record_plan *plan)
{
	const char *given = option_of_command(plan, "--config");
	char *variable, *path;

	if (!given)
		given = plan->config->bootstrap_config;
	if (given)
		return fs_join(plan->source, given);
	variable = plan_variable(plan, "RUST_BOOTSTRAP_CONFIG");
	path = variable ? fs_join(plan->source, variable) : checkout_find_toml(plan->source);
	free(variable);
	return path;
}

/* A text without its quotes, a number or a word without a comment; NULL: neither. */
static char *take_value(const char *value)
{
	size_t len;

	value += strspn(value, " \t");
	if (*value == '"' || *value == '\'') {
		const char *end = strchr(value + 1, *value);

		return end ? xstrndup(value + 1, (size_t)(end - value - 1)) : NULL;
	}
	len = strcspn(value, " \t\r\n#");
	return len ? xstrndup(value, len) : NULL;
}

/* The value in "key = value"; NULL: the line is of another key. */
static const char *value_of_line(const char *line, const char *key)
{
	if (!text_starts_with(line, key))
		return NULL;
	line += strlen(key);
	line += strspn(line, " \t");
	return *line == '=' ? line + 1 : NULL;
}

static char *find_in_text(char *text, const char *table, const char *key)
{
	char *dotted = xasprintf("%s.%s", table, key), *header = xasprintf("[%s]", table);
	bool in_table = false, at_top = true;
	char *found = NULL;

	for (char *line = text, *next; line && !found; line = next) {
		const char *value = NULL;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line += strspn(line, " \t");
		if (*line == '[') {
			at_top = false;
			in_table = text_starts_with(line, header);
		} else if (in_table || at_top) {
			value = value_of_line(line, in_table ? key : dotted);
		}
		found = value ? take_value(value) : NULL;
	}
	free(dotted);
	free(header);
	return found;
}

static char *find_in_toml(const struct record_plan *plan, const char *table, const char *key)
{
	char *path = bootstrap_toml(plan), *found = NULL;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (path && !fs_read(path, TOML_MAX, &text, &err))
		found = find_in_text(text.buf, table, key);
	err_clear(&err);
	strbuf_release(&text);
	free(path);
	return found;
}

char *bootstrap_setting(const struct record_plan *plan, const char *table, const char *key)
{
	char *dotted = xasprintf("%s.%s", table, key), *found = NULL;
	const struct strvec *set = &plan->config->set;

	for (size_t i = 0; i < set->nr && !found; i++) {
		const char *value = value_of_line(set->v[i], dotted);

		found = value ? take_value(value) : NULL;
	}
	free(dotted);
	return found ? found : find_in_toml(plan, table, key);
}

char *bootstrap_build_dir(const struct record_plan *plan)
{
	const char *given = option_of_command(plan, "--build-dir");
	char *set = given ? NULL : bootstrap_setting(plan, "build", "build-dir");
	char *dir = fs_join(plan->source, given ? given : set ? set : "build");

	free(set);
	return dir;
}
