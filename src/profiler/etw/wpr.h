/*
 * Shared by the two kinds of recordings by wpr, of CPU and memory (wpr.c) and of heaps (wpr_heap.c): wpr's command lines,
 * and the setting for tracing every heap allocation.
 */
#ifndef PROFILER_ETW_WPR_H
#define PROFILER_ETW_WPR_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "profiler/etw/etw.h"
#include "util/strvec.h"

#define WPR_NAME "wpr"

/* wpr's own profile that traces heap allocations. */
#define WPR_HEAP_PROFILE "Heap"

/* Append the arguments of -start after its profiles: record to files in the context's directory, with its instance name. */
void wpr_add_file_mode(const struct etw_context *context, struct strvec *argv);

/* Append the instance name, the last argument of every call about our session. */
void wpr_add_instance(const struct etw_context *context, struct strvec *argv);

/* Append the arguments of -stop; wpr stores `description` in the trace. */
void wpr_add_stop(const struct etw_context *context, bool plain, const char *description,
		  struct strvec *argv);

/* The calls that are the same for both. */
extern const struct etw_tool_calls wpr_tool_calls;

/* An error finding if another program has a session of wpr: stagetrace must not end it. */
void wpr_check_idle(const struct etw_context *context, struct finding_list *findings);

/* Add a warning about the cost of tracing every heap allocation. */
void wpr_heap_check_tracing(const struct config_heap *heap, struct finding_list *findings);

/* Add the registry value that makes Windows trace the heaps of an image when it starts. */
void wpr_heap_add_setting(const struct config_heap *heap, struct profiler_settings *settings);
bool wpr_heap_restores(const char *path, const char *value);

#endif
