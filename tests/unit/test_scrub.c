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

static void scrub_text__other_home_directories__are_replaced(void **state)
{
	static const struct text_case cases[] = {
		{ "/data/people/marian/x", "/data/people/user/x" },
		{ "/Data/People/Marian", "/Data/People/user" },
		{ "/data/people/marianne/x", "/data/people/marianne/x" },
		{ "/data/people/otto/x", "/data/people/otto/x" },
		{ "/mnt/data/people/marian", "/mnt/data/people/user" },
	};

	(void)state;
	check_all(new_scrub(NULL, "marian", "/data/people/marian"), cases, ARRAY_SIZE(cases),
		  SCRUB_TEXT);
}

/* The directory of homes may be in another one, and the names everyday words. */
static void scrub_text__home_directories_within_others__are_replaced(void **state)
{
	static const struct text_case cases[] = {
		{ "-I/home/corp/bob/x", "-I/home/user2/user/x" },
		{ "/home/corp/bob", "/home/user2/user" },
		{ "/home/corp/bobby /home/corp/tim/x", "/home/user2/bobby /home/user2/tim/x" },
		{ "%2Fhome%2Fcorp%2Fbob%2F", "%2Fhome%2Fuser2%2Fuser%2F" },
	};

	(void)state;
	check_all(new_scrub(NULL, "bob", "/home/corp/bob"), cases, ARRAY_SIZE(cases), SCRUB_TEXT);
}

static void scrub_text__owners_with_blanks__are_replaced(void **state)
{
	static const struct text_case cases[] = {
		{ "C:/Users/Alice Smith/x.rs", "C:/Users/user/x.rs" },
		{ "\"C:\\Users\\Alice Smith\"", "\"C:\\Users\\user\"" },
		{ "/mnt/c/Users/Alice Smith is", "/mnt/c/Users/user is" },
		{ "/LIBPATH:C:/Users/ALICE Smith/lib", "/LIBPATH:C:/Users/user/lib" },
		{ "file:///C:/Users/Alice%20Smith/x", "file:///C:/Users/user/x" },
		{ "is C:\\Users\\Alice Smith now", "is C:\\Users\\user now" },
		{ "\"C:\\Users\\Eve Li\" \"-LC:/Users/Eve Li/x\"",
		  "\"C:\\Users\\user2\" \"-LC:/Users/user2/x\"" },
		{ "/mnt/c/Users/Eve Li/x '/Users/jo do/y'",
		  "/mnt/c/Users/user2/x '/Users/user3/y'" },
		{ "/home/tim /usr C:/Users/tim -L/x", "/home/user4 /usr C:/Users/user4 -L/x" },
	};

	(void)state;
	check_all(new_scrub(NULL, "Alice Smith", "C:\\Users\\Alice Smith"), cases,
		  ARRAY_SIZE(cases), SCRUB_TEXT);
}

static void scrub_text__names_with_escapes__are_replaced(void **state)
{
	static const struct text_case cases[] = {
		{ "\x1b[01;32malice@host\x1b[0m", "\x1b[01;32muser@host\x1b[0m" },
		{ "\x1b[01m\x1b[Kalice.c:3", "\x1b[01m\x1b[Kuser.c:3" },
		{ "\\u001b[1malice \\e[1malice \\x1b[1malice \\033[1malice",
		  "\\u001b[1muser \\e[1muser \\x1b[1muser \\033[1muser" },
		{ "%2Falice%2Fx %61lice", "%2Fuser%2Fx user" },
		{ "\\u0061lice \\x61lice \\141lice \\u{61}lice", "user user user user" },
		{ "\\u002fhome\\u002falice\\u002f", "\\u002fhome\\u002fuser\\u002f" },
		{ "file%3A%2F%2Fhome%2Fbob%2Fx", "file%3A%2F%2Fhome%2Fuser2%2Fx" },
		{ "C:\\Users\\xabi C:\\Users\\u0061b", "C:\\Users\\user3 C:\\Users\\user4" },
		{ "100%alice \\walice %zz \\u00 %", "100%user \\walice %zz \\u00 %" },
	};

	(void)state;
	check_all(new_scrub(NULL, "alice", "/home/alice"), cases, ARRAY_SIZE(cases), SCRUB_TEXT);
}

