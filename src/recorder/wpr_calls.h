/*
 * How wpr's calls are worded, and what is asked of it before: the same for whatever it records.
 */
#ifndef RECORDER_WPR_CALLS_H
#define RECORDER_WPR_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/etw.h"
#include "util/strvec.h"

#define WPR_NAME "wpr"

/* Arguments of -start behind its profiles: to files in our folder, under our name. */
void wpr_add_file_mode(const struct etw_context *context, struct strvec *argv);

/* Our name, which is the last argument of each call that is about our recording. */
void wpr_add_instance(const struct etw_context *context, struct strvec *argv);

/* Hooks of etw_ops; a stop also says what was recorded. */
void wpr_add_mark(const struct etw_context *context, const char *text, struct strvec *argv);
void wpr_add_status(const struct etw_context *context, struct strvec *argv);
void wpr_add_stop(const struct etw_context *context, bool plain, const char *description,
		  struct strvec *argv);
void wpr_add_cancel(const struct etw_context *context, struct strvec *argv);
void wpr_add_set_interval(int64_t interval, struct strvec *argv);
void wpr_add_ask_interval(struct strvec *argv);
enum etw_state wpr_read_state(const struct etw_context *context, const struct etw_result *result);

/* Somebody's recording, which is not ours to end, is an error. */
void wpr_check_idle(const struct etw_context *context, struct finding_list *findings);

#endif
