#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/stack_tags.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

static struct stack_tags *read_text(const char *text)
{
	struct stack_tags *tags = NULL;
	struct err err = ERR_INIT;

	if (stack_tags_read(text, strlen(text), "my.stacktags", &tags, &err))
		fail_msg("%s", err.msg);
	return tags;
}

static const char *tag_of(const struct stack_tags *tags, const char *module, const char *function)
{
	uint32_t tag = stack_tags_find(tags, module, function);

	return tag == STACK_TAG_NONE ? "-" : stack_tags_name(tags, tag);
}

/* "rustc\type check" in the list is "rustc: type check" here. */
static char *name_of(const char *listed)
{
	char *name = xcalloc(2 * strlen(listed) + 1, 1), *to = name;

	for (; *listed; listed++) {
		*to++ = *listed == '\\' ? ':' : *listed;
		if (*listed == '\\')
			*to++ = ' ';
	}
	return name;
}

/* What tests/tools/stack-tags.py is held against, too. */
static void stack_tags_builtin__real_functions__have_their_tags(void **state)
{
	struct stack_tags *tags = stack_tags_builtin();
	FILE *list = fopen("tests/data/rustc-frames.tsv", "r");
	char line[4096];
	size_t nr = 0;

	(void)state;
	assert_non_null(list);
	while (fgets(line, sizeof(line), list)) {
		char *module = strchr(line, '\t'), *function, *end, *dll, *name, *linux_module;

		if (*line == '#' || !module)
			continue;
		*module++ = '\0';
		function = strchr(module, '!');
		end = strchr(function, '\t');
		assert_non_null(end);
		*function++ = *end = '\0';
		name = name_of(line);
		if (strcmp(tag_of(tags, module, function), name) != 0)
			fail_msg("%s!%s: %s, not %s", module, function,
				 tag_of(tags, module, function), name);
		dll = strstr(module, ".dll");
		if (dll && text_starts_with(module, "rustc_driver")) {
			*dll = '\0';
			linux_module = xasprintf("lib%s.so", module);
			assert_string_equal(tag_of(tags, linux_module, function), name);
			free(linux_module);
		}
		free(name);
		nr++;
	}
	fclose(list);
	assert_true(nr > 200);
	stack_tags_free(tags);
}

#define ENTRY(module, method) "<Entrypoint Module=\"" module "\" Method=\"" method "\"/>"

static void stack_tags_find__modules__by_both_names(void **state)
{
	struct stack_tags *tags = read_text(
		"<Tag Name=''><Tag Name='a'>" ENTRY("ld.exe", "*") "</Tag><Tag Name='b'>" ENTRY(
			"Driver-*.dll",
			"x") "</Tag><Tag Name='c'><Entrypoint Module='*LLVM*'/></Tag>"
			     "</Tag>");

	(void)state;
	assert_string_equal(tag_of(tags, "ld", "f"), "a");
	assert_string_equal(tag_of(tags, "LD.EXE", "f"), "a");
	assert_string_equal(tag_of(tags, "libdriver-1.so", "x"), "b");
	assert_string_equal(tag_of(tags, "libdriver-1.so.2.3", "x"), "b");
	assert_string_equal(tag_of(tags, "driver-1.dll", "x"), "b");
	assert_string_equal(tag_of(tags, "libdriver-1.so", "xy"), "-");
	assert_string_equal(tag_of(tags, "libdriver-1.sofa", "x"), "-");
	assert_string_equal(tag_of(tags, "libLLVM.so.19.1", "libLLVM.so.19.1!0x12"), "c");
	assert_string_equal(tag_of(tags, "[kernel.kallsyms]", "f"), "-");
	stack_tags_free(tags);
}

static void stack_tags_find__patterns__at_each_place(void **state)
{
	struct stack_tags *tags =
		read_text("<Tag Name=\"\"><Tag Name=\"part\">"
			  "<Entrypoint Module=\"m\" Method=\"*a::B*\"/></Tag>"
			  "<Tag Name=\"parts\">"
			  "<Entrypoint Module=\"m\" Method=\"*x*y*\"/></Tag>"
			  "<Tag Name=\"letter\">"
			  "<Entrypoint Module=\"m\" Method=\"*p?q*\"/></Tag>"
			  "<Tag Name=\"end\">"
			  "<Entrypoint Module=\"m\" Method=\"*::end\"/></Tag>"
			  "<Tag Name=\"all\">"
			  "<Entrypoint Module=\"all\" Method=\"**\"/></Tag></Tag>");

	(void)state;
	assert_string_equal(tag_of(tags, "m", "a::B"), "part");
	assert_string_equal(tag_of(tags, "m", "Model<u8, a::B, c>::run"), "part");
	assert_string_equal(tag_of(tags, "m", "a::C::run"), "-");
	assert_string_equal(tag_of(tags, "m", "1x2y3"), "parts");
	assert_string_equal(tag_of(tags, "m", "1y2x3"), "-");
	assert_string_equal(tag_of(tags, "m", "1p-q2"), "letter");
	assert_string_equal(tag_of(tags, "m", "one::end"), "end");
	assert_string_equal(tag_of(tags, "m", "one::ending"), "-");
	assert_string_equal(tag_of(tags, "all", "any"), "all");
	stack_tags_free(tags);
}

