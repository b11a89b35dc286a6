#include "cli/opt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/strvec.h"
#include "util/text.h"

const struct opt opt_help = { 'h', "help", OPT_FLAG, NULL, "show this help", 0, NULL };

struct parser {
	const struct opt_syntax *syntax;
	const char *const *next; /* of argv */
	char *values;
	size_t args;                /* arguments parsed so far that are not options */
	const struct opt_arg *then; /* of the arguments from now on; NULL: no "--" was seen */
	bool help;
};

/* An option as found on the command line. */
struct match {
	const struct opt *opt;
	void *place;
	const char *shown; /* as the user wrote it, for messages */
};

/* Call `act` with each list in the values. */
static void for_lists(const struct opt_syntax *syntax, char *values,
		      void (*act)(struct strvec *list))
{
	for (const struct opt_group *group = syntax->groups; group && group->opts; group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++) {
			if (opt->type == OPT_LIST)
				act((struct strvec *)(values + group->base + opt->offset));
		}
	}
	for (const struct opt_arg *arg = syntax->args; arg && arg->name; arg++) {
		if (arg->many)
			act((struct strvec *)(values + arg->offset));
	}
}

static void set_not_given(const struct opt_syntax *syntax, char *values)
{
	for (const struct opt_group *group = syntax->groups; group && group->opts; group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++) {
			if (opt->type == OPT_GIVEN)
				*(int *)(void *)(values + group->base + opt->offset) = -1;
		}
	}
}

static void init_list(struct strvec *list)
{
	*list = (struct strvec)STRVEC_INIT;
}

void opt_release(const struct opt_syntax *syntax, void *values)
{
	for_lists(syntax, values, strvec_release);
}

/* Find an option by name, or by letter if `name` is NULL. */
static bool find_opt(const struct parser *parser, const char *name, char letter,
		     struct match *match)
{
	const struct opt_group *group = parser->syntax->groups;

	if (name ? !strcmp(name, opt_help.name) : letter == opt_help.letter) {
		*match = (struct match){ .opt = &opt_help };
		return true;
	}
	for (; group && group->opts; group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++) {
			if (name ? strcmp(opt->name, name) != 0 : opt->letter != letter)
				continue;
			match->opt = opt;
			match->place = parser->values + group->base + opt->offset;
			return true;
		}
	}
	return false;
}

static int unknown_option(const struct parser *parser, const char *name, struct err *err)
{
	const struct opt_group *group = parser->syntax->groups;
	struct strvec names = STRVEC_INIT;
	const char *near;

	strvec_push(&names, opt_help.name);
	for (; group && group->opts; group++) {
		for (const struct opt *opt = group->opts; opt->name; opt++)
			strvec_push(&names, opt->name);
	}
	near = text_nearest(name, (const char *const *)names.v, names.nr);
	if (near)
		err_set(err, ERR_USAGE, "unknown option '--%s' (did you mean '--%s'?)", name, near);
	else
		err_set(err, ERR_USAGE, "unknown option '--%s'", name);
	strvec_release(&names);
	return -1;
}

const char *opt_choice(const struct opt *opt, size_t i)
{
	return opt->choices->words ? opt->choices->words[i] : opt->choices->name(i);
}

void opt_add_help(const struct opt *opt, struct strbuf *sb)
{
	strbuf_adds(sb, opt->help);
	if (!opt->choices || !opt->choices->help)
		return;
	for (size_t i = 0; opt_choice(opt, i); i++)
		strbuf_addf(sb, "; %s%s: %s", opt_choice(opt, i), i ? "" : " (the default)",
			    opt->choices->help(i));
}