/* Linux keeps 15 characters of the name of a thread. */
static void scrub_text__shortened_names__are_replaced(void **state)
{
	static const struct text_case cases[] = {
		{ "christophersmith christophersmit", "user user" },
		{ "x-christophersm", "x-user" },
		{ "xchristophersmi", "xxxxxxxxxxxxxxx" },
		{ "opt cgu.0 carol", "opt cgu.0 user2" },
		{ "opt cgu.0 carol", "opt cgu.0 user2" },
		{ "a long text caro", "a long text caro" },
	};

	(void)state;
	check_all(new_scrub(NULL, "christophersmith", "/home/carol"), cases, ARRAY_SIZE(cases),
		  SCRUB_TEXT);
}

static void scrub_reserve__names_that_stay__are_no_replacements(void **state)
{
	static const struct text_case cases[] = {
		{ "alice carol user user3", "user2 user4 user user3" },
		{ "build7 host", "host2 host" },
	};
	struct scrub *scrub = new_scrub("build7", "alice", "/home/carol");

	(void)state;
	scrub_reserve(scrub, "user");
	scrub_reserve(scrub, "a_User3-HOST");
	scrub_reserve(scrub, "username hosts user2x /home/user4/x");
	check_all(scrub, cases, ARRAY_SIZE(cases), SCRUB_TEXT);
}

