#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cpu_account.h"
#include "page_model.h"
#include "grouping_by.h"
#include "trace_fixture.h"
#include "util/array.h"
#include "util/strbuf.h"

#define DEPTH 6u

/* A sample: its functions root first. */
struct sample {
	int64_t time_ns, pid, weight_ns;
	uint32_t depth;
	unsigned functions[DEPTH];
	bool kernel; /* the leaf is in the kernel */
};

static const uint64_t kernel_chain[] = { FIXTURE_KERNEL + 0x40 };

static void apply(struct trace_fixture *fixture, struct cpu_account *account,
		  const struct trace_event *event)
{
	machine_apply(&fixture->machine, event);
	cpu_account_apply(account, event);
}

static void apply_sample(struct trace_fixture *fixture, struct cpu_account *account,
			 const struct sample *sample)
{
	struct trace_event event = fixture_event(TRACE_CPU, sample->time_ns, sample->pid);
	uint64_t addresses[DEPTH];

	event.cpu_sample.weight_ns = sample->weight_ns;
	event.cpu_sample.stack = fixture_stack(sample->functions, sample->depth, addresses);
	if (sample->kernel) {
		event.cpu_sample.stack.kernel = kernel_chain;
		event.cpu_sample.stack.kernel_nr = 1;
	}
	apply(fixture, account, &event);
}

static void setup(struct trace_fixture *fixture)
{
	*fixture = (struct trace_fixture){ .rows = PROCESS_LIST_INIT };
	fixture_add_row(fixture, 11, 10, ROLE_RUSTC, "core");
	fixture_add_row(fixture, 12, 20, ROLE_RUSTC, "alloc");
	fixture_add_row(fixture, 13, 30, ROLE_LINK, "alloc");
	fixture_start(fixture);
}

static void start_processes(struct trace_fixture *fixture, struct cpu_account *account)
{
	for (int64_t pid = 11; pid <= 13; pid++) {
		struct trace_event start = fixture_fork((pid - 10) * 10, pid, 1);
		struct trace_event exec = fixture_exec((pid - 10) * 10 + 1, pid);
		struct trace_event map = fixture_map((pid - 10) * 10 + 2, pid);

		apply(fixture, account, &start);
		apply(fixture, account, &exec);
		apply(fixture, account, &map);
	}
}

/* The kind of key, without a root. */
static enum group_by run_kind(const struct grouping *grouping)
{
	return grouping_only(grouping) ? only_kind(grouping) : BY_STACK;
}

static const char *root_of(const struct grouping *grouping, uint32_t key)
{
	const struct group *root = grouping_part(grouping, key, BY_IMAGE);

	if (!root)
		root = grouping_part(grouping, key, BY_IMAGE_AND_CRATE);
	return root ? root->text : NULL;
}

