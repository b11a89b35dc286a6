/*
 * The names of kinds of records in perf.data: of the kernel those of perf_event.h, of perf those of its own
 * perf_user_event_type.
 */
#ifndef TRACE_PERF_RECORD_NAME_H
#define TRACE_PERF_RECORD_NAME_H

#include <stdint.h>

/* A literal, as "EVENT_UPDATE"; NULL: there is no such kind. */
const char *perf_record_name(uint32_t type);

#endif
