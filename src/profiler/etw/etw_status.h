/*
 * Parses the output of wpr and xperf. Windows translates it, so parsing relies on numbers, session names and the layout of
 * tables, and on English words only where nothing else decides. A number that cannot be read is -1.
 */
#ifndef PROFILER_ETW_ETW_STATUS_H
#define PROFILER_ETW_ETW_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum etw_state {
	ETW_IDLE,
	ETW_RECORDING,
	ETW_UNKNOWN, /* the tool failed */
};

/* The state, from the exit code and output of `wpr -status`. */
enum etw_state etw_status_state(uint32_t code, const char *output);

/*
 * Lost events and buffers, summed over all collectors: "Events Lost : N" and similar lines in `wpr -status
 * collectors details` and `xperf -loggers`, or "Dropped event", which is a total. -1: the output has no such line.
 */
int64_t etw_status_lost(const char *output);

/* The same for one session of `xperf -loggers`. */
int64_t etw_status_lost_of(const char *output, const char *logger);

/* The sampling interval in 100 ns, from the output of `wpr -profint`; 0: none within wpr's limits. */
int64_t etw_status_interval(const char *output);

#define ETW_INTERVAL_MIN INT64_C(1221) /* in 100 ns */
#define ETW_INTERVAL_MAX INT64_C(10000000)

struct etw_version {
	int v[4]; /* 10.0.19041[.1]; all 0: unknown */
};

/* The first version number in a banner. */
struct etw_version etw_version_read(const char *output);

/* <0: a is older; 0: same version; >0: a is newer. */
int etw_version_compare(struct etw_version a, struct etw_version b);

#endif