/* The name of a key, as in a view. */
static char *key_name(struct trace_fixture *fixture, const struct grouping *grouping, uint32_t key)
{
	enum group_by by = run_kind(grouping);
	const struct group *group = grouping_part(grouping, key, by);
	const struct function *functions = fixture->functions.v;
	struct strvec frames = STRVEC_INIT;
	struct strbuf name = STRBUF_INIT;

	switch (by) {
	case BY_PROCESS:
		strbuf_addf(&name, "%d", (int)group->process->pid);
		break;
	case BY_THREAD:
		strbuf_addf(&name, "%d/%d", (int)group->process->pid, (int)group->thread->tid);
		break;
	case BY_FUNCTION:
		strbuf_adds(&name, function_table_name(&fixture->functions,
						       functions[group->function].name));
		break;
	case BY_MODULE:
		strbuf_adds(&name, group->text ? group->text
					       : fixture->machine.modules.v[group->module].name);
		break;
	case BY_STACK:
		if (root_of(grouping, key))
			strbuf_addf(&name, "(%s) ", root_of(grouping, key));
		dimension_add_frames(grouping_dimension(grouping, BY_STACK), group, &frames);
		for (size_t i = 0; i < frames.nr; i++)
			strbuf_addf(&name, i ? ";%s" : "%s", frames.v[i]);
		break;
	default:
		strbuf_adds(&name, group->text ? group->text : "-");
		break;
	}
	strvec_forget(&frames);
	strvec_release(&frames);
	return strbuf_detach(&name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "key samples self total" of each key, by key. */
static char *describe(struct trace_fixture *fixture, struct cpu_account *account,
		      const struct grouping *grouping)
{
	size_t nr;
	const struct cpu_entry *entries = cpu_account_finish(account, &nr);
	struct strvec lines = STRVEC_INIT;
	struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		char *name = key_name(fixture, grouping, (uint32_t)i);

		strvec_pushf(&lines, "%s %d %d %d\n", name, (int)entries[i].samples,
			     (int)entries[i].self_ns, (int)entries[i].total_ns);
		free(name);
	}
	qsort(lines.v, lines.nr, sizeof(*lines.v), by_text);
	for (size_t i = 0; i < lines.nr; i++)
		strbuf_adds(&all, lines.v[i]);
	strvec_release(&lines);
	return strbuf_detach(&all);
}

static const struct sample samples[] = {
	{ 100, 11, 1, 3, { 0, 1, 2 }, false },
	{ 110, 11, 2, 3, { 0, 1, 1 }, false }, /* f1 calls itself */
	{ 120, 12, 4, 2, { 0, 1 }, false },
	{ 130, 12, 8, 2, { 0, 2 }, true },
	{ 140, 13, 16, 1, { 0 }, false },
	{ 150, 13, 32, 0, { 0 }, false },  /* no stack */
	{ 160, 0, 1000, 1, { 0 }, false }, /* idle */
};

/* Functions are found meanwhile, frame by frame: none is to be looked at before. */
static void find_meanwhile(struct trace_fixture *fixture, struct cpu_account *account)
{
	struct function_table *functions = &fixture->functions;
	struct symbol_source source = functions->finder.source;
	struct found_functions found = { .names = NULL };

	cpu_account_finish_early(account, 0);
	for (size_t i = 0; i < fixture->machine.stacks.frames_nr; i++) {
		functions->finder.source = source;
		function_finder_find(&functions->finder, (uint32_t)i, &found);
		functions->finder.source = (struct symbol_source){ NULL, NULL, NULL };
		function_table_take(functions, &found);
		cpu_account_finish_early(account, i + 1);
	}
	functions->finder.source = source;
	found_functions_release(&found);
}

/* f2 is inlined at all places of f1. */
static size_t find_inlined(void *data, const struct module *module, uint64_t offset,
			   const struct symbol_line **lines)
{
	static const struct symbol_line levels[] = { { "f2", NULL, 0 }, { "f1", NULL, 0 } };

	(void)data;
	*lines = levels;
	return module->kind == MODULE_FILE && offset / 0x100 == 1 ? 2 : 0;
}

struct run {
	enum group_by by;
	enum group_by root;
	const struct process_filter *filter;
	int64_t from_ns, to_ns;
	bool inlines, meanwhile;
	bool breaks; /* chains with the root f0 are broken */
};

static bool breaks_at(void *data, uint32_t frame)
{
	const struct trace_fixture *fixture = data;
	uint64_t offset = fixture->machine.stacks.frames[frame].offset;

	assert_true(frame >= FRAME_FIRST);
	return offset / 0x100 == 0;
}

static void run_once(const struct run *run, const char *expected, int64_t total_ns)
{
	struct trace_fixture fixture;
	struct grouping *grouping;
	struct cpu_account *account;
	char *got;

	setup(&fixture);
	if (run->inlines)
		fixture.functions.finder.lines.find = find_inlined;
	grouping = grouping_by_root(run->by, run->root, false, &fixture.machine, &fixture.functions,
				    run->filter);
	account = cpu_account_new(&fixture.machine, grouping, run->from_ns, run->to_ns, false);
	start_processes(&fixture, account);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		apply_sample(&fixture, account, &samples[i]);
	cpu_account_end(account);
	cpu_account_keep_counted(account);
	if (run->breaks)
		cpu_account_mark_truncated(account, breaks_at, &fixture);
	if (run->meanwhile)
		find_meanwhile(&fixture, account);
	got = describe(&fixture, account, grouping);
	assert_string_equal(got, expected);
	assert_int_equal(cpu_account_total(account).self_ns, total_ns);
	assert_int_equal(cpu_account_total(account).total_ns, total_ns);
	free(got);
	cpu_account_free(account);
	grouping_free(grouping);
	fixture_release(&fixture);
}

/* With functions found meanwhile, too. */
static void run_both(struct run run, const char *expected, int64_t total_ns)
{
	run_once(&run, expected, total_ns);
	run.meanwhile = run.by == BY_FUNCTION || run.by == BY_STACK;
	if (run.meanwhile)
		run_once(&run, expected, total_ns);
}

static void run_rooted(enum group_by by, enum group_by root, const struct process_filter *filter,
		       int64_t from_ns, int64_t to_ns, const char *expected, int64_t total_ns)
{
	run_both((struct run){ by, root, filter, from_ns, to_ns, false, false, false }, expected,
		 total_ns);
}

static void run(enum group_by by, const struct process_filter *filter, int64_t from_ns,
		int64_t to_ns, const char *expected, int64_t total_ns)
{
	run_rooted(by, NO_ROOT, filter, from_ns, to_ns, expected, total_ns);
}

/* All processes have one image. */
static void cpu_account__roots__totals_are_of_their_own(void **state)
{
	struct process_filter filter = PROCESS_FILTER_INIT;

	(void)state;
	run_rooted(BY_STACK, BY_IMAGE_AND_CRATE, NULL, 0, INT64_MAX,
		   "(? alloc) [truncated] 1 32 32\n(? alloc) f0 1 16 28\n(? alloc) f0;f1 1 4 4\n"
		   "(? alloc) f0;f2;[kernel.kallsyms]!0x40 1 8 8\n"
		   "(? core) f0;f1;f1 1 2 2\n(? core) f0;f1;f2 1 1 1\n",
		   63);
	run_rooted(BY_STACK, BY_IMAGE, NULL, 0, INT64_MAX,
		   "(?) [truncated] 1 32 32\n(?) f0 1 16 31\n(?) f0;f1 1 4 7\n"
		   "(?) f0;f1;f1 1 2 2\n(?) f0;f1;f2 1 1 1\n"
		   "(?) f0;f2;[kernel.kallsyms]!0x40 1 8 8\n",
		   63);
	strvec_push(&filter.crates, "core");
	run_rooted(BY_STACK, BY_IMAGE_AND_CRATE, &filter, 105, INT64_MAX,
		   "(? core) f0;f1;f1 1 2 2\n", 2);
	run_rooted(BY_STACK, BY_IMAGE_AND_CRATE, &filter, 115, INT64_MAX, "", 0);
	process_filter_release(&filter);
}

static void cpu_account__each_by__self_and_total(void **state)
{
	(void)state;
	run(BY_PROCESS, NULL, 0, INT64_MAX, "11 2 3 3\n12 2 12 12\n13 2 48 48\n", 63);
	run(BY_ROLE, NULL, 0, INT64_MAX, "link 2 48 48\nrustc 4 15 15\n", 63);
	run(BY_CRATE, NULL, 0, INT64_MAX, "alloc 4 60 60\ncore 2 3 3\n", 63);
	run(BY_PART, NULL, 0, INT64_MAX, "- 6 63 63\n", 63);
	run(BY_THREAD, NULL, 0, INT64_MAX, "11/11 2 3 3\n12/12 2 12 12\n13/13 2 48 48\n", 63);
	run(BY_FUNCTION, NULL, 0, INT64_MAX,
	    "[kernel.kallsyms]!0x40 1 8 8\n[truncated] 1 32 32\nf0 1 16 31\nf1 2 6 7\nf2 1 1 9\n",
	    63);
	run(BY_MODULE, NULL, 0, INT64_MAX,
	    "[kernel.kallsyms] 1 8 8\n[truncated] 1 32 32\nprogram 4 23 31\n", 63);
	run(BY_STACK, NULL, 0, INT64_MAX,
	    "[truncated] 1 32 32\nf0 1 16 31\nf0;f1 1 4 7\nf0;f1;f1 1 2 2\nf0;f1;f2 1 1 1\n"
	    "f0;f2;[kernel.kallsyms]!0x40 1 8 8\n",
	    63);
}

static void cpu_account__inlined_functions__count_once(void **state)
{
	struct run run = { BY_FUNCTION, NO_ROOT, NULL, 0, INT64_MAX, true, false, false };

	(void)state;
	run_both(run,
		 "[kernel.kallsyms]!0x40 1 8 8\n[truncated] 1 32 32\nf0 1 16 31\nf1 0 0 7\n"
		 "f2 3 7 15\n",
		 63);
	run.by = BY_STACK;
	run_both(run,
		 "[truncated] 1 32 32\nf0 1 16 31\nf0;f1;f2 1 4 7\nf0;f1;f2;f1;f2 1 2 2\n"
		 "f0;f1;f2;f2 1 1 1\nf0;f2;[kernel.kallsyms]!0x40 1 8 8\n",
		 63);
	run.root = BY_IMAGE_AND_CRATE;
	run.to_ns = 125;
	run_both(run,
		 "(? alloc) f0;f1;f2 1 4 4\n(? core) f0;f1;f2;f1;f2 1 2 2\n"
		 "(? core) f0;f1;f2;f2 1 1 1\n",
		 7);
}

/* "caller;inlined;... samples ns" of each tally, by its frames. */
static char *describe_tallies(const struct trace_fixture *fixture,
			      const struct stack_tally *tallies, size_t nr)
{
	const struct stack_table *stacks = &fixture->machine.stacks;
	uint32_t names[FUNCTION_LEVELS];
	struct strvec lines = STRVEC_INIT;
	struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++) {
		char *line = xasprintf(" %d %d\n", (int)tallies[i].samples, (int)tallies[i].ns);

		for (uint32_t at = tallies[i].stack; at != STACK_EMPTY;
		     at = stacks->nodes[at].parent) {
			size_t levels = function_table_names(&fixture->functions,
							     stacks->nodes[at].frame, names);

			assert_true(levels > 0);
			while (levels--) {
				char *longer = xasprintf(
					"%s;%s",
					function_table_name(&fixture->functions, names[levels]),
					line);

				free(line);
				line = longer;
			}
		}
		strvec_push(&lines, line);
		free(line);
	}
	qsort(lines.v, lines.nr, sizeof(*lines.v), by_text);
	for (size_t i = 0; i < lines.nr; i++)
		strbuf_adds(&all, lines.v[i]);
	strvec_release(&lines);
	return strbuf_detach(&all);
}

