#include "platform/exit_code.h"

bool exit_code_is_crash(int64_t exit_code)
{
	return exit_code > 128;
}

void exit_code_add_failure(struct strbuf *sb, int64_t exit_code)
{
	if (exit_code_is_crash(exit_code))
		strbuf_addf(sb, "was ended by signal %d", (int)exit_code - 128);
	else
		strbuf_addf(sb, "failed with exit code %d", (int)exit_code);
}
