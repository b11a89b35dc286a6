#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/differences.h"
#include "util/alloc.h"
#include "util/strbuf.h"

static const char *const kinds[] = {
	[DIFFERENCE_SOURCES] = "sources",
	[DIFFERENCE_BUILD] = "build",
	[DIFFERENCE_MACHINE] = "machine",
	[DIFFERENCE_LIMIT] = "limit",
};

static void add(void *data, enum difference kind, const char *text)
{
	strbuf_addf(data, "%s: %s\n", kinds[kind], text);
}

static void make(struct manifest *manifest, const char *commit)
{
	manifest_init(manifest);
	manifest->git_commit = xstrdup(commit);
	manifest_add_host(manifest, "kernel", "Linux 6.1");
	system_facts_add(&manifest->system, "control_group", "processors", "2.000");
}

/* What a run had, and what is there now. */
struct pair {
	struct manifest a, b;
};

static void pair_init(struct pair *pair, const char *a, const char *b)
{
	make(&pair->a, a);
	make(&pair->b, b);
}

static void pair_release(struct pair *pair)
{
	manifest_release(&pair->a);
	manifest_release(&pair->b);
}

static void expect(const struct manifest *then, const struct manifest *now,
		   enum differences_of what, const char *text)
{
	struct strbuf found = STRBUF_INIT;

	differences_find(then, now, what, add, &found);
	assert_string_equal(found.buf ? found.buf : "", text);
	strbuf_release(&found);
}

static void differences_find__equal__none(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, "1", "1");
	for (int i = 0; i < 2; i++) {
		struct system_facts *facts = i ? &pair.b.build : &pair.a.build;

		system_facts_add(facts, "tools", "cc", "12");
		system_facts_add_number(facts, "build", "jobs", 2);
		system_facts_add(facts, "files", "Cargo.lock", "abc");
	}
	expect(&pair.a, &pair.b, DIFFERENCES_GIVEN, "");
	expect(&pair.a, &pair.b, DIFFERENCES_MADE, "");
	pair_release(&pair);
}

static void differences_find__each_kind__is_said(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, "1", "2");
	system_facts_add(&pair.a.build, "checkout", "diff_sha256", "abc");
	system_facts_add(&pair.b.build, "submodules", "src/llvm-project", "def");
	system_facts_add(&pair.a.build, "tools", "cmake", "3.25");
	system_facts_add(&pair.b.build, "tools", "cmake", "3.30");
	system_facts_add(&pair.b.build, "environment", "RUSTFLAGS", "-Copt-level=1");
	system_facts_add_number(&pair.a.build, "build", "jobs", 2);
	system_facts_add_number(&pair.b.build, "build", "jobs", 4);
	pair.b.host[0].value[0] = 'M';
	pair.b.system.v[0].text[0] = '1';
	expect(&pair.a, &pair.b, DIFFERENCES_GIVEN,
	       "sources: commit of the checkout: '1' -> '2'\n"
	       "sources: checkout, diff_sha256: 'abc' -> none\n"
	       "sources: submodule src/llvm-project: none -> 'def'\n"
	       "build: version of cmake: '3.25' -> '3.30'\n"
	       "build: variable RUSTFLAGS: none -> '-Copt-level=1'\n"
	       "build: jobs: '2' -> '4'\n"
	       "machine: kernel: 'Linux 6.1' -> 'Minux 6.1'\n"
	       "machine: control group, processors: '2.000' -> '1.000'\n");
	pair_release(&pair);
}

/* No stage 1 makes it. */
static void differences_find__toml_of_one_side__is_said(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, "1", "1");
	system_facts_add(&pair.a.build, "files", "bootstrap.toml", "abc");
	expect(&pair.a, &pair.b, DIFFERENCES_MADE, "sources: file bootstrap.toml: 'abc' -> none\n");
	expect(&pair.b, &pair.a, DIFFERENCES_MADE, "sources: file bootstrap.toml: none -> 'abc'\n");
	pair_release(&pair);
}

static void limit(struct manifest *manifest, int64_t group, int64_t process)
{
	if (group >= 0)
		system_facts_add_number(&manifest->system, "control_group", "memory_limit_bytes",
					group);
	manifest->memory.least_available_bytes = 1;
	manifest->memory.address_space_limit_bytes = process;
}

static void differences_find__limits_of_memory__lower_ones_are_of_their_own(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, "1", "1");
	limit(&pair.a, 1000, -1);
	limit(&pair.b, 500, 700);
	expect(&pair.a, &pair.b, DIFFERENCES_GIVEN,
	       "limit: control group, memory_limit_bytes: '1000' -> '500'\n"
	       "limit: address space of a process in bytes (ulimit -v): none -> '700'\n");
	expect(&pair.b, &pair.a, DIFFERENCES_GIVEN,
	       "machine: control group, memory_limit_bytes: '500' -> '1000'\n"
	       "machine: address space of a process in bytes (ulimit -v): '700' -> none\n");
	/* It never came to stage 2. */
	pair.a.memory.least_available_bytes = -1;
	pair.a.system.v[1].number = 500;
	expect(&pair.a, &pair.b, DIFFERENCES_GIVEN, "");
	pair_release(&pair);
}

/* Before stage 1 of a fresh checkout its compiler is not there. */
static void differences_find__made_by_stage1__only_what_both_know(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, "1", "1");
	system_facts_add(&pair.a.build, "files", "Cargo.lock", "abc");
	system_facts_add(&pair.a.build, "stage0", "x86_64-unknown-linux-gnu", "2025-01-09");
	expect(&pair.a, &pair.b, DIFFERENCES_MADE, "");
	system_facts_add(&pair.b.build, "files", "Cargo.lock", "def");
	system_facts_add(&pair.b.build, "stage0", "x86_64-unknown-linux-gnu", "2025-02-18");
	expect(&pair.a, &pair.b, DIFFERENCES_MADE,
	       "sources: file Cargo.lock: 'abc' -> 'def'\n"
	       "sources: stage 0 compiler of x86_64-unknown-linux-gnu: '2025-01-09' -> "
	       "'2025-02-18'\n");
	pair_release(&pair);
}

static void differences_find__earlier_version__compares_commit_alone(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, "1", "1");
	system_facts_add(&pair.b.build, "tools", "cc", "12");
	expect(&pair.a, &pair.b, DIFFERENCES_GIVEN, "");
	pair_release(&pair);
}

static void differences_find__scrubbed_variable__only_that_it_was_set(void **state)
{
	struct pair pair;

	(void)state;
	pair_init(&pair, "1", "1");
	pair.a.scrubbed = true;
	system_facts_add(&pair.a.build, "environment", "CFLAGS", "");
	expect(&pair.a, &pair.b, DIFFERENCES_GIVEN, "build: variable CFLAGS: '' -> none\n");
	system_facts_add(&pair.b.build, "environment", "CFLAGS", "-O2");
	expect(&pair.a, &pair.b, DIFFERENCES_GIVEN, "");
	pair_release(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_find__equal__none),
		cmocka_unit_test(differences_find__each_kind__is_said),
		cmocka_unit_test(differences_find__toml_of_one_side__is_said),
		cmocka_unit_test(differences_find__limits_of_memory__lower_ones_are_of_their_own),
		cmocka_unit_test(differences_find__made_by_stage1__only_what_both_know),
		cmocka_unit_test(differences_find__earlier_version__compares_commit_alone),
		cmocka_unit_test(differences_find__scrubbed_variable__only_that_it_was_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