/* The stacks of the machine are kept, and no frame has a name that was not found. */
static void cpu_account__tallies__are_of_stacks_of_the_machine(void **state)
{
	struct trace_fixture fixture;
	struct grouping *grouping;
	struct cpu_account *account;
	const struct stack_tally *tallies;
	uint32_t names[FUNCTION_LEVELS];
	size_t nr;
	char *got;

	(void)state;
	setup(&fixture);
	fixture.functions.finder.lines.find = find_inlined;
	grouping = grouping_by_root(BY_STACK, BY_STACK, false, &fixture.machine, &fixture.functions,
				    NULL);
	account = cpu_account_new(&fixture.machine, grouping, INT64_MIN, INT64_MAX, false);
	start_processes(&fixture, account);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		apply_sample(&fixture, account, &samples[i]);
	cpu_account_end(account);
	cpu_account_keep_counted(account);
	tallies = cpu_account_tallies(account, &nr);
	assert_int_equal(function_table_names(&fixture.functions, FRAME_TRUNCATED, names), 0);
	for (uint32_t i = 0; i < fixture.machine.stacks.frames_nr; i++)
		function_table_of(&fixture.functions, i);
	got = describe_tallies(&fixture, tallies, nr);
	assert_string_equal(got, "[truncated]; 1 32\n"
				 "f0; 1 16\n"
				 "f0;f1;f2; 1 4\n"
				 "f0;f1;f2;f1;f2; 1 2\n"
				 "f0;f1;f2;f2; 1 1\n"
				 "f0;f2;[kernel.kallsyms]!0x40; 1 8\n");
	free(got);
	cpu_account_free(account);
	grouping_free(grouping);
	fixture_release(&fixture);
}

