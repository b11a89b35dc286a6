#include "util/scrub.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/alloc.h"
#include "util/array.h"

struct text_case {
	const char *from, *to;
};

static struct scrub *new_scrub(const char *host, const char *user, const char *home)
{
	struct scrub *scrub = scrub_new();

	scrub_add_user(scrub, user);
	scrub_add_home(scrub, home);
	scrub_add_host(scrub, host);
	return scrub;
}

static void check_text(struct scrub *scrub, const char *from, enum scrub_form form, const char *to)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, from);
	scrub_text(scrub, &text, form);
	if (strcmp(text.buf, to) != 0)
		fail_msg("'%s' became '%s', not '%s'", from, text.buf, to);
	strbuf_release(&text);
}

static void check_all(struct scrub *scrub, const struct text_case *cases, size_t nr,
		      enum scrub_form form)
{
	for (size_t i = 0; i < nr; i++)
		check_text(scrub, cases[i].from, form, cases[i].to);
	scrub_free(scrub);
}

static void scrub_text__private_names__are_replaced(void **state)
{
	static const struct text_case cases[] = {
		{ "", "" },
		{ "nothing here", "nothing here" },
		{ "/home/alice/rust", "/home/user/rust" },
		{ "-L/home/alice", "-L/home/user" },
		{ "\"/HOME/Alice\"", "\"/HOME/user\"" },
		{ "/home/bob/x:/home/Carol:/home/bob", "/home/user2/x:/home/user3:/home/user2" },
		{ "file:///home/alice/x", "file:///home/user/x" },
		{ "\\/home\\/dora\\/x", "\\/home\\/user4\\/x" },
		{ "/home/r\xe9ne/x", "/home/user5/x" },
		{ "C:\\Users\\alice\\x", "C:\\Users\\user\\x" },
		{ "C:\\\\Users\\\\Eve Li\\\\x", "C:\\\\Users\\\\user6\\\\x" },
		{ "//wsl/c/Users/eve li", "//wsl/c/Users/user7 li" },
		{ "C:/Documents and Settings/bob", "C:/Documents and Settings/user2" },
		{ "/srv/alice/x alice, ALICE!", "/srv/user/x user, user!" },
		{ "/srv/alice.rs", "/srv/user.rs" },
		{ "USER=alice", "USER=user" },
		{ "alice@build7: ~", "user@host: ~" },
		{ "malice balance", "malice balance" },
		{ "build7.corp.example.com", "host" },
		{ "BUILD7 up", "host up" },
		{ "rebuild7 build71 build7_x", "rexxxxxx xxxxxx1 host_x" },
		{ "\\nbuild7", "\\nhost" },
		{ "/root/x /home /home/ /home/../x", "/root/x /home /home/ /home/../x" },
		{ "crates/home/src/lib.rs src/home/mod.rs",
		  "crates/home/src/lib.rs src/home/mod.rs" },
		{ "/Users/Public/x", "/Users/Public/x" },
	};

	(void)state;
	check_all(new_scrub("build7.corp.example.com", "alice", "/home/alice/"), cases,
		  ARRAY_SIZE(cases), SCRUB_TEXT);
}

/* A name of a few letters, or an everyday word, also stands for other things. */
static void scrub_text__everyday_names__are_replaced_where_they_stand_for_it(void **state)
{
	static const struct text_case cases[] = {
		{ "/proc/sys/vm/max llvm kvm vm_area", "/proc/sys/vm/max llvm kvm vm_area" },
		{ "--crate-name vm", "--crate-name vm" },
		{ "Linux vm 6.18.0 x86_64", "Linux host 6.18.0 x86_64" },
		{ "root@vm:/build#", "root@host:/build#" },
		{ "http://vm:8080/ \\\\vm\\share", "http://host:8080/ \\\\host\\share" },
		{ "HOSTNAME=vm", "HOSTNAME=host" },
		{ "\"hostname\": \"vm\"", "\"hostname\": \"host\"" },
		{ "/home/build/build/x", "/home/user/build/x" },
		{ "build@vm", "user@host" },
		{ "USER=build ~build/x", "USER=user ~user/x" },
	};

	(void)state;
	check_all(new_scrub("vm", "build", "/home/build"), cases, ARRAY_SIZE(cases), SCRUB_TEXT);
}

