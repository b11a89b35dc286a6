/*
 * Thousands of arguments are passed through CreateProcess(), and split by the C runtime of the started program and by
 * stagetrace, which reads the command line of that process.
 */
#include "platform/child.h"
#include "platform/clock.h"
#include "platform/program.h"
#include "platform/windows/command_line.h"
#include "unit/windows/again.h"
#include "util/strbuf.h"
#include "util/text.h"

#define LONG     (30 * NS_PER_S)
#define PROGRAMS 25
#define AT_ONCE  160 /* arguments of one program */
#define PIECES   12  /* of one argument, at most */

/* What has a meaning to anybody on the way, often; and letters of all lengths. */
static const char *const pieces[] = {
	"\"",
	"\"",
	"\\",
	"\\",
	"\\\\",
	" ",
	" ",
	"\t",
	"a",
	"'",
	"%PATH%",
	"^",
	"&",
	"|",
	"<",
	">",
	"(",
	")",
	"!",
	"*",
	"?",
	"\r\n",
	"\n",
	"=",
	"@",
	"/",
	"-",
	"C:\\Program Files\\",
	"\xc3\xa4",
	"\xe2\x82\xac",
	"\xf0\x9f\xa6\x80",
	"\x01",
	"\x7f",
	"\xc2\xa0",
};

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static char *make_argument(uint32_t *seed)
{
	struct strbuf sb = STRBUF_INIT;

	for (uint32_t nr = next_random(seed) % (PIECES + 1); nr; nr--)
		strbuf_adds(&sb, pieces[next_random(seed) % ARRAY_SIZE(pieces)]);
	return strbuf_detach(&sb);
}

static int write_arguments(int argc, char **argv)
{
	struct strvec lists = STRVEC_INIT;

	(void)argc;
	(void)argv;
	again_split(&lists);
	for (size_t i = 0; i < lists.nr; i++)
		fwrite(lists.v[i], strlen(lists.v[i]) + 1, 1, stdout);
	strvec_release(&lists);
	return 0;
}

/* The arguments from `first` on, twice, as write_arguments() writes them. */
static void check_output(const struct strbuf *output, const struct strvec *argv, size_t first)
{
	size_t at = 0;

	for (size_t round = 0; round < 2; round++) {
		for (size_t i = first; i < argv->nr; i++) {
			const char *got = at < output->len ? output->buf + at : "(nothing)";

			if (strcmp(got, argv->v[i]))
				fail_msg("argument %u: '%s' came as '%s'", (unsigned)i, argv->v[i],
					 got);
			at += strlen(got) + 1;
		}
	}
	assert_int_equal(at, output->len);
}

static void child_start__generated_arguments__arrive_as_they_are(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (size_t program = 0; program < PROGRAMS; program++) {
		struct strbuf output = STRBUF_INIT;
		struct strvec argv = STRVEC_INIT;
		struct err err = ERR_INIT;
		int64_t exit_code = -1;

		again_push(&argv, "arguments");
		for (size_t i = 0; i < AT_ONCE; i++)
			strvec_push_nodup(&argv, make_argument(&seed));
		assert_int_equal(child_capture(&argv, NULL, LONG, &output, &exit_code, &err), 0);
		assert_int_equal(exit_code, 0);
		check_output(&output, &argv, 3);
		strbuf_release(&output);
		strvec_release(&argv);
	}
}

/* Start what others wrote, as it is; what it says of its arguments. */
static void capture_line(wchar_t *line, struct strbuf *output)
{
	SECURITY_ATTRIBUTES inherited = { sizeof(inherited), NULL, TRUE };
	STARTUPINFOW startup = { .cb = sizeof(startup), .dwFlags = STARTF_USESTDHANDLES };
	PROCESS_INFORMATION made;
	char block[4096];
	HANDLE in, out;
	DWORD got;

	assert_true(CreatePipe(&in, &out, &inherited, 0));
	SetHandleInformation(in, HANDLE_FLAG_INHERIT, 0);
	startup.hStdOutput = out;
	assert_true(CreateProcessW(NULL, line, NULL, NULL, TRUE, CREATE_NO_WINDOW, NULL, NULL,
				   &startup, &made));
	CloseHandle(out);
	while (ReadFile(in, block, sizeof(block), &got, NULL) && got)
		strbuf_add(output, block, got);
	CloseHandle(in);
	WaitForSingleObject(made.hProcess, INFINITE);
	CloseHandle(made.hThread);
	CloseHandle(made.hProcess);
}

/* Two quotes side by side mean different things to different parsers, and are left out. */
static void add_raw(struct strbuf *sb, uint32_t *seed, size_t nr)
{
	while (nr--) {
		const char *piece = pieces[next_random(seed) % ARRAY_SIZE(pieces)];

		if (*piece != '"' || !text_ends_with(sb->buf, "\""))
			strbuf_adds(sb, piece);
	}
}

static void command_line_split__generated_lines__are_what_the_program_got(void **state)
{
	char *self = again_path();
	uint32_t seed = 2;
	size_t count = 0;

	(void)state;
	for (size_t program = 0; program < PROGRAMS; program++) {
		struct strbuf text = STRBUF_INIT, output = STRBUF_INIT;
		struct strvec argv = STRVEC_INIT;
		wchar_t *line;

		strbuf_addf(&text, "\"%s\" --child arguments ", self);
		add_raw(&text, &seed, AT_ONCE * PIECES);
		line = wide_from_utf8(text.buf);
		command_line_split(line, &argv);
		capture_line(line, &output);
		count += argv.nr - 3;
		check_output(&output, &argv, 3);
		free(line);
		strvec_release(&argv);
		strbuf_release(&output);
		strbuf_release(&text);
	}
	assert_true(count > 1000);
	free(self);
}

int main(int argc, char **argv)
{
	static const struct again children[] = { { "arguments", write_arguments } };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_start__generated_arguments__arrive_as_they_are),
		cmocka_unit_test(command_line_split__generated_lines__are_what_the_program_got),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