static void cpu_account__range_and_filter__leave_samples_out(void **state)
{
	struct process_filter filter = PROCESS_FILTER_INIT;

	(void)state;
	run(BY_FUNCTION, NULL, 110, 120, "f0 0 0 2\nf1 1 2 2\n", 2);
	run(BY_PROCESS, NULL, 150, 150, "", 0);
	run(BY_STACK, NULL, 1000, INT64_MAX, "", 0);
	strvec_push(&filter.crates, "alloc");
	run(BY_ROLE, &filter, 0, INT64_MAX, "link 2 48 48\nrustc 2 12 12\n", 60);
	run(BY_STACK, &filter, 0, 145,
	    "f0 1 16 28\nf0;f1 1 4 4\nf0;f2;[kernel.kallsyms]!0x40 1 8 8\n", 28);
	process_filter_release(&filter);
}

/* One sample has no frames: it is [truncated] in any case, and its stack is a caller of the others now. */
static void cpu_account__broken_chains__get_the_root_truncated(void **state)
{
	struct run run = { BY_STACK, NO_ROOT, .to_ns = INT64_MAX, .breaks = true };

	(void)state;
	run_both(run,
		 "[truncated] 1 32 63\n[truncated];f0 1 16 31\n[truncated];f0;f1 1 4 7\n"
		 "[truncated];f0;f1;f1 1 2 2\n[truncated];f0;f1;f2 1 1 1\n"
		 "[truncated];f0;f2;[kernel.kallsyms]!0x40 1 8 8\n",
		 63);
	run.by = BY_FUNCTION;
	run_both(run,
		 "[kernel.kallsyms]!0x40 1 8 8\n[truncated] 1 32 63\nf0 1 16 31\nf1 2 6 7\n"
		 "f2 1 1 9\n",
		 63);
	run.by = BY_MODULE;
	run_both(run, "[kernel.kallsyms] 1 8 8\n[truncated] 1 32 63\nprogram 4 23 31\n", 63);
	run = (struct run){ BY_STACK, BY_IMAGE_AND_CRATE, .to_ns = 125, .breaks = true };
	run_both(run,
		 "(? alloc) [truncated];f0;f1 1 4 4\n(? core) [truncated];f0;f1;f1 1 2 2\n"
		 "(? core) [truncated];f0;f1;f2 1 1 1\n",
		 7);
}

