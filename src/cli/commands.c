#include "cli/command.h"

#include <string.h>

#include "util/array.h"
#include "util/text.h"

/* clang-format off */
const struct command *const commands[] = {
	&record_command,
	&check_command,
	&replay_command,
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
	&report_command,
	&export_command,
	&convert_command,
	&help_command,
	NULL,
};
/* clang-format on */

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