static int set_choice(const struct match *match, const char *value, int *place, struct err *err)
{
	struct strvec words = STRVEC_INIT;
	struct strbuf list = STRBUF_INIT;
	const char *word, *near, *refusal;

	for (size_t i = 0; (word = opt_choice(match->opt, i)); i++) {
		if (!strcmp(word, value)) {
			*place = (int)i;
			goto out;
		}
		strvec_push(&words, word);
	}
	for (size_t i = 0; i < words.nr; i++)
		strbuf_addf(&list, "%s%s", !i ? "" : i + 1 < words.nr ? ", " : " or ", words.v[i]);
	refusal = match->opt->choices->refusal ? match->opt->choices->refusal(value) : NULL;
	near = text_nearest(value, (const char *const *)words.v, words.nr);
	if (refusal)
		err_set(err, ERR_USAGE, "'%s' takes %s, not '%s': %s", match->shown, list.buf,
			value, refusal);
	else if (near)
		err_set(err, ERR_USAGE, "'%s' takes %s, not '%s' (did you mean '%s'?)",
			match->shown, list.buf, value, near);
	else
		err_set(err, ERR_USAGE, "'%s' takes %s, not '%s'", match->shown, list.buf, value);
out:
	strbuf_release(&list);
	strvec_release(&words);
	return word ? 0 : -1;
}

static int set_pair(const struct match *match, const char *value, struct err *err)
{
	const char *comma = strchr(value, ',');
	char *first = xstrndup(value, comma ? (size_t)(comma - value) : strlen(value));
	struct opt_pair *pair = match->place;
	bool missing = comma && (comma == value || !comma[1]);
	int rc;

	if (missing)
		rc = err_set(err, ERR_USAGE,
			     "'%s' takes one value, or two with a comma between, not '%s'",
			     match->shown, value);
	else
		rc = set_choice(match, first, &pair->v[0], err);
	free(first);
	if (!rc && comma && strchr(comma + 1, ','))
		rc = err_set(err, ERR_USAGE, "'%s' takes one or two values, not '%s'", match->shown,
			     value);
	if (!rc && comma)
		rc = set_choice(match, comma + 1, &pair->v[1], err);
	pair->nr = comma ? 2 : 1;
	if (!rc && comma && pair->v[0] == pair->v[1])
		rc = err_set(err, ERR_USAGE, "'%s' takes two different values, not '%s'",
			     match->shown, value);
	return rc;
}

static int set_value(const struct match *match, const char *value, struct err *err)
{
	switch (match->opt->type) {
	case OPT_FLAG:
		*(bool *)match->place = true;
		return 0;
	case OPT_STRING:
	case OPT_OPTIONAL:
		*(const char **)match->place = value;
		return 0;
	case OPT_NUMBER:
		if (text_parse_int(value, 1, INT64_MAX, match->place))
			return 0;
		return err_set(err, ERR_USAGE, "'%s' takes a whole number from 1 up, not '%s'",
			       match->shown, value);
	case OPT_CHOICE:
	case OPT_GIVEN:
		return set_choice(match, value, match->place, err);
	case OPT_PAIR:
		return set_pair(match, value, err);
	case OPT_LIST:
		strvec_push(match->place, value);
		return 0;
	case OPT_TWO:
		((const char **)match->place)[0] = value;
		return 0;
	}
	return 0;
}

/* `value` is what the user joined to the option with '=', or NULL: then the next argument is the value. */
static int take_value(struct parser *parser, const struct match *match, const char *value,
		      struct err *err)
{
	const char *second = "";

	if (!value && match->opt->type == OPT_OPTIONAL &&
	    !(*parser->next && match->opt->choices->takes(*parser->next)))
		value = "";
	if (!value)
		value = *parser->next++;
	if (value && match->opt->type == OPT_TWO)
		((const char **)match->place)[1] = second = *parser->next;
	if (!value || !second)
		return err_set(err, ERR_USAGE, "'%s' needs %s: %s", match->shown,
			       match->opt->type == OPT_TWO ? "two values" : "a value",
			       match->opt->value);
	if (match->opt->type == OPT_TWO)
		parser->next++;
	return set_value(match, value, err);
}

static int parse_long(struct parser *parser, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char *name = equals ? xstrndup(text, (size_t)(equals - text)) : xstrdup(text);
	char *shown = xasprintf("--%s", name);
	struct match match;
	int ret;

	if (!find_opt(parser, name, 0, &match)) {
		ret = unknown_option(parser, name, err);
	} else if (match.opt->type == OPT_FLAG && equals) {
		ret = err_set(err, ERR_USAGE, "'%s' takes no value", shown);
	} else if (match.opt == &opt_help) {
		parser->help = true;
		ret = 0;
	} else {
		match.shown = shown;
		ret = match.opt->type == OPT_FLAG
			      ? set_value(&match, NULL, err)
			      : take_value(parser, &match, equals ? equals + 1 : NULL, err);
	}
	free(shown);
	free(name);
	return ret;
}