/* What is counted of stacks; the last of the samples was unwound. */
static void check_stacks(enum group_by by, enum group_by root, int64_t to_ns, uint64_t chains,
			 uint64_t unwound)
{
	const struct trace_stack_copy copy = { .id = 1 };
	struct trace_event event = fixture_event(TRACE_CPU, 145, 11);
	struct stack_quality quality = { .nr = 0 };
	struct samples_by_end sum = { .chains = 0 };
	struct trace_fixture fixture;
	struct grouping *grouping;
	struct cpu_account *account;
	uint64_t addresses[DEPTH];
	struct stack_end *ends;

	setup(&fixture);
	grouping = grouping_by_root(by, root, false, &fixture.machine, &fixture.functions, NULL);
	account = cpu_account_new(&fixture.machine, grouping, 0, to_ns, false);
	start_processes(&fixture, account);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		apply_sample(&fixture, account, &samples[i]);
	event.cpu_sample.stack = fixture_stack(samples[0].functions, 3, addresses);
	event.cpu_sample.stack.copy = &copy;
	apply(&fixture, account, &event);
	cpu_account_end(account);
	ends = stack_ends_of_all(&fixture.machine);
	cpu_account_add_stacks(account, ends, &quality);
	free(ends);
	for (size_t i = 0; i < quality.nr; i++) {
		sum.chains += quality.v[i].chains;
		sum.unwound += quality.v[i].unwound;
	}
	assert_int_equal(sum.chains, chains);
	assert_int_equal(sum.unwound, unwound);
	stack_quality_release(&quality);
	cpu_account_free(account);
	grouping_free(grouping);
	fixture_release(&fixture);
}