static void stack_tags_join__priorities__and_the_innermost_of_equal_ones(void **state)
{
	struct stack_tags *tags = read_text("<Tag Name=''><Tag Name='low' Priority='-1'>" ENTRY(
		"*", "l*") "</Tag>"
			   "<Tag Name='mid'>" ENTRY("*", "m*") "<Tag Name='same'>" ENTRY(
				   "*", "s*") "</Tag></Tag>"
					      "<Tag Name='high' Priority='7'>" ENTRY(
						      "*", "*h*") "</Tag></Tag>");
	uint32_t low = stack_tags_find(tags, "x", "l"), mid = stack_tags_find(tags, "x", "m");
	uint32_t same = stack_tags_find(tags, "x", "s"), high = stack_tags_find(tags, "x", "lh");

	(void)state;
	assert_int_equal(stack_tags_nr(tags), 4);
	assert_string_equal(stack_tags_name(tags, same), "mid: same");
	assert_string_equal(stack_tags_name(tags, high), "high");
	assert_int_equal(stack_tags_join(tags, STACK_TAG_NONE, low), low);
	assert_int_equal(stack_tags_join(tags, low, STACK_TAG_NONE), low);
	assert_int_equal(stack_tags_join(tags, STACK_TAG_NONE, STACK_TAG_NONE), STACK_TAG_NONE);
	assert_int_equal(stack_tags_join(tags, mid, low), mid);
	assert_int_equal(stack_tags_join(tags, mid, same), same);
	assert_int_equal(stack_tags_join(tags, same, mid), mid);
	assert_int_equal(stack_tags_join(tags, mid, high), high);
	stack_tags_free(tags);
}

static void stack_tags_read__damage__is_named_with_its_line(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "my.stacktags:1: not XML: Document is empty" },
		{ "<Tag", "my.stacktags:1: not XML: " },
		{ "<Tag Name=''>\n<Tag Name='a'>\n</Tag>\n", "my.stacktags:" },
		{ "<!DOCTYPE Tag [<!ENTITY e 'x'>]><Tag Name=''/>",
		  "my.stacktags: stack tags have no <!DOCTYPE>: remove it" },
		{ "<Tags/>", "my.stacktags: not a file of stack tags: its root is not <Tag>" },
		{ "<Tag Name=''/>", "my.stacktags: it has no <Entrypoint>" },
		{ "<Tag Name=''>\n<Tag Name='a'>\n<Entrypoint Method='f'/></Tag></Tag>",
		  "my.stacktags:3: an <Entrypoint> without Module" },
		{ "<Tag Name=''>\n<Entrypoint Module='f'/></Tag>",
		  "my.stacktags:2: an <Entrypoint> of a <Tag> without Name" },
		{ "<Tag Name=''>\n<Tag Name='a' Priority='high'/></Tag>",
		  "my.stacktags:2: Priority is not a number" },
		{ "<Tag Name=''>\n<HintTag Name='a'/></Tag>",
		  "my.stacktags:2: stack tags have only <Tag> and <Entrypoint>" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stack_tags *tags = NULL;
		struct err err = ERR_INIT;

		assert_int_equal(stack_tags_read(cases[i].text, strlen(cases[i].text),
						 "my.stacktags", &tags, &err),
				 -1);
		assert_int_equal(err.code, ERR_CORRUPT);
		if (!text_starts_with(err.msg, cases[i].message))
			fail_msg("%s, not %s", err.msg, cases[i].message);
		assert_null(tags);
		err_clear(&err);
	}
}

static void stack_tags_read__very_long_names__are_refused(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct stack_tags *tags = NULL;
	struct err err = ERR_INIT;

	(void)state;
	strbuf_adds(&text, "<Tag Name=''>\n<Tag Name='");
	strbuf_pad(&text, 'x', text.len + 1001);
	strbuf_adds(&text, "'><Entrypoint Module='a'/></Tag></Tag>");
	assert_int_equal(stack_tags_read(text.buf, text.len, "long", &tags, &err), -1);
	assert_string_equal(err.msg, "long:2: the names of tags are too long");
	err_clear(&err);
	strbuf_release(&text);
}

static void stack_tags_read__very_deep__is_refused(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct stack_tags *tags = NULL;
	struct err err = ERR_INIT;

	(void)state;
	for (int i = 0; i < 100; i++)
		strbuf_adds(&text, "<Tag Name='a'>");
	for (int i = 0; i < 100; i++)
		strbuf_adds(&text, "</Tag>");
	assert_int_equal(stack_tags_read(text.buf, text.len, "deep", &tags, &err), -1);
	assert_string_equal(err.msg, "deep:1: tags within tags are too deep");
	err_clear(&err);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_tags_builtin__real_functions__have_their_tags),
		cmocka_unit_test(stack_tags_find__modules__by_both_names),
		cmocka_unit_test(stack_tags_find__patterns__at_each_place),
		cmocka_unit_test(stack_tags_join__priorities__and_the_innermost_of_equal_ones),
		cmocka_unit_test(stack_tags_read__damage__is_named_with_its_line),
		cmocka_unit_test(stack_tags_read__very_long_names__are_refused),
		cmocka_unit_test(stack_tags_read__very_deep__is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
