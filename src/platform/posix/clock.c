#include "platform/clock.h"

#include "util/text.h"

const char *const clock_name = "CLOCK_MONOTONIC";

static int64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

void clock_sleep(int64_t ns)
{
	struct timespec ts = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	if (ns > 0)
		nanosleep(&ts, NULL);
}

struct tm clock_utc(int64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	return tm;
}
