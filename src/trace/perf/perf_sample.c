#include "trace/perf/perf_sample.h"

const struct perf_sample perf_sample_none = { .pid = -1, .tid = -1, .cpu = -1 };