static void scrub_text__variables__lose_their_values(void **state)
{
	static const struct text_case cases[] = {
		{ "SECRET=a b c", "SECRET=removed" },
		{ "x\nSECRET=a b c\ny", "x\nSECRET=removed\ny" },
		{ "  Running `A_TOKEN=abc B='d e' C_x=\"f g\" rustc x`",
		  "  Running `A_TOKEN=removed B=removed C_x=removed rustc x`" },
		{ "env 'AB=c d' x", "env 'AB=removed' x" },
		{ "x http_proxy=http://me:pw@x/ y", "x http_proxy=removed y" },
		{ "x EMPTY= x", "x EMPTY= x" },
		{ "-DNAME=1 --cfg=x a=b name=SECRET if A==b",
		  "-DNAME=1 --cfg=x a=b name=SECRET if A==b" },
		{ "RUSTC_STAGE=1", "RUSTC_STAGE=1" },
		{ " CARGO_TARGET_DIR=/home/alice/x", " CARGO_TARGET_DIR=/home/user/x" },
	};

	(void)state;
	check_all(new_scrub(NULL, "alice", NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

/* Quotes as shells and programs write them. */
static void scrub_text__quoted_values__are_removed_as_a_whole(void **state)
{
	static const struct text_case cases[] = {
		{ "x A_KEY='it'\\''s planted' B=c rustc", "x A_KEY=removed B=removed rustc" },
		{ "env 'A_KEY=it'\\''s planted' rustc", "env 'A_KEY=removed' rustc" },
		{ "Running `A=\"/x\"planted rustc`", "Running `A=removed rustc`" },
		{ "x A_KEY=\"a\\\" planted\"'c d'e f", "x A_KEY=removed f" },
		{ "x A_KEY=a\\ planted f", "x A_KEY=removed f" },
		{ "{\"m\":\"x A_KEY=\\\"a planted\\\" x\"}", "{\"m\":\"x A_KEY=removed x\"}" },
		{ "[\"A_KEY=a b\",\"x y\"]", "[\"A_KEY=removed\",\"x y\"]" },
		{ "\"a\\nA_KEY=b c\"", "\"a\\nA_KEY=removed c\"" },
		{ "x A_KEY='a\nplanted' x", "x A_KEY=removed x" },
		{ "x A_KEY=\\\\\\\"a planted\\\\\\\" y", "x A_KEY=removed y" },
		{ "x A_KEY=\\\"a \\\\\\\"b planted\\\\\\\" c\\\" y", "x A_KEY=removed y" },
		{ "x A_KEY=\\\"a\\\\\\\\\\\" y", "x A_KEY=removed y" },
		{ "[\\\\\\\"A_KEY=a planted\\\\\\\",\\\\\\\"x\\\\\\\"]",
		  "[\\\\\\\"A_KEY=removed\\\\\\\",\\\\\\\"x\\\\\\\"]" },
	};

	(void)state;
	check_all(new_scrub(NULL, NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

/* What a shell replaces, and its lists, are words with blanks. */
static void scrub_text__expanded_values__are_removed_as_a_whole(void **state)
{
	static const struct text_case cases[] = {
		{ "x FOO=$(echo planted) y", "x FOO=removed y" },
		{ "x FOO=a$(echo \"b )\" '\\' $(c planted) ')' d)planted y", "x FOO=removed y" },
		{ "x FOO=\"$(echo \"a b\") planted\" y", "x FOO=removed y" },
		{ "x FOO=${A:-b planted}/c y", "x FOO=removed y" },
		{ "x FOO=`echo \"a \\` planted\"` y", "x FOO=removed y" },
		{ "x FOO=(a \"b) planted\" $(c d) planted) y", "x FOO=removed y" },
		{ "x FOO+=(a planted) --token $(cat planted) y",
		  "x FOO+=removed --token removed y" },
		{ "env \"FOO=$(echo \"a planted\")\" y", "env \"FOO=removed\" y" },
		{ "x FOO=$(echo (planted y", "x FOO=removed" },
		{ "x FOO=$((((((((((((((((((((planted y", "x FOO=removed" },
		{ "x FOO='$(' y FOO=\\$\\(a y", "x FOO=removed y FOO=removed y" },
		{ "Running `x A=a` (b `c`)", "Running `x A=removed (b `c`)" },
		{ "`A=` is empty, `B` is not", "`A=removed is empty, `B` is not" },
	};

	(void)state;
	check_all(new_scrub(NULL, NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

static void scrub_text__names_before_sequences__have_values(void **state)
{
	static const struct text_case cases[] = {
		{ "x \x1b[1mMY_TOKEN\x1b[0m=planted y", "x \x1b[1mMY_TOKEN\x1b[0m=removed y" },
		{ "x \x1b[1mMY_TOKEN \x1b[0m=planted", "x \x1b[1mMY_TOKEN \x1b[0m=removed" },
		{ "x FOO\x1b[0m\x1b[2m=\x1b[1mplanted\x1b[0m y", "x FOO\x1b[0m\x1b[2m=removed y" },
		{ "x \\x1b[1mA_B\\x1b[0m=planted", "x \\x1b[1mA_B\\x1b[0m=removed" },
		{ "x MY_TOKEN\x1b[0m: \x1b[1mplanted", "x MY_TOKEN\x1b[0m: \x1b[1mremoved" },
		{ "x \"A_B\x1b[0m\": \x1b[1m\"planted\"", "x \"A_B\x1b[0m\": \x1b[1m\"removed\"" },
		{ "x --token\x1b[0m planted y", "x --token\x1b[0m removed y" },
		{ "x MY_TOKEN =planted", "x MY_TOKEN =removed" },
		{ "if MY_TOKEN ==x FOO\x1b[0m bar", "if MY_TOKEN ==x FOO\x1b[0m bar" },
	};

	(void)state;
	check_all(new_scrub(NULL, NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

static void scrub_text__variables__may_follow_any_delimiter(void **state)
{
	static const struct text_case cases[] = {
		{ "x cargo:rustc-env=MY_KEY=a planted", "x cargo:rustc-env=MY_KEY=removed" },
		{ "docker --build-arg=A=planted -eA=planted -e B_C=d x",
		  "docker --build-arg=A=removed -eA=removed -e B_C=removed x" },
		{ "x [A=planted y {A=planted y", "x [A=removed y {A=removed y" },
		{ "x,A=planted <A=planted y:A=planted", "x,A=removed <A=removed y:A=removed" },
		{ "x A_KEY+=planted", "x A_KEY+=removed" },
		{ "\x1b[1mA_KEY=a b", "\x1b[1mA_KEY=removed" },
		{ "x \x1b[1mA_KEY=a b", "x \x1b[1mA_KEY=removed b" },
		{ "[x 0.1.0] A_KEY=a b", "[x 0.1.0] A_KEY=removed" },
		{ "CFLAGS_x86_64-unknown-linux-gnu=\"a b\"",
		  "CFLAGS_x86_64-unknown-linux-gnu=removed" },
		{ "-DNAME=1 -Wl,-z --cfg=feature", "-DNAME=1 -Wl,-z --cfg=feature" },
	};

	(void)state;
	check_all(new_scrub(NULL, NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

/* As programs print their environment. */
static void scrub_text__described_variables__lose_their_values(void **state)
{
	static const struct text_case cases[] = {
		{ "CFLAGS_x86_64-unknown-linux-gnu = Some(\"a (planted)\")",
		  "CFLAGS_x86_64-unknown-linux-gnu = Some(removed)" },
		{ "[x 0.1.0] TARGET = Some(planted) x", "[x 0.1.0] TARGET = Some(removed) x" },
		{ "{\"A_SECRET\":\"a planted\",\"b\": 1, \"C\": \"planted\"}",
		  "{\"A_SECRET\":\"removed\",\"b\": 1, \"C\": \"removed\"}" },
		{ "environ({'A_SECRET': 'it\\'s planted', 'PATH': '/usr/bin'})",
		  "environ({'A_SECRET': 'removed', 'PATH': 'removed'})" },
		{ "(\"A_SECRET\", \"planted\") [\"A\", \"b\"]",
		  "(\"A_SECRET\", \"removed\") [\"A\", \"b\"]" },
		{ "{\"m\":\"{\\\"A_KEY\\\":\\\"a planted\\\",\\\"x\\\":1}\"}",
		  "{\"m\":\"{\\\"A_KEY\\\":\\\"removed\\\",\\\"x\\\":1}\"}" },
		{ "\"api_key\": 123, \"access_token\" = \"a\"",
		  "\"api_key\": removed, \"access_token\" = \"removed\"" },
		{ "  A_SECRET: a planted", "  A_SECRET: removed" },
		{ "A_B = a planted", "A_B = removed" },
		{ "x MY_KEY: a planted", "x MY_KEY: removed" },
		{ "password: planted", "password: removed" },
		{ "+password: planted\n+token = planted\n-    MY_PASS: planted",
		  "+password: removed\n+token = removed\n-    MY_PASS: removed" },
		{ "- api_key: planted\n> token: planted", "- api_key: removed\n> token: removed" },
		{ "--> a/token: x a-b +c token: x", "--> a/token: x a-b +c token: x" },
		{ "Authorization: Bearer planted", "Authorization: removed" },
		{ "curl -H 'Private-Token: a planted' x", "curl -H 'Private-Token: removed' x" },
		{ "curl -H \"authorization: a planted\" x",
		  "curl -H \"authorization: removed\" x" },
		{ "x token = \"a planted\" y", "x token = removed y" },
		{ "NOTE: x y", "NOTE: x y" },
		{ "12 | const MAX_SIZE: usize = 5;", "12 | const MAX_SIZE: usize = 5;" },
		{ "let token = next(); password::new() FOO::BAR",
		  "let token = next(); password::new() FOO::BAR" },
		{ "\"RUSTC_STAGE\": \"1\"", "\"RUSTC_STAGE\": \"1\"" },
		{ "env: {\"MY_VAR\": Some(\"a planted\"), \"MY_KEY\": Some(planted), \"A\": None}",
		  "env: {\"MY_VAR\": Some(removed), \"MY_KEY\": Some(removed), \"A\": None}" },
		{ "(\"A_TOKEN\", Some(\"a planted\"))", "(\"A_TOKEN\", Some(removed))" },
		{ "{\\\"A_B\\\": Some(\\\"a planted\\\"), b}", "{\\\"A_B\\\": Some(removed), b}" },
		{ "A_B = Some(\"a planted", "A_B = Some(removed" },
	};

	(void)state;
	check_all(new_scrub(NULL, NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

static void scrub_text__logins_in_urls__are_removed(void **state)
{
	static const struct text_case cases[] = {
		{ "https://me:pw@example.com/x", "https://removed@example.com/x" },
		{ "git+https://ghp_1@github.com/a", "git+https://removed@github.com/a" },
		{ "\"//me:p@ss@proxy:80/\"", "\"//removed@proxy:80/\"" },
		{ "http://build7:pw@build7/", "http://removed@host/" },
		{ "https:\\/\\/me:pw@h\\/x", "https:\\/\\/removed@h\\/x" },
		{ "https:\\\\\\/\\\\\\/pw@h", "https:\\\\\\/\\\\\\/removed@h" },
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
		{ "x --token=abc registry.token=d x",
		  "x --token=removed registry.token=removed x" },
		{ "x\npassword=a b\ny", "x\npassword=removed\ny" },
		{ "x --api-key='a b' clientSecret=\"c d\" e",
		  "x --api-key=removed clientSecret=removed e" },
		{ "run '--Password=a b' c", "run '--Password=removed' c" },
		{ "x https://x/?access_token=abc y", "x https://x/?access_token=removed y" },
		{ "expected token: `}` if token == x", "expected token: `}` if token == x" },
		{ " --tokens=3 --token-file f --token -x",
		  " --tokens=3 --token-file f --token removed" },
		{ "\"cargo\" \"--token\" \"a b\" ['--token', 'c d']",
		  "\"cargo\" \"--token\" \"removed\" ['--token', 'removed']" },
		{ "[\\\"--token\\\", \\\"a planted\\\"]", "[\\\"--token\\\", \\\"removed\\\"]" },
		{ "--verbose\n--token\nabc\nx", "--verbose\n--token\nremoved\nx" },
		{ " --token", " --token" },
	};

	(void)state;
	check_all(new_scrub(NULL, NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_COMMAND);
}

static void scrub_arguments__secrets__may_be_the_next_argument(void **state)
{
	static const char *const before[] = { "cargo", "--token",   "a b",    "token",   "c",
					      "-v",    "--token",   "-b",     "--token", "--token",
					      "d",     "/home/eve", "--token" };
	static const char *const after[] = { "cargo", "--token",    "removed", "token",   "c",
					     "-v",    "--token",    "removed", "--token", "removed",
					     "d",     "/home/user", "--token" };
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

/* All that follows NAME= in an argument is its value. */
static void scrub_text__values_in_arguments__are_removed_as_a_whole(void **state)
{
	static const struct text_case cases[] = {
		{ "A_KEY=a b\nplanted", "A_KEY=removed" },
		{ "A_KEY='a' planted", "A_KEY=removed" },
		{ "--password=a b\nplanted", "--password=removed" },
		{ "--build-arg=A=a b", "--build-arg=A=removed" },
		{ "-eA=a b", "-eA=removed" },
		{ "X_TOKEN: a\nb", "X_TOKEN: removed" },
		{ "cd /home/eve && A_KEY='a b' c\nB=d e",
		  "cd /home/user && A_KEY=removed c\nB=removed e" },
		{ "--cfg=feature=\"x\"", "--cfg=feature=\"x\"" },
	};

	(void)state;
	check_all(new_scrub(NULL, NULL, NULL), cases, ARRAY_SIZE(cases), SCRUB_ARGUMENT);
}

/* Linkage names have the lengths of their parts. */
static void scrub_text__linkage_names__keep_their_length(void **state)
{
	static const struct text_case cases[] = {
		{ "_ZN6build73run17h0123456789abcdefE", "_ZN6xxxxxx3run17h0123456789abcdefE" },
		{ "_RNvC5alice_alice", "_RNvC5xxxxx_xxxxx" },
		{ "SECRET=1", "SECRET=1" },
		{ "carol_main Alice_main alice_main", "xxxx2_main Xxxxx_main xxxxx_main" },
	};

	(void)state;
	check_all(new_scrub("build7", "alice", "/home/carol"), cases, ARRAY_SIZE(cases),
		  SCRUB_SYMBOL);
}

/* An identifier has its length before it, and the next one may begin after it. */
static void scrub_text__identifiers_of_linkage_names__are_words(void **state)
{
	static const struct text_case cases[] = {
		{ "_ZN7mallory3fooE", "_ZN7xxxxxxx3fooE" },
		{ "_ZN13mallory_utils3fooE", "_ZN13xxxxxxx_utils3fooE" },
		{ "_ZN13utils_mallory3fooE", "_ZN13utils_xxxxxxx3fooE" },
		{ "_ZN7malloryIiE3Fo2E", "_ZN7xxxxxxxIiE3Fo2E" },
		{ "_ZN2a17mallory3fooE", "_ZN2a17xxxxxxx3fooE" },
		{ "_RNvCs1234_7mallory3foo", "_RNvCs1234_7xxxxxxx3foo" },
		{ "_RNvNtCs1_13Mallory_utils1a1b", "_RNvNtCs1_13Xxxxxxx_utils1a1b" },
		{ "_RNvCs1_10_mallory_2a1b", "_RNvCs1_10_xxxxxxx_2a1b" },
		{ "_RNvCs1_9_2_mallory1b", "_RNvCs1_9_2_xxxxxxx1b" },
		{ "_RNvCs1_u11mallory_kva1b", "_RNvCs1_u11xxxxxxx_kva1b" },
		{ "_ZN6mallory3fooE _ZN8amallory3fooE _ZN8mallorya3fooE",
		  "_ZN6mallory3fooE _ZN8amallory3fooE _ZN8mallorya3fooE" },
		{ "_ZN100mallory3fooE 07mallory", "_ZN100mallory3fooE 07xxxxxxx" },
	};

	(void)state;
	check_all(new_scrub(NULL, "mallory", NULL), cases, ARRAY_SIZE(cases), SCRUB_SYMBOL);
}

static void scrub_text__linkage_names_in_texts__keep_their_length(void **state)
{
	static const struct text_case cases[] = {
		{ "undefined reference to `_ZN13mallory_utils3fooE' in mallory_utils",
		  "undefined reference to `_ZN13xxxxxxx_utils3fooE' in user_utils" },
		{ "(.text._ZN15a_mallory_utils3fooE+0x5)",
		  "(.text._ZN15a_xxxxxxx_utils3fooE+0x5)" },
		{ "_ZN34_$LT$mallory..Foo$u20$as$u20$x$GT$1xE",
		  "_ZN34_$LT$xxxxxxx..Foo$u20$as$u20$x$GT$1xE" },
		{ "_RNvNtCs1_10a_mallory_1a1b", "_RNvNtCs1_10a_xxxxxxx_1a1b" },
		{ "_ZN12a_quasarbox_1xE", "_ZN12a_xxxxxxxxx_1xE" },
		{ "x86_64_mallory stage2_mallory_x", "x86_64_user stage2_user_x" },
		{ "/7/mallory 9 mallory, 9-mallory-x", "/7/user 9 user, 9-user-x" },
	};

	(void)state;
	check_all(new_scrub("quasarbox", "mallory", NULL), cases, ARRAY_SIZE(cases), SCRUB_TEXT);
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
	assert_string_equal(list[1].what, "owners of home directories");
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
		cmocka_unit_test(scrub_text__other_home_directories__are_replaced),
		cmocka_unit_test(scrub_text__variables__lose_their_values),
		cmocka_unit_test(scrub_text__quoted_values__are_removed_as_a_whole),
		cmocka_unit_test(scrub_text__expanded_values__are_removed_as_a_whole),
		cmocka_unit_test(scrub_text__names_before_sequences__have_values),
		cmocka_unit_test(scrub_text__variables__may_follow_any_delimiter),
		cmocka_unit_test(scrub_text__described_variables__lose_their_values),
		cmocka_unit_test(scrub_text__values_in_arguments__are_removed_as_a_whole),
		cmocka_unit_test(scrub_text__home_directories_within_others__are_replaced),
		cmocka_unit_test(scrub_text__owners_with_blanks__are_replaced),
		cmocka_unit_test(scrub_text__names_with_escapes__are_replaced),
		cmocka_unit_test(scrub_text__shortened_names__are_replaced),
		cmocka_unit_test(scrub_reserve__names_that_stay__are_no_replacements),
		cmocka_unit_test(scrub_text__logins_in_urls__are_removed),
		cmocka_unit_test(scrub_text__secrets__lose_their_values),
		cmocka_unit_test(scrub_arguments__secrets__may_be_the_next_argument),
		cmocka_unit_test(scrub_text__linkage_names__keep_their_length),
		cmocka_unit_test(scrub_text__identifiers_of_linkage_names__are_words),
		cmocka_unit_test(scrub_text__linkage_names_in_texts__keep_their_length),
		cmocka_unit_test(scrub_learn__owners__are_replaced_outside_of_paths),
		cmocka_unit_test(scrub_path__hidden_paths__are_numbered),
		cmocka_unit_test(scrub_list__what_was_replaced__is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
