#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/process.h"
#include "util/alloc.h"

enum { X_PY = 10, CARGO = 20 };

/* A process with two arguments. */
static struct process *add(struct process_list *list, int64_t pid, int64_t ppid, enum role role)
{
	struct process *process = process_list_add(list);

	process->pid = pid;
	process->ppid = ppid;
	process->tag.role = role;
	strvec_push(&process->argv, "program");
	strvec_push(&process->argv, "build");
	return process;
}

static void process_list_compiles_nothing__builds_by_cargo__know_it(void **state)
{
	struct process_list list = PROCESS_LIST_INIT;

	(void)state;
	add(&list, X_PY, 1, ROLE_X_PY);
	assert_false(process_list_compiles_nothing(&list));
	add(&list, CARGO, X_PY, ROLE_CARGO);
	add(&list, 21, CARGO, ROLE_PROBE);
	add(&list, 22, CARGO, ROLE_RUSTC);
	add(&list, 23, X_PY, ROLE_OTHER);
	assert_true(process_list_compiles_nothing(&list));
	/* As `cargo run` does. */
	add(&list, 24, CARGO, ROLE_OTHER);
	assert_false(process_list_compiles_nothing(&list));
	list.v[5]->ppid = X_PY;
	assert_true(process_list_compiles_nothing(&list));
	list.v[3]->tag.crate = xstrdup("core");
	assert_false(process_list_compiles_nothing(&list));
	process_list_release(&list);
}

/* If each were looked up among all, this would take minutes. */
static void process_list_compiles_nothing__very_many__ends(void **state)
{
	enum { MANY = 300000 };
	struct process_list list = PROCESS_LIST_INIT;

	(void)state;
	for (int i = 0; i < MANY; i++)
		add(&list, 10 + i, 1, i % 2 ? ROLE_CARGO : ROLE_OTHER);
	assert_true(process_list_compiles_nothing(&list));
	process_list_release(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_list_compiles_nothing__builds_by_cargo__know_it),
		cmocka_unit_test(process_list_compiles_nothing__very_many__ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
