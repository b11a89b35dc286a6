#include "tag/argv.h"

#include <string.h>

#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

const char *argv_take_value(const struct strvec *argv, size_t *i, const char *option)
{
	const char *arg = argv->v[*i];
	size_t len = strlen(option);

	if (strncmp(arg, option, len) != 0)
		return NULL;
	if (!arg[len])
		return *i + 1 < argv->nr ? argv->v[++*i] : NULL;
	if (option[1] != '-')
		return arg + len;
	return arg[len] == '=' ? arg + len + 1 : NULL;
}

const char *argv_value(const struct strvec *argv, size_t first, const char *option)
{
	for (size_t i = first; i < argv->nr; i++) {
		const char *value = argv_take_value(argv, &i, option);

		if (value)
			return value;
	}
	return NULL;
}

/* Whether a list such as "dep-info,metadata,link" has `word`; "link=path" counts as "link". */
static bool list_has(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (*list) {
		size_t item = strcspn(list, ",=");

		if (item == len && !strncmp(list, word, len))
			return true;
		list += strcspn(list, ",");
		list += *list == ',';
	}
	return false;
}

/* Values of --print with which rustc still compiles. */
static bool is_print_note(const char *value)
{
	return list_has(value, "native-static-libs") || list_has(value, "link-args");
}

static const char rustc_questions[] =
	"-V -vV -Vv --version --help -h --explain -Chelp -Zhelp -Whelp -Ahelp";

/* Options of rustc whose value, if it is the next argument, must not be mistaken for an input file. */
static const char rustc_with_next[] =
	"--edition --check-cfg --extern --cap-lints --codegen --error-format --color "
	"--json --allow --warn --deny --forbid --force-warn --crate-type "
	"--diagnostic-width --env-set --crate-version --theme --remap-path-prefix "
	"-L -l -C -Z -A -W -D -F";

bool rustc_takes_next(const char *arg)
{
	static const char others[] = "--crate-name --out-dir --target --sysroot -o --output --cfg "
				     "--emit --print";

	return text_has_word(rustc_with_next, arg) || text_has_word(others, arg);
}

/* Options whose value is stored unchanged. */
static bool take_rustc_value(const struct strvec *argv, size_t *i, struct rustc_options *found)
{
	const struct {
		const char *option;
		const char **value;
	} table[] = {
		{ "--crate-name", &found->crate_name },
		{ "--out-dir", &found->out_dir },
		{ "--target", &found->target },
		{ "--sysroot", &found->sysroot },
		{ "-o", &found->output },
		{ "--output", &found->output },
	};

	for (size_t k = 0; k < ARRAY_SIZE(table); k++) {
		const char *value = argv_take_value(argv, i, table[k].option);

		if (value) {
			*table[k].value = value;
			return true;
		}
	}
	return false;
}

/* Options whose value is parsed. */
static bool read_rustc_value(const struct strvec *argv, size_t *i, struct rustc_options *found)
{
	const char *value;

	if ((value = argv_take_value(argv, i, "--cfg"))) {
		found->cfg_bootstrap |= !strcmp(value, "bootstrap");
	} else if ((value = argv_take_value(argv, i, "--emit"))) {
		found->emits = true;
		found->emits_link |= list_has(value, "link");
	} else if ((value = argv_take_value(argv, i, "--print"))) {
		found->asks |= !is_print_note(value);
	} else {
		return false;
	}
	return true;
}

struct rustc_options rustc_options_scan(const struct strvec *argv, size_t first)
{
	struct rustc_options found = { 0 };

	for (size_t i = first; i < argv->nr; i++) {
		const char *arg = argv->v[i];

		if (text_has_word(rustc_questions, arg)) {
			found.asks = true;
			found.version |= !strcmp(arg, "-vV");
		} else if (arg[0] == '@') {
			found.unread = true;
		} else if (take_rustc_value(argv, &i, &found) ||
			   read_rustc_value(argv, &i, &found)) {
			continue;
		} else if (text_has_word(rustc_with_next, arg)) {
			i++;
		} else if (arg[0] != '-' || !arg[1]) {
			found.source = arg;
		}
	}
	return found;
}

char *rustc_crate_types(const struct strvec *argv, size_t first)
{
	struct strbuf types = STRBUF_INIT;

	for (size_t i = first; i < argv->nr; i++) {
		const char *value = argv_take_value(argv, &i, "--crate-type");

		if (!value || !*value)
			continue;
		if (types.len)
			strbuf_addc(&types, ',');
		strbuf_adds(&types, value);
	}
	return types.len ? strbuf_detach(&types) : NULL;
}

/* The value of `name` in what -C or -Z has; NULL: it is about another one. */
static const char *value_of(const char *setting, const char *name)
{
	size_t len = strlen(name);

	return setting && !strncmp(setting, name, len) && setting[len] == '=' ? setting + len + 1
									      : NULL;
}

