#include "profiler/etw/etw_output.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define OF_WIN32 0x80070000u

/* clang-format off */
static const struct etw_code codes[] = {
	{ ETW_NOT_RUNNING, "wpr", "no recording runs",
	  "if it was this run's it ended unexpectedly and its data is lost: the disk may be full, or "
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
	  "wpr's output names element and line: see logs/recorder.log, or run 'wpr -profiles FILE'; correct the file "
	  "that [record] wpr-profile names, or use the one that comes with stagetrace" },
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
	  "usually because the disk was full: free space, or set [record] temp to a directory on a larger disk" },
	{ 0x80070032u, NULL, "the request is not supported",
	  "a virtual machine may lack what the profile requests: try cpu = no, or detail = light" },
	{ ETW_TIMED_OUT, NULL, "a time limit was reached", "try again" },
	{ ETW_DISK_FULL, NULL, "the disk is full", "free space, or set [record] temp to a directory on a larger disk" },
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

/* Is there a line "label  : value"? Only the status of a running recording has one. */
static bool has_table(const char *output)
{
	for (const char *line = output; *line;) {
		size_t len = strcspn(line, "\r\n");
		const char *colon = memchr(line, ':', len);

		if (colon && colon > line && colon[-1] == ' ')
			return true;
		line += len + strspn(line + len, "\r\n");
	}
	return false;
}

enum etw_state etw_status_state(uint32_t code, const char *output)
{
	if (code == ETW_NOT_RUNNING)
		return ETW_IDLE;
	if (code)
		return ETW_UNKNOWN;
	if (strstr(output, "not recording"))
		return ETW_IDLE;
	return has_table(output)               ? ETW_RECORDING
	       : strstr(output, "in progress") ? ETW_RECORDING
					       : ETW_IDLE;
}

enum loss { LOSS_NONE, LOSS_OF_ONE, LOSS_OF_ALL };

/* Labels of lost things, blanks left out and in lower case. */
static enum loss find_loss(const char *label, size_t len)
{
	static const char of_one[] = "eventslost lostevents logbufferslost lostbuffers "
				     "realtimebufferslost bufferslost";
	char plain[32];
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (label[i] == ' ' || label[i] == '\t')
			continue;
		if (n + 1 >= sizeof(plain))
			return LOSS_NONE;
		plain[n++] = (char)tolower((unsigned char)label[i]);
	}
	plain[n] = '\0';
	if (text_has_word(of_one, plain))
		return LOSS_OF_ONE;
	return text_has_word("droppedevent droppedevents", plain) ? LOSS_OF_ALL : LOSS_NONE;
}

/* The number of lost things in a line "label : number"; -1: the line has another form. */
static int64_t lost_in_line(const char *line, size_t len, enum loss *loss)
{
	const char *colon = memchr(line, ':', len);
	char number[24] = "";
	int64_t value;
	size_t n = 0;

	*loss = colon ? find_loss(line, (size_t)(colon - line)) : LOSS_NONE;
	if (*loss == LOSS_NONE)
		return -1;
	for (const char *s = colon + 1; s < line + len && n + 1 < sizeof(number); s++) {
		/* thousands may be separated */
		if (isdigit((unsigned char)*s))
			number[n++] = *s;
		else if (n && *s != ',' && *s != '.')
			break;
	}
	return text_parse_int(number, 0, INT64_MAX, &value) ? value : -1;
}

int64_t etw_status_lost(const char *output)
{
	int64_t sum = -1, total = -1;

	for (const char *line = output; *line;) {
		size_t len = strcspn(line, "\r\n");
		enum loss loss;
		int64_t lost = lost_in_line(line, len, &loss);

		if (lost >= 0 && loss == LOSS_OF_ALL)
			total = lost;
		else if (lost >= 0)
			sum = (sum < 0 ? 0 : sum) + lost;
		line += len + strspn(line + len, "\r\n");
	}
	return sum > total ? sum : total;
}

int64_t etw_status_lost_of(const char *output, const char *logger)
{
	const char *start = strstr(output, logger), *end;
	char *block;
	int64_t lost;

	if (!start)
		return -1;
	end = strstr(start, "Logger Name");
	block = xstrndup(start, end ? (size_t)(end - start) : strlen(start));
	lost = etw_status_lost(block);
	free(block);
	return lost;
}

static int64_t interval_at(const char *text)
{
	size_t len = strspn(text, "0123456789");
	char number[16];
	int64_t value;

	if (!len || len >= sizeof(number))
		return 0;
	memcpy(number, text, len);
	number[len] = '\0';
	return text_parse_int(number, ETW_INTERVAL_MIN, ETW_INTERVAL_MAX, &value) ? value : 0;
}

int64_t etw_status_interval(const char *output)
{
	/* "Current Profile Interval = 10000 [1.0000ms]"; the banner above it has numbers too. */
	for (const char *at = strchr(output, '='); at; at = strchr(at + 1, '=')) {
		const char *number = at + 1 + strspn(at + 1, " \t");
		int64_t value = interval_at(number);

		if (value)
			return value;
	}
	return 0;
}

struct etw_version etw_version_read(const char *output)
{
	struct etw_version version = { { 0, 0, 0, 0 } };

	for (const char *s = output; *s; s++) {
		int v[4] = { 0, 0, 0, 0 };

		if (!isdigit((unsigned char)*s) ||
		    (s > output && (isalnum((unsigned char)s[-1]) || s[-1] == '.')))
			continue;
		if (sscanf(s, "%9d.%9d.%9d.%9d", &v[0], &v[1], &v[2], &v[3]) >= 3) {
			memcpy(version.v, v, sizeof(v));
			break;
		}
	}
	return version;
}

int etw_version_compare(struct etw_version a, struct etw_version b)
{
	for (size_t i = 0; i < ARRAY_SIZE(a.v); i++) {
		if (a.v[i] != b.v[i])
			return a.v[i] < b.v[i] ? -1 : 1;
	}
	return 0;
}
