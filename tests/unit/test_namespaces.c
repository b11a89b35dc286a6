#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/namespaces.h"
#include "util/array.h"

static void namespaces_add__paths__belong_to_what_they_are_in(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{ "rustc_ast::util::parser::f", "rustc_ast::util::parser" },
		{ "rustc_ast::operators::f", "rustc_ast::operators" },
		{ "rustc_ast::operator_precedence::f::<u8>", "rustc_ast::operator_precedence" },
		{ "llvm::Vector<A>::operator new", "llvm::Vector" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct namespaces spaces;
		struct strbuf sb = STRBUF_INIT;

		namespaces_init(&spaces);
		namespaces_add(&spaces, cases[i].name, NULL, 7);
		for (uint32_t node = 0; node < spaces.tree.nodes_nr; node++) {
			if (spaces.sums[node].value)
				namespaces_name(&spaces, node, &sb);
		}
		assert_string_equal(sb.buf, cases[i].expected);
		namespaces_release(&spaces);
		strbuf_release(&sb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(namespaces_add__paths__belong_to_what_they_are_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
