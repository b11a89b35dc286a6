/*
 * A profile of the Windows Performance Analyzer, for a run: without the graphs, and tabs, of what the run did not record,
 * which would be empty.
 */
#ifndef RUNDIR_WPA_PROFILE_H
#define RUNDIR_WPA_PROFILE_H

#include "util/strbuf.h"

/* What a recording has, beside processes; as bits. */
enum wpa_data {
	WPA_CPU_SAMPLES = 1,
	WPA_VIRTUAL_ALLOC = 2,
	WPA_HEAP_CALLS = 4,
	WPA_HEAP_SNAPSHOTS = 8,
};

/*
 * Remove the graphs of tables whose data is not in `data`, and views that have no graph then. All other text stays as it
 * is, all of it if the profile cannot be taken apart.
 */
void wpa_profile_keep(struct strbuf *profile, unsigned data);

#endif