static void scrub_text__nobody__stays(void **state)
{
	static const struct text_case cases[] = {
		{ "/root/.cargo root@localhost", "/root/.cargo root@localhost" },
		{ "localhost:80", "localhost:80" },
	};

	(void)state;
	check_all(new_scrub("localhost.localdomain", "root", "/root"), cases, ARRAY_SIZE(cases),
		  SCRUB_TEXT);
}

static void scrub_text__long_host_names__are_replaced_as_windows_has_them(void **state)
{
	struct scrub *scrub = new_scrub("a-very-long-host-name.example.com", NULL, NULL);

	(void)state;
	check_text(scrub, "A-VERY-LONG-HOS a-very-long-host-name", SCRUB_TEXT, "host host");
	scrub_free(scrub);
}

static void scrub_text__other_home_folders__are_replaced(void **state)
{
	static const struct text_case cases[] = {
		{ "/data/people/marian/x", "/data/people/user/x" },
		{ "/Data/People/Marian", "/Data/People/user" },
		{ "/data/people/marianne/x", "/data/people/marianne/x" },
		{ "/data/people/otto/x", "/data/people/otto/x" },
	};

	(void)state;
	check_all(new_scrub(NULL, "marian", "/data/people/marian"), cases, ARRAY_SIZE(cases),
		  SCRUB_TEXT);
}

