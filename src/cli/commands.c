#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

/* clang-format off */
const struct command *const commands[] = {
	&record_command,
	&check_command,
	&replay_command,
	&rerun_command,
	&nightly_command,
	&recover_command,
	&bundle_command,
	&heap_command,
	&open_command,
	&system_command,
	&why_command,
	&processes_command,
	&tree_command,
	&timeline_command,
	&symbols_command,
	&cpu_command,
	&memory_command,
	&compare_command,
	&history_command,
	&report_command,
	&export_command,
	&convert_command,
	&help_command,
	NULL,
};
/* clang-format on */

int command_run_words(const struct command *command, const char *const *words, bool only_check,
		      struct err *err)
{
	void *values = xcalloc(1, command->syntax.values_size);
	bool help = false;
	int rc = opt_parse(&command->syntax, words, values, &help, err);

	if (!rc && help)
		rc = err_set(err, ERR_USAGE, "see 'stagetrace %s --help'", command->name);
	if (!rc && !only_check)
		rc = command->run(values, err);
	else if (!rc && command->check)
		rc = command->check(values, err);
	opt_release(&command->syntax, values);
	free(values);
	return rc;
}

const struct command *command_find(const char *name, struct err *err)
{
	const char *names[ARRAY_SIZE(commands)];
	const char *near;
	size_t count = 0;

	for (; commands[count]; count++) {
		if (!strcmp(commands[count]->name, name))
			return commands[count];
		names[count] = commands[count]->name;
	}
	near = text_nearest(name, names, count);
	if (near)
		err_set(err, ERR_USAGE, "unknown command '%s' (did you mean '%s'?)", name, near);
	else
		err_set(err, ERR_USAGE, "unknown command '%s'", name);
	return NULL;
}
