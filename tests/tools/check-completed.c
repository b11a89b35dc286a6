/*
 * How right are call chains that analysis/stack_completer.h has completed?
 *
 *     check-completed TRACE EVERY MODULE...
 *
 * TRACE has CPU samples with stack copies alone (cpu-stacks = dwarf): their stacks are the truth. One in EVERY samples of
 * each processor stays such a stack; the others become the call chain that frame pointers would have given, if only the
 * modules whose names begin with MODULE have them: the chain goes on up to the first frame in another module. The completed
 * stacks are compared with the truth, frame by frame. Prints, in percent of the samples whose stack is known: those that
 * reached the start by themselves, right, wrong, not completed; then, of the 30 frames of these modules with the most
 * samples on their stacks, the largest difference between the shares, in points.
 *
 * A stack that ends in a frame larger than a copy counts from the frame that it called on, as of a thread of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stack_completer.h"
#include "replay/replay.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define CPUS       4096
#define FRAMES_MAX 1000000

/* Added to the id of a thread. */
#define OTHER (INT64_C(1) << 30)

struct check {
	struct replay *replay;
	struct stack_completer *completer;
	char **modules;
	int modules_nr;
	int every;
	int seen[CPUS];  /* samples of a processor */
	uint32_t *truth; /* by sample */
	size_t truth_nr, truth_alloc;
	size_t unknown, copies, whole, right, wrong, left;
	double *shares, *true_shares; /* by frame */
};

static size_t read_path(const struct check *check, uint32_t stack, uint32_t *frames, size_t most)
{
	const struct stack_node *nodes = check->replay->machine.stacks.nodes;
	size_t nr = 0;

	for (; stack != STACK_EMPTY && nr < most; stack = nodes[stack].parent)
		frames[nr++] = nodes[stack].frame;
	for (size_t i = 0; i < nr / 2; i++) {
		uint32_t frame = frames[i];

		frames[i] = frames[nr - 1 - i];
		frames[nr - 1 - i] = frame;
	}
	return nr;
}

static bool has_frame_pointers(const struct check *check, uint32_t frame)
{
	const struct machine *machine = &check->replay->machine;
	const struct module *module = &machine->modules.v[machine->stacks.frames[frame].module];

	for (int i = 0; i < check->modules_nr; i++)
		if (text_starts_with(text_file_name(module->path), check->modules[i]))
			return true;
	return false;
}

/* Is `part` the end of `path`, or with `start` the beginning of it after at most 4 frames? */
static bool is_part(const uint32_t *path, size_t nr, const uint32_t *part, size_t part_nr,
		    bool start)
{
	if (part_nr > nr)
		return false;
	if (!start)
		return !memcmp(path + nr - part_nr, part, part_nr * sizeof(*part));
	for (size_t i = 0; i <= 4 && i + part_nr <= nr; i++)
		if (!memcmp(path + i, part, part_nr * sizeof(*part)))
			return true;
	return false;
}

static bool is_right(const uint32_t *truth, size_t truth_nr, const uint32_t *path, size_t nr)
{
	size_t gap = 0;

	while (gap < nr && path[gap] != FRAME_MISSING)
		gap++;
	if (gap == nr)
		return nr + 4 >= truth_nr && is_part(truth, truth_nr, path, nr, false);
	return nr - 1 <= truth_nr && is_part(truth, truth_nr, path, gap, true) &&
	       is_part(truth, truth_nr, path + gap + 1, nr - gap - 1, false);
}

/* Count a sample once for each frame on its stack. */
static void add_shares(double *shares, const uint32_t *path, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= path[k] == path[i];
		if (!again)
			shares[path[i]]++;
	}
}

static void compare(void *data, uint32_t stack, bool completed,
		    const struct completer_samples *samples)
{
	static uint32_t truth[4096], path[4096];
	struct check *check = data;
	size_t truth_nr = read_path(check, check->truth[samples->place], truth, 4096);
	size_t nr = read_path(check, stack, path, 4096);

	if (is_right(truth, truth_nr, path, nr)) {
		*(completed ? &check->right : &check->whole) += 1;
	} else if (!completed) {
		check->left++;
	} else {
		check->wrong++;
	}
	add_shares(check->shares, path, nr);
	add_shares(check->true_shares, truth, truth_nr);
}

/* The chain that frame pointers would give of a stack. */
static uint32_t break_chain(struct check *check, uint32_t stack)
{
	static uint32_t path[4096];
	struct stack_table *stacks = &check->replay->machine.stacks;
	size_t nr = read_path(check, stack, path, 4096), first = nr ? nr - 1 : 0;

	while (first && has_frame_pointers(check, path[first]))
		first--;
	return stack_table_push_all(stacks, STACK_EMPTY, path + first, nr - first, NULL);
}