bool rustc_is_sequential(const struct strvec *argv, size_t first)
{
	bool one = false, threads = false;

	/* The last one counts. */
	for (size_t i = first; i < argv->nr; i++) {
		const char *codegen = argv_take_value(argv, &i, "-C");
		const char *unstable = codegen ? NULL : argv_take_value(argv, &i, "-Z"), *value;

		if (!codegen && !unstable)
			codegen = argv_take_value(argv, &i, "--codegen");
		value = value_of(codegen, "codegen-units");
		if (value)
			one = !strcmp(value, "1");
		value = value_of(unstable, "threads");
		if (value)
			threads = strcmp(value, "1") != 0;
	}
	return one && !threads;
}

/* Options of C compilers and linkers whose value is the next argument. */
static const char tool_with_next[] =
	"-x -I -L -l -T -D -U -u -z -m -e -h -include -isystem -iquote -idirafter "
	"-imacros -Xlinker -Xclang -Xassembler -Xpreprocessor -target -arch -isysroot "
	"-plugin -soname -rpath -dynamic-linker -MF -MT -MQ -B -flavor --param -dumpdir "
	"-dumpbase -dumpbase-ext -imultiarch -auxbase -auxbase-strip -framework";

static bool is_tool_question(const char *arg)
{
	static const char words[] = "--version --help -? /? -help -dumpmachine -### -dumpversion "
				    "-dumpfullversion -dumpspecs --target-help -qversion";

	return text_has_word(words, arg) || text_starts_with(arg, "-print-") ||
	       text_starts_with(arg, "--print-") || text_starts_with(arg, "--help=");
}

/* The value of /OUT:x or -Fo:x; NULL: another argument. */
static const char *msvc_output(const char *arg)
{
	static const char *const names[] = { "OUT:", "out:", "Out:", "Fe:", "Fe", "Fo:", "Fo" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (text_starts_with(arg + 1, names[i]) && arg[1 + strlen(names[i])])
			return arg + 1 + strlen(names[i]);
	return NULL;
}

/* An option in the syntax of cl.exe, link.exe and lib.exe. */
static bool read_msvc(const char *arg, struct tool_options *found)
{
	const char *word = arg + 1, *output;

	if (arg[0] != '/' && arg[0] != '-')
		return false;
	if ((output = msvc_output(arg)))
		found->output = output;
	else if (!strcmp(word, "c"))
		found->compiles = true;
	else if (text_has_word("E EP P Zs", word))
		found->preprocesses = true;
	else if (text_equal_fold(word, "dump") || text_equal_fold(word, "list") ||
		 text_equal_fold(word, "help"))
		found->asks = true;
	else if (text_equal_fold(word, "lib"))
		found->lib = true;
	else
		return arg[0] == '/' && *word && !strpbrk(word, "/\\.");
	return true;
}

struct tool_options tool_options_scan(const struct strvec *argv, size_t first,
				      enum spelling spelling)
{
	struct tool_options found = { 0 };

	for (size_t i = first; i < argv->nr; i++) {
		const char *arg = argv->v[i], *value;

		if (spelling == SPELLING_MSVC && read_msvc(arg, &found))
			continue;
		if (is_tool_question(arg))
			found.asks = true;
		else if (text_has_word("-cc1 -cc1as", arg))
			found.cc1 = true;
		else if (text_has_word("-c -S", arg))
			found.compiles = true;
		else if (text_has_word("-E -M -MM -fsyntax-only", arg))
			found.preprocesses = true;
		else if (arg[0] == '@' || text_starts_with(arg, "-Wl,@"))
			found.unread = true;
		else if (text_has_word(tool_with_next, arg))
			i++;
		else if (text_has_word("-o --output", arg) &&
			 (value = argv_take_value(argv, &i, arg)))
			found.output = value;
		else if (text_starts_with(arg, "-o") && strpbrk(arg, "/\\"))
			found.output = arg + 2;
		else if (text_starts_with(arg, "--output="))
			found.output = arg + strlen("--output=");
		else if (arg[0] && (arg[0] != '-' || !arg[1]))
			found.inputs = true;
	}
	return found;
}

/* Operations of ar that only read: t lists, p prints. */
static bool is_reading_operation(const char *word)
{
	word += *word == '-';
	return *word && word[strspn(word, "tpvVOoN")] == '\0' && strpbrk(word, "tp");
}

struct tool_options archiver_options_scan(const struct strvec *argv, size_t first)
{
	struct tool_options found = { 0 };

	for (size_t i = first; i < argv->nr; i++) {
		const char *arg = argv->v[i];

		if (read_msvc(arg, &found))
			continue;
		if (is_tool_question(arg) || !strcmp(arg, "-V") ||
		    (i == first && is_reading_operation(arg)))
			found.asks = true;
		else if (arg[0] == '@')
			found.unread = true;
		else if (i > first && arg[0] != '-' && !found.output)
			found.output = arg;
	}
	found.inputs = found.output != NULL;
	return found;
}