/* One argument of letters: flags may be joined (-ab), and a value may follow its letter directly (-oFILE). */
static int parse_letters(struct parser *parser, const char *letters, struct err *err)
{
	for (; *letters && !parser->help; letters++) {
		char shown[] = { '-', *letters, '\0' };
		struct match match;

		if (!find_opt(parser, NULL, *letters, &match))
			return err_set(err, ERR_USAGE, "unknown option '%s'", shown);
		match.shown = shown;
		if (match.opt == &opt_help)
			parser->help = true;
		else if (match.opt->type != OPT_FLAG)
			return take_value(parser, &match, letters[1] ? letters + 1 : NULL, err);
		else
			set_value(&match, NULL, err);
	}
	return 0;
}

static int take_arg(struct parser *parser, const char *text, struct err *err)
{
	const struct opt_arg *arg = parser->syntax->args;
	size_t left = parser->args;

	if (parser->then) {
		strvec_push((struct strvec *)(parser->values + parser->then->offset), text);
		return 0;
	}
	parser->args++;
	for (; arg && arg->name && arg->many == OPT_ONE && left; left--)
		arg++;
	if (!arg || !arg->name || arg->many == OPT_AFTER)
		return err_set(err, ERR_USAGE, "unexpected argument '%s'%s", text,
			       arg && arg->name ? ": a command stands after '--'" : "");
	if (arg->many)
		strvec_push((struct strvec *)(parser->values + arg->offset), text);
	else
		*(const char **)(parser->values + arg->offset) = text;
	return 0;
}

static int check_args(const struct parser *parser, struct err *err)
{
	size_t taken = parser->args;

	for (const struct opt_arg *arg = parser->syntax->args; arg && arg->name; arg++) {
		if (!taken && !arg->optional)
			return err_set(err, ERR_USAGE, "no %s given", arg->name);
		if (taken)
			taken--;
	}
	return 0;
}

/* The row of a kind; NULL: there is none. */
static const struct opt_arg *find_arg(const struct parser *parser, enum opt_many many)
{
	const struct opt_arg *arg = parser->syntax->args;

	while (arg && arg->name && arg->many != many)
		arg++;
	return arg && arg->name ? arg : NULL;
}

/* Take all that follows "--", if a row is for that. */
static void take_after(struct parser *parser)
{
	const struct opt_arg *arg = find_arg(parser, OPT_AFTER);

	while (arg && *parser->next)
		strvec_push((struct strvec *)(parser->values + arg->offset), *parser->next++);
}

/* The first "--", where a row is for what follows it and is no option. */
static bool begin_then(struct parser *parser)
{
	if (parser->then)
		return false;
	parser->then = find_arg(parser, OPT_THEN);
	return parser->then != NULL;
}

int opt_parse(const struct opt_syntax *syntax, const char *const *argv, void *values, bool *help,
	      struct err *err)
{
	struct parser parser = { .syntax = syntax, .next = argv, .values = values };
	bool options = true;

	memset(values, 0, syntax->values_size);
	for_lists(syntax, values, init_list);
	set_not_given(syntax, values);
	while (*parser.next) {
		const char *text = *parser.next++;
		int ret;

		if (options && !strcmp(text, "--")) {
			if (begin_then(&parser))
				continue;
			options = false;
			take_after(&parser);
			continue;
		}
		if (options && text_starts_with(text, "--"))
			ret = parse_long(&parser, text + 2, err);
		else if (options && text[0] == '-' && text[1])
			ret = parse_letters(&parser, text + 1, err);
		else
			ret = take_arg(&parser, text, err);
		if (ret)
			return -1;
		if (parser.help) {
			*help = true;
			return 0;
		}
	}
	return check_args(&parser, err);
}
