#include "profiler/etw/etw_codes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/text.h"

#define OF_WIN32 0x80070000u

/* clang-format off */
static const struct etw_code codes[] = {
	{ ETW_NOT_RUNNING, "wpr", "no recording runs",
	  "if it was ours it ended unexpectedly and its data is lost: the disk may be full, or "
	  "another program has cancelled it" },
	{ ETW_ALREADY_RUNNING, "wpr", "a recording of these profiles runs already",
	  "another program is recording, which stagetrace does not end: 'wpr -status profiles' shows it; "
	  "wait for its end, or end it yourself" },
	{ ETW_IN_USE, "wpr", "the event collector is in use already",
	  "close Process Monitor, Process Explorer and other tracing tools; 'logman query -ets' lists the sessions: "
	  "look for WPR_initiated..., PROCMON TRACE, NT Kernel Logger" },
	{ 0xc558300cu, "wpr", "a runtime state provider is not running",
	  "wpr, Windows and the profile are incompatible: use the wpr of a current Windows ADK, or record "
	  "without [record] wpr-profile" },
	{ 0xc5580612u, "wpr", "an event session cannot be started without any providers",
	  "the profile's event provider is not installed: use the profile that comes with stagetrace" },
	{ ETW_BAD_PROFILE, "wpr", "the profile violates the schema",
	  "the lines above name element and line: correct the file that [record] wpr-profile names, or use the "
	  "one that comes with stagetrace" },
	{ ETW_NOT_ELEVATED, "wpr", "the policy to profile system performance could not be enabled",
	  "start stagetrace from an elevated prompt (Run as administrator)" },
	{ ETW_BAD_SYNTAX, "wpr", "wpr does not know an option or its form",
	  "this wpr is older than its options: install a current Windows ADK (Windows Performance Toolkit)" },
	{ ETW_ACCESS_DENIED, NULL, "access is denied",
	  "start stagetrace from an elevated prompt (Run as administrator)" },
	{ 0x80010106u, "wpr", "wpr failed while it made symbols of .NET images",
	  "use a wpr of 10.0.18955 or later, which can leave them out (-skipPdbGen)" },
	{ 0x800705aau, NULL, "insufficient system resources: there are too many tracing sessions",
	  "Windows allows 64: 'logman query -ets' lists them; end those that are not needed" },
	{ 0x80070008u, NULL, "there is not enough memory for the buffers", "lower [record] buffers" },
	{ ETW_FILE_EXISTS, "xperf", "the NT Kernel Logger runs already",
	  "another program is recording, which stagetrace does not end: close Process Monitor and similar "
	  "tools, or use wpr: --set record.recorder=wpr" },
	{ ETW_FILE_EXISTS, "wpr", "the same profile was given twice",
	  "this is a bug in stagetrace: report it with logs/recorder.log" },
	{ ETW_SESSION_GONE, NULL, "the session no longer exists: it ended unexpectedly",
	  "usually because the disk was full: free space, or set [record] temp to a folder on a larger disk" },
	{ 0x80070032u, NULL, "the request is not supported",
	  "a virtual machine may lack what the profile requests: try cpu = no, or detail = light" },
	{ ETW_TIMED_OUT, NULL, "a time limit was reached", "try again" },
	{ ETW_DISK_FULL, NULL, "the disk is full", "free space, or set [record] temp to a folder on a larger disk" },
	{ 0x800703ecu, "xperf", "xperf does not know a kernel flag",
	  "this xperf is too old: install a current Windows ADK (Windows Performance Toolkit)" },
	{ 0x8000ffffu, "xperf", "xperf does not know an event whose stacks are requested",
	  "this xperf is too old: install a current Windows ADK (Windows Performance Toolkit)" },
};
/* clang-format on */

const struct etw_code *etw_code_table(size_t *count)
{
	*count = ARRAY_SIZE(codes);
	return codes;
}

const struct etw_code *etw_code_find(const char *tool, uint32_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (codes[i].code == code && (!codes[i].tool || !strcmp(codes[i].tool, tool)))
			return &codes[i];
	}
	return NULL;
}

/* The last "0x" with eight digits that is a failure; 0: none. */
static uint32_t last_failure(const char *text)
{
	uint32_t found = 0;

	for (const char *at = strstr(text, "0x"); at; at = strstr(at + 1, "0x")) {
		const char *digits = at + 2;
		unsigned long code;

		if (strspn(digits, "0123456789abcdefABCDEF") != 8)
			continue;
		code = strtoul(digits, NULL, 16);
		if (code & 0x80000000ul)
			found = (uint32_t)code;
	}
	return found;
}

/* The last "(0xb7)", the form in which xperf prints a code of Windows; 0: none. */
static uint32_t last_in_brackets(const char *text)
{
	uint32_t found = 0;

	for (const char *at = strstr(text, "(0x"); at; at = strstr(at + 1, "(0x")) {
		size_t len = strspn(at + 3, "0123456789abcdefABCDEF");

		if (len && len <= 4 && at[3 + len] == ')')
			found = (uint32_t)strtoul(at + 3, NULL, 16);
	}
	return found;
}

uint32_t etw_code_read(int64_t exit_code, const char *output)
{
	uint32_t code = (uint32_t)exit_code, said;

	if (!code || code > 0xffff)
		return code;
	said = last_failure(output);
	if (said)
		return said;
	said = last_in_brackets(output);
	return said ? OF_WIN32 | said : code;
}

/* The banner, or a line with the code, which the message has already. */
static bool says_nothing(const char *line, size_t len)
{
	if (text_starts_with(line, "Copyright") || text_starts_with(line, "Microsoft"))
		return true;
	for (size_t i = 0; i + 2 < len; i++) {
		if (line[i] == '0' && line[i + 1] == 'x')
			return true;
	}
	return false;
}

/* The last line with a message. */
static void find_words(const char *output, const char **words, size_t *len)
{
	*words = "";
	*len = 0;
	for (const char *line = output; *line;) {
		size_t whole = strcspn(line, "\r\n"), blank = strspn(line, " \t");

		if (blank < whole && !says_nothing(line + blank, whole - blank)) {
			*words = line + blank;
			*len = whole - blank;
		}
		line += whole + strspn(line + whole, "\r\n");
	}
}

static enum err_code kind_of(uint32_t code)
{
	if (code == ETW_NOT_ELEVATED || code == ETW_ACCESS_DENIED)
		return ERR_UNSUPPORTED;
	return code == ETW_DISK_FULL ? ERR_NO_SPACE : ERR_FAILED;
}

int etw_code_explain(const char *tool, const char *call, uint32_t code, const char *output,
		     struct err *err)
{
	const struct etw_code *row = etw_code_find(tool, code);
	const char *words;
	size_t len;

	if (row)
		return err_set(err, kind_of(code), "%s failed: %s (0x%08lx): %s", call,
			       row->meaning, (unsigned long)code, row->advice);
	find_words(output, &words, &len);
	return err_set(err, ERR_FAILED, "%s failed with 0x%08lx%s%.*s", call, (unsigned long)code,
		       len ? ": " : "", (int)len, words);
}