/* One stack is both that of a chain and unwound. */
static void cpu_account__stacks__are_reported_if_keys_are_found_by_stacks(void **state)
{
	(void)state;
	check_stacks(BY_STACK, NO_ROOT, INT64_MAX, 6, 1);
	check_stacks(BY_FUNCTION, NO_ROOT, INT64_MAX, 6, 1);
	check_stacks(BY_MODULE, NO_ROOT, 120, 2, 0);
	check_stacks(BY_STACK, BY_IMAGE, INT64_MAX, 6, 1);
	check_stacks(BY_PROCESS, NO_ROOT, INT64_MAX, 0, 0);
}

#define RANDOM 2000

static void make_samples(struct sample *all, uint64_t *seed)
{
	for (size_t i = 0; i < RANDOM; i++) {
		all[i] = (struct sample){ .time_ns = 100 + (int64_t)i,
					  .pid = 11 + (int64_t)(model_random(seed) % 3),
					  .weight_ns = 1 + (int64_t)(model_random(seed) % 99),
					  .depth = 1 + (uint32_t)(model_random(seed) % DEPTH) };
		for (uint32_t k = 0; k < all[i].depth; k++)
			all[i].functions[k] = (unsigned)(model_random(seed) % 3);
	}
}

/* Whether the sample has the function, or begins with the stack, that is called so. */
static bool has(const struct sample *sample, const char *name, bool stacks)
{
	struct strbuf path = STRBUF_INIT;
	bool found = false;

	for (uint32_t i = 0; i < sample->depth && !found; i++) {
		if (!stacks)
			strbuf_clear(&path);
		strbuf_addf(&path, path.len ? ";f%u" : "f%u", sample->functions[i]);
		found = !strcmp(path.buf, name);
	}
	strbuf_release(&path);
	return found;
}

static void check_totals(struct trace_fixture *fixture, struct cpu_account *account,
			 const struct grouping *grouping, const struct sample *all)
{
	size_t nr;
	const struct cpu_entry *entries = cpu_account_finish(account, &nr);
	int64_t self = 0, samples_nr = 0;

	for (size_t i = 0; i < nr; i++) {
		char *name = key_name(fixture, grouping, (uint32_t)i);
		int64_t total = 0;

		for (size_t k = 0; k < RANDOM; k++) {
			if (has(&all[k], name, only_kind(grouping) == BY_STACK))
				total += all[k].weight_ns;
		}
		assert_int_equal(entries[i].total_ns, total);
		self += entries[i].self_ns;
		samples_nr += entries[i].samples;
		free(name);
	}
	assert_int_equal(self, cpu_account_total(account).self_ns);
	assert_int_equal(samples_nr, RANDOM);
}

static void cpu_account__random_samples__totals_are_those_of_each_sample(void **state)
{
	static const enum group_by kinds[] = { BY_FUNCTION, BY_STACK };
	struct sample *all = xcalloc(RANDOM, sizeof(*all));
	uint64_t seed = 7;

	(void)state;
	make_samples(all, &seed);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct trace_fixture fixture;
		struct grouping *grouping;
		struct cpu_account *account;

		setup(&fixture);
		grouping = grouping_by(kinds[i], false, &fixture.machine, &fixture.functions, NULL);
		account = cpu_account_new(&fixture.machine, grouping, 0, INT64_MAX, false);
		start_processes(&fixture, account);
		for (size_t k = 0; k < RANDOM; k++)
			apply_sample(&fixture, account, &all[k]);
		cpu_account_end(account);
		cpu_account_keep_counted(account);
		check_totals(&fixture, account, grouping, all);
		cpu_account_free(account);
		grouping_free(grouping);
		fixture_release(&fixture);
	}
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_account__each_by__self_and_total),
		cmocka_unit_test(cpu_account__roots__totals_are_of_their_own),
		cmocka_unit_test(cpu_account__inlined_functions__count_once),
		cmocka_unit_test(cpu_account__tallies__are_of_stacks_of_the_machine),
		cmocka_unit_test(cpu_account__range_and_filter__leave_samples_out),
		cmocka_unit_test(cpu_account__broken_chains__get_the_root_truncated),
		cmocka_unit_test(cpu_account__stacks__are_reported_if_keys_are_found_by_stacks),
		cmocka_unit_test(cpu_account__random_samples__totals_are_those_of_each_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
