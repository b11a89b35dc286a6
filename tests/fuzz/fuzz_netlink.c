/* Any bytes as netlink messages about processes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/posix/netlink.h"
#include "platform/posix/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct strvec argv = STRVEC_INIT;
	struct procfs_stat stat;

	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	(void)procfs_parse_stat(text, 0, &stat);
	(void)pid_cursor_parse(text);
	procfs_split_cmdline(text, size, &argv);
	strvec_release(&argv);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cn_proc_msg event;
	struct taskstats_msg record;
	uint16_t id;
	size_t at = 0;
	int errnum;

	while (cn_proc_decode(data, size, &at, &event) > 0)
		;
	at = 0;
	while (taskstats_decode(data, size, &at, &record) > 0)
		;
	(void)genl_family_decode(data, size, &id, &errnum);
	(void)netlink_error_decode(data, size);
	if (size)
		decode_text(data, size);
	return 0;
}
