/*
 * Every heap allocation of an image: what a recording by wpr needs for it, alone or beside all else.
 */
#ifndef RECORDER_WPR_HEAP_H
#define RECORDER_WPR_HEAP_H

#include "config/config.h"
#include "recorder/finding.h"
#include "recorder/recorder.h"

/* wpr's own profile. */
#define WPR_HEAP_PROFILE "Heap"

/* What it costs. */
void wpr_heap_check_tracing(const struct config_heap *heap, struct finding_list *findings);

/* Windows traces the heaps of an image where a value of the registry is 1 when it starts. */
void wpr_heap_add_setting(const struct config_heap *heap, struct recorder_settings *settings);

#endif
