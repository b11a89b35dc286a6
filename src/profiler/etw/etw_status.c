#include "profiler/etw/etw_status.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/etw/etw_codes.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

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
	static const struct {
		const char *name;
		enum loss loss;
	} names[] = {
		{ "eventslost", LOSS_OF_ONE },          { "lostevents", LOSS_OF_ONE },
		{ "logbufferslost", LOSS_OF_ONE },      { "lostbuffers", LOSS_OF_ONE },
		{ "realtimebufferslost", LOSS_OF_ONE }, { "bufferslost", LOSS_OF_ONE },
		{ "droppedevent", LOSS_OF_ALL },        { "droppedevents", LOSS_OF_ALL },
	};
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
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(plain, names[i].name))
			return names[i].loss;
	}
	return LOSS_NONE;
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
