/*
 * Reading what wpr and xperf say of themselves. Their words are translated on a Windows of another language, so
 * only numbers, session names and the form of a table are relied on; the words decide nothing but where they are the
 * only way, and then what can't be told is -1.
 */
#ifndef RECORDER_ETW_STATUS_H
#define RECORDER_ETW_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum etw_state {
	ETW_IDLE,
	ETW_RECORDING,
	ETW_UNKNOWN, /* the tool failed: not to be taken for idle */
};

/* From `wpr -status` that ended with `code`. */
enum etw_state etw_status_state(uint32_t code, const char *output);

/*
 * Events and buffers lost, summed over all collectors: "Events Lost : N" and its like in `wpr -status collectors
 * details` and `xperf -loggers`, or "Dropped event", which is of all together. -1: it says nothing of the kind.
 */
int64_t etw_status_lost(const char *output);

/* The same of one session of `xperf -loggers`. */
int64_t etw_status_lost_of(const char *output, const char *logger);

/* The sampling interval in 100 ns as `wpr -profint` gives it; 0 where there is none within wpr's limits. */
int64_t etw_status_interval(const char *output);

#define ETW_INTERVAL_MIN INT64_C(1221) /* in 100 ns */
#define ETW_INTERVAL_MAX INT64_C(10000000)

struct etw_version {
	int v[4]; /* 10.0.19041[.1]; all 0: not known */
};

/* The first version number of a banner. */
struct etw_version etw_version_read(const char *output);

/* <0, 0, >0 as a is older, the same, newer. */
int etw_version_compare(struct etw_version a, struct etw_version b);

#endif
