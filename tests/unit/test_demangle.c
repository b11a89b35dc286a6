#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/demangle.h"
#include "util/array.h"
#include "util/strbuf.h"

static void demangle_name__each_scheme__for_people(void **state)
{
	static const struct {
		const char *name, *expected;
	} cases[] = {
		{ "main", NULL },
		{ "", NULL },
		{ "_", NULL },
		{ "_R", NULL },
		{ "_Z", NULL },
		{ "_Znot", NULL },
		{ "malloc", NULL },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE.llvm.1234567", "core::fmt::write" },
		{ "_ZN50_$LT$T$u20$as$u20$core..convert..From$LT$U$GT$$GT$"
		  "4from17h0123456789abcdefE",
		  "<T as core::convert::From<U>>::from" },
		{ "_RNvNtCs4fqI2P2rA04_4core3fmt5write", "core::fmt::write" },
		{ "_RNvMs_NtCs4fqI2P2rA04_5alloc3vecINtB4_3VecyE4push",
		  "<alloc::vec::Vec<u64>>::push" },
		{ "_ZN4llvm12SelectionDAG7getNodeEjRKNS_5SDLocENS_3EVTE",
		  "llvm::SelectionDAG::getNode" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
		  "std::vector<int, std::allocator<int> >::push_back" },
		{ "malloc@@GLIBC_2.2.5", "malloc" },
		{ "memcpy@GLIBC_2.2.5", "memcpy" },
		{ "_ZNSt6thread4joinEv@@GLIBCXX_3.4.11", "std::thread::join" },
		{ "@odd", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *shown = demangle_name(cases[i].name);

		if (cases[i].expected)
			assert_string_equal(shown ? shown : "(nothing)", cases[i].expected);
		else
			assert_null(shown);
		free(shown);
	}
}

static void demangle_name__long_cpp_name__is_read(void **state)
{
	struct strbuf name = STRBUF_INIT, expected = STRBUF_INIT;
	char *shown;

	(void)state;
	strbuf_adds(&name, "_ZN");
	for (int i = 0; i < 400; i++) {
		strbuf_adds(&name, "4abcd");
		strbuf_adds(&expected, i ? "::abcd" : "abcd");
	}
	strbuf_adds(&name, "Ev");
	shown = demangle_name(name.buf);
	assert_non_null(shown);
	assert_string_equal(shown, expected.buf);
	free(shown);
	strbuf_release(&name);
	strbuf_release(&expected);
}

/* A reference back in a v0 name: base 62, one less than the position, nothing for 0. */
static void add_back(struct strbuf *name, size_t position)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	strbuf_addc(name, 'B');
	if (position > 62)
		strbuf_addc(name, digits[(position - 1) / 62]);
	strbuf_addc(name, digits[(position - 1) % 62]);
	strbuf_addc(name, '_');
}

/* Each tuple is twice the one before. */
static char *demangle_tuples(size_t nr)
{
	struct strbuf name = STRBUF_INIT;
	size_t before = 4;
	char *shown;

	strbuf_adds(&name, "_RIC1aTuuE");
	for (size_t i = 0; i < nr; i++) {
		size_t at = name.len - 2;

		strbuf_addc(&name, 'T');
		add_back(&name, before);
		add_back(&name, before);
		strbuf_addc(&name, 'E');
		before = at;
	}
	strbuf_addc(&name, 'E');
	shown = demangle_name(name.buf);
	strbuf_release(&name);
	return shown;
}

static void demangle_name__exponential__is_left_as_it_is(void **state)
{
	char *shown = demangle_tuples(1);

	(void)state;
	assert_non_null(shown);
	assert_string_equal(shown, "a::<((), ()), (((), ()), ((), ()))>");
	free(shown);
	assert_null(demangle_tuples(60));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(demangle_name__each_scheme__for_people),
		cmocka_unit_test(demangle_name__long_cpp_name__is_read),
		cmocka_unit_test(demangle_name__exponential__is_left_as_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
