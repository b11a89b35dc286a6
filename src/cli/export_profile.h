/*
 * Plays a run or trace for the formats of `export` that know processes (report/profile.h): once for CPU time, and once or
 * more for memory.
 */
#ifndef CLI_EXPORT_PROFILE_H
#define CLI_EXPORT_PROFILE_H

#include "cli/view_results.h"
#include "report/profile.h"

/*
 * Fill a profile, which is empty, with what each stack has, or with each event. CPU time or memory that the trace lacks is
 * left out with a note; ERR_UNSUPPORTED if it lacks both. The caller releases the profile in any case.
 */
int export_profile_sums(const struct results_values *values, struct profile *profile,
			struct err *err);
int export_profile_events(const struct results_values *values, struct profile *profile,
			  struct err *err);

#endif