/* The same without the root [truncated]; STACK_EMPTY: it ends elsewhere than in a big frame. */
static uint32_t drop_truncated(struct check *check, uint32_t stack)
{
	static uint32_t path[4096];
	size_t nr = read_path(check, stack, path, 4096);

	if (!nr || path[0] != FRAME_TRUNCATED)
		return nr ? stack : STACK_EMPTY;
	if (nr < 8 || !has_frame_pointers(check, path[1]))
		return STACK_EMPTY;
	return stack_table_push_all(&check->replay->machine.stacks, STACK_EMPTY, path + 1, nr - 1,
				    NULL);
}

static bool take(void *data, struct replay *replay, const struct trace_event *event)
{
	struct check *check = data;
	struct machine *machine = &replay->machine;
	struct trace_process *process;
	struct completer_samples samples = { .samples = 1 };
	static uint32_t frames[4096];
	struct stack_path path;
	uint32_t user, whole;
	int64_t tid;

	if (event->kind == TRACE_EXEC || event->kind == TRACE_THREAD_END) {
		stack_completer_end_thread(check->completer, event->pid, event->tid);
		stack_completer_end_thread(check->completer, event->pid, event->tid + OTHER);
	}
	process = event->kind == TRACE_CPU ? machine_process(machine, event->pid, event->time_ns)
					   : NULL;
	if (!process)
		return true;
	path = machine_stack_path(machine, process, event->tid, &event->cpu_sample.stack);
	whole = stack_table_push_all(&machine->stacks, STACK_EMPTY, path.frames, path.user_nr,
				     NULL);
	path.frames = frames;
	user = drop_truncated(check, whole);
	tid = event->tid + (whole == user ? 0 : OTHER);
	if (user == STACK_EMPTY || machine->stacks.frames_nr > FRAMES_MAX) {
		check->unknown++;
		return true;
	}
	if (check->seen[event->cpu & (CPUS - 1)]++ % check->every == 0) {
		check->copies++;
		path.nr = path.user_nr = read_path(check, user, frames, 4096);
		stack_completer_see(check->completer, event->pid, tid, &path);
	}
	samples.place = (uint32_t)check->truth_nr;
	ARRAY_ADD(check->truth, check->truth_nr, check->truth_alloc, user);
	path.nr = path.user_nr = read_path(check, break_chain(check, user), frames, 4096);
	stack_completer_add(check->completer, event->pid, tid, &path, &samples);
	return true;
}

static void print_result(const struct check *check)
{
	double all = (double)(check->whole + check->right + check->wrong + check->left) / 100;
	double worst = 0;

	for (int i = 0; i < 30; i++) {
		uint32_t biggest = 0;

		for (uint32_t k = FRAME_FIRST; k < check->replay->machine.stacks.frames_nr; k++)
			if (check->true_shares[k] > check->true_shares[biggest] &&
			    has_frame_pointers(check, k))
				biggest = k;
		worst = fmax(worst, fabs(check->true_shares[biggest] - check->shares[biggest]));
		check->true_shares[biggest] = 0;
	}
	printf("%zu samples, %zu copies, %zu unknown: %.2f %% whole, %.2f %% right, %.2f %% wrong, "
	       "%.2f %% not completed; shares differ by at most %.2f points\n",
	       check->truth_nr, check->copies, check->unknown, (double)check->whole / all,
	       (double)check->right / all, (double)check->wrong / all, (double)check->left / all,
	       worst / all);
}

int main(int argc, char **argv)
{
	struct replay_options options = { .cpu = true, .names = true, .base_ns = TRACE_BASE_FIRST };
	struct process_list rows = PROCESS_LIST_INIT;
	struct strvec paths = STRVEC_INIT;
	struct err err = ERR_INIT;
	struct replay replay;
	struct check check = { .replay = &replay, .modules = argv + 3, .modules_nr = argc - 3 };
	int rc = 1;

	if (argc < 4 || (check.every = atoi(argv[2])) < 1) {
		fprintf(stderr, "usage: check-completed TRACE EVERY MODULE...\n");
		return 2;
	}
	check.shares = xcalloc(FRAMES_MAX + 1000, sizeof(*check.shares));
	check.true_shares = xcalloc(FRAMES_MAX + 1000, sizeof(*check.true_shares));
	strvec_push(&paths, argv[1]);
	if (!replay_open(&paths, NULL, &rows, &options, &replay, &err)) {
		check.completer = stack_completer_new(&replay.machine.stacks, compare, &check);
		rc = replay_play(&replay, take, &check, &err);
		stack_completer_finish(check.completer);
		if (!rc)
			print_result(&check);
		stack_completer_free(check.completer);
		replay_close(&replay);
	}
	if (rc)
		fprintf(stderr, "check-completed: %s\n", err.msg);
	err_clear(&err);
	free(check.shares);
	free(check.true_shares);
	free(check.truth);
	process_list_release(&rows);
	strvec_release(&paths);
	return rc;
}
