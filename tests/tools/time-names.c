/*
 * Measures the time to find the names, lines and inlined functions of all frames of a trace after it was read, for
 * tests/bench/read-trace.sh.
 *
 *     time-names TRACE       seconds: in all, opening files, finding lines, finding functions
 *
 * STAGETRACE_THREADS is used as in the program.
 */
#include <stdio.h>

#include "platform/clock.h"
#include "replay/frame_names.h"
#include "replay/replay.h"
#include "util/text.h"

static bool see_stack(void *data, struct replay *replay, const struct trace_event *event)
{
	(void)data;
	replay_add_frames(replay, event);
	return true;
}

static double seconds(int64_t from, int64_t to)
{
	return (double)(to - from) / NS_PER_S;
}

static void time_names(struct replay *replay)
{
	struct frame_functions *functions;
	int64_t start = clock_now(), opened, lines;

	replay_open_files(replay);
	opened = clock_now();
	frame_lines_find(replay);
	lines = clock_now();
	functions = frame_functions_new(replay);
	while (frame_functions_next(functions) < replay->machine.stacks.frames_nr)
		;
	printf("%.3f %.3f %.3f %.3f  %zu places, %zu functions\n", seconds(start, clock_now()),
	       seconds(start, opened), seconds(opened, lines), seconds(lines, clock_now()),
	       replay->machine.stacks.frames_nr, replay->functions.nr);
	frame_functions_free(functions);
}

int main(int argc, char **argv)
{
	struct replay_options options = {
		.cpu = true, .names = true, .inlines = true, .base_ns = TRACE_BASE_FIRST
	};
	struct process_list rows = PROCESS_LIST_INIT;
	struct strvec paths = STRVEC_INIT;
	struct err err = ERR_INIT;
	struct replay replay;
	int rc = 1;

	if (argc != 2) {
		fprintf(stderr, "usage: time-names TRACE\n");
		return 2;
	}
	strvec_push(&paths, argv[1]);
	if (!replay_open(&paths, NULL, &rows, &options, &replay, &err)) {
		rc = replay_play(&replay, see_stack, NULL, &err);
		if (!rc)
			time_names(&replay);
		replay_close(&replay);
	}
	if (rc)
		fprintf(stderr, "time-names: %s\n", err.msg);
	err_clear(&err);
	process_list_release(&rows);
	strvec_release(&paths);
	return rc;
}