static void scrub_text__variables__lose_their_values(void **state)
{
	static const struct text_case cases[] = {
		{ "SECRET=a b c", "SECRET=removed" },
		{ "x\nSECRET=a b c\ny", "x\nSECRET=removed\ny" },
		{ "  Running `A_TOKEN=abc B='d e' C_x=\"f g\" rustc x`",
		  "  Running `A_TOKEN=removed B='d e' C_x=removed rustc x`" },
		{ "env 'AB=c d' x", "env 'AB=removed' x" },
		{ " http_proxy=http://me:pw@x/ y", " http_proxy=removed y" },
		{ " EMPTY= x", " EMPTY= x" },
		{ "-DNAME=1 --cfg=x a=b name=SECRET if A==b",
		  "-DNAME=1 --cfg=x a=b name=SECRET if A==b" },
		{ "RUSTC_STAGE=1", "RUSTC_STAGE=1" },
		{ " CARGO_TARGET_DIR=/home/alice/x", " CARGO_TARGET_DIR=/home/user/x" },
	};

	(void)state;
	check_all(new_scrub(NULL, "alice", NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

static void scrub_text__logins_in_urls__are_removed(void **state)
{
	static const struct text_case cases[] = {
		{ "https://me:pw@example.com/x", "https://removed@example.com/x" },
		{ "git+https://ghp_1@github.com/a", "git+https://removed@github.com/a" },
		{ "\"//me:p@ss@proxy:80/\"", "\"//removed@proxy:80/\"" },
		{ "http://build7:pw@build7/", "http://removed@host/" },
		{ "//a@b http://x/@scope/y http://x y@z", "//a@b http://x/@scope/y http://x y@z" },
		{ "https://x/y?z=a@b https://@x a:b@c", "https://x/y?z=a@b https://@x a:b@c" },
	};

	(void)state;
	check_all(new_scrub("build7", NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_TEXT);
}

static void scrub_text__secrets__lose_their_values(void **state)
{
	static const struct text_case cases[] = {
		{ "cargo login --token abc -v", "cargo login --token removed -v" },
		{ " --token=abc registry.token=d x", " --token=removed registry.token=removed x" },
		{ "x\npassword=a b\ny", "x\npassword=removed\ny" },
		{ " --api-key='a b' clientSecret=\"c d\" e",
		  " --api-key=removed clientSecret=removed e" },
		{ "run '--Password=a b' c", "run '--Password=removed' c" },
		{ " https://x/?access_token=abc y", " https://x/?access_token=removed y" },
		{ "expected token: `}` if token == x", "expected token: `}` if token == x" },
		{ " --tokens=3 --token-file f --token --x",
		  " --tokens=3 --token-file f --token --x" },
		{ " --token", " --token" },
	};

	(void)state;
	check_all(new_scrub(NULL, NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

static void scrub_arguments__secrets__may_be_the_next_argument(void **state)
{
	static const char *const before[] = { "cargo",    "--token", "a b",       "token",
					      "c",        "--token", "--verbose", "--password=d e",
					      "/home/eve" };
	static const char *const after[] = { "cargo",     "--token",
					     "removed",   "token",
					     "c",         "--token",
					     "--verbose", "--password=removed",
					     "/home/user" };
	struct scrub *scrub = scrub_new();
	struct strvec arguments = STRVEC_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		strvec_push(&arguments, before[i]);
	scrub_arguments(scrub, &arguments);
	assert_int_equal(arguments.nr, ARRAY_SIZE(after));
	for (size_t i = 0; i < ARRAY_SIZE(after); i++)
		assert_string_equal(arguments.v[i], after[i]);
	strvec_release(&arguments);
	scrub_free(scrub);
}

/* Linkage names have the lengths of their parts. */
static void scrub_text__linkage_names__keep_their_length(void **state)
{
	static const struct text_case cases[] = {
		{ "_ZN6build73run17h0123456789abcdefE", "_ZN6xxxxxx3run17h0123456789abcdefE" },
		{ "_RNvC5alice_alice", "_RNvC5alice_xxxxx" },
		{ "SECRET=1", "SECRET=1" },
	};

	(void)state;
	check_all(new_scrub("build7", "alice", NULL), cases, ARRAY_SIZE(cases), SCRUB_SYMBOL);
}

static void scrub_learn__owners__are_replaced_outside_of_paths(void **state)
{
	struct scrub *scrub = scrub_new();
	const char text[] = "see /home/marian/x and x/home/otto/y";

	(void)state;
	scrub_learn(scrub, text, strlen(text));
	check_text(scrub, "mail marian, otto", SCRUB_TEXT, "mail user, otto");
	scrub_free(scrub);
}

static void scrub_path__hidden_paths__are_numbered(void **state)
{
	struct strbuf path = STRBUF_INIT;
	struct scrub *scrub = scrub_new();

	(void)state;
	scrub_hide_path(scrub, "/opt/a");
	scrub_hide_path(scrub, "/opt/b");
	scrub_hide_path(scrub, "/opt/a");
	strbuf_adds(&path, "/opt/b");
	assert_true(scrub_is_hidden(scrub, path.buf));
	scrub_path(scrub, &path);
	assert_string_equal(path.buf, "/other/2");
	strbuf_release(&path);
	strbuf_adds(&path, "/opt/c");
	assert_false(scrub_is_hidden(scrub, path.buf));
	scrub_path(scrub, &path);
	assert_string_equal(path.buf, "/opt/c");
	strbuf_release(&path);
	scrub_free(scrub);
}

static void scrub_list__what_was_replaced__is_counted(void **state)
{
	struct scrub *scrub = new_scrub("build7", NULL, NULL);
	const struct scrub_removed *list;
	size_t nr;

	(void)state;
	check_text(scrub, "build7 /home/x build7", SCRUB_TEXT, "host /home/user host");
	scrub_note(scrub, "something else", 3);
	scrub_note(scrub, "nothing", 0);
	list = scrub_list(scrub, &nr);
	assert_int_equal(nr, 3);
	assert_string_equal(list[0].what, "names of the host");
	assert_int_equal(list[0].count, 2);
	assert_string_equal(list[1].what, "owners of home folders");
	assert_int_equal(list[1].count, 1);
	assert_string_equal(list[2].what, "something else");
	assert_int_equal(list[2].count, 3);
	scrub_free(scrub);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scrub_text__private_names__are_replaced),
		cmocka_unit_test(scrub_text__everyday_names__are_replaced_where_they_stand_for_it),
		cmocka_unit_test(scrub_text__nobody__stays),
		cmocka_unit_test(scrub_text__long_host_names__are_replaced_as_windows_has_them),
		cmocka_unit_test(scrub_text__other_home_folders__are_replaced),
		cmocka_unit_test(scrub_text__variables__lose_their_values),
		cmocka_unit_test(scrub_text__logins_in_urls__are_removed),
		cmocka_unit_test(scrub_text__secrets__lose_their_values),
		cmocka_unit_test(scrub_arguments__secrets__may_be_the_next_argument),
		cmocka_unit_test(scrub_text__linkage_names__keep_their_length),
		cmocka_unit_test(scrub_learn__owners__are_replaced_outside_of_paths),
		cmocka_unit_test(scrub_path__hidden_paths__are_numbered),
		cmocka_unit_test(scrub_list__what_was_replaced__is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
