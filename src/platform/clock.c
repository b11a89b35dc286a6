#include "platform/clock.h"

#include <stdio.h>

#include "util/text.h"

void clock_format_utc(int64_t wall_ns, char text[CLOCK_UTC_SIZE])
{
	struct tm tm = clock_utc(wall_ns);
	size_t len = strftime(text, CLOCK_UTC_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);

	snprintf(text + len, CLOCK_UTC_SIZE - len, ".%03dZ", (int)(wall_ns / NS_PER_MS % 1000));
}

void clock_format_utc_name(int64_t wall_ns, char text[CLOCK_UTC_SIZE])
{
	struct tm tm = clock_utc(wall_ns);

	strftime(text, CLOCK_UTC_SIZE, "%Y%m%dT%H%M%SZ", &tm);
}
