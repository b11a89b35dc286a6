/*
 * Checks the names that a symbolizer finds, and its messages about missing ones.
 */
#ifndef TESTS_UNIT_SYMBOLIZER_FIXTURE_H
#define TESTS_UNIT_SYMBOLIZER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "symbol/symbolizer.h"

/* `expected` NULL: there must be no name. */
static inline void expect_name(struct symbolizer *symbolizer, const struct module *module,
			       uint64_t offset, const char *expected)
{
	struct symbol_source source = symbolizer_source(symbolizer);
	struct symbol symbol;
	bool found = source.find(source.data, module, offset, &symbol);

	assert_int_equal(found, expected != NULL);
	if (found)
		assert_string_equal(symbol.name, expected);
}

static inline void expect_notes(const struct symbolizer *symbolizer, const char *expected)
{
	struct strbuf notes = STRBUF_INIT;

	symbolizer_explain(symbolizer, &notes);
	assert_string_equal(notes.buf, expected);
	strbuf_release(&notes);
}

#endif
