#include "platform/exit_code.h"

#include <stddef.h>

#include "util/array.h"

#define FIRST_EXCEPTION INT64_C(0xc0000000) /* NTSTATUS: severity 3, an error */

/* Those that programs end with, from ntstatus.h. */
static const struct {
	int64_t code;
	const char *name;
} names[] = {
	{ 0xc0000005, "access violation" },
	{ 0xc0000017, "out of memory" },
	{ 0xc000001d, "illegal instruction" },
	{ 0xc0000094, "division by zero" },
	{ 0xc00000fd, "stack overflow" },
	{ 0xc000012d, "commit limit reached" },
	{ 0xc0000135, "a DLL was not found" },
	{ 0xc0000139, "an entry point was not found in a DLL" },
	{ 0xc000013a, "interrupted" },
	{ 0xc0000142, "a DLL could not be initialised" },
	{ 0xc0000374, "heap corruption" },
	{ 0xc0000409, "abort, or stack buffer overrun" },
};

bool exit_code_is_crash(int64_t exit_code)
{
	return exit_code >= FIRST_EXCEPTION;
}

void exit_code_add_failure(struct strbuf *sb, int64_t exit_code)
{
	if (!exit_code_is_crash(exit_code)) {
		strbuf_addf(sb, "failed with exit code %lld", (long long)exit_code);
		return;
	}
	strbuf_addf(sb, "ended with 0x%08llX", (long long)exit_code);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].code == exit_code)
			strbuf_addf(sb, " (%s)", names[i].name);
	}
}
