#include "util/scrub_values.h"

#include <string.h>

#include "util/array.h"
#include "util/ascii.h"
#include "util/unescape.h"

/* Those that tags follow from: tag/tag.h. */
static const char *const kept_variables[] = { "RUSTC_STAGE", "CARGO_PKG_NAME", "CARGO_TARGET_DIR" };

static bool is_kept(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept_variables); i++) {
		if (strlen(kept_variables[i]) == len && !memcmp(kept_variables[i], name, len))
			return true;
	}
	return false;
}

bool scrub_keeps_variable(const char *text)
{
	return is_kept(text, strcspn(text, "="));
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_word(char c)
{
	return ascii_is_letter_or_digit(c) || c == '_';
}

/* Names of variables, options and keys: CFLAGS_x86_64-unknown-linux-gnu, --api-key, registry.token */
static bool is_key(char c)
{
	return is_word(c) || c == '-' || c == '.';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* A key of the text, which may be the name of a value. */
struct key {
	const char *s;
	size_t len, start, end;
	size_t next; /* what follows it, after sequences for a terminal */
	bool variable, capitals, underscore, secret;
	bool begins_line, is_argument; /* no blanks are before it */
};

/* The byte at `i`, or NUL beyond the end. */
static char byte_at(const struct key *key, size_t i)
{
	return i < key->len ? key->s[i] : '\0';
}

static char byte_before(const struct key *key, size_t nr)
{
	return key->start >= nr ? key->s[key->start - nr] : '\0';
}

static bool begins_with(const struct key *key, size_t i, const char *word)
{
	size_t nr = strlen(word);

	return i <= key->len && nr <= key->len - i && !memcmp(key->s + i, word, nr);
}

static bool ends_with(const char *s, size_t start, size_t end, const char *word)
{
	size_t nr = strlen(word);

	if (nr > end - start)
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (ascii_lower(s[end - nr + i]) != word[i])
			return false;
	}
	return true;
}

static bool ends_secret(const char *s, size_t start, size_t end)
{
	static const char *const secrets[] = {
		"password",    "passwd",      "passphrase", "token",       "secret",
		"api_key",     "api-key",     "apikey",     "access_key",  "access-key",
		"private_key", "private-key", "credential", "credentials", "authorization",
	};

	for (size_t i = 0; i < ARRAY_SIZE(secrets); i++) {
		if (ends_with(s, start, end, secrets[i]))
			return true;
	}
	return false;
}

/* Also -eNAME, as of docker. */
static void judge_key(struct key *key)
{
	const char *s = key->s;
	bool lower_case = false, dash = false, dot = false;
	size_t i = key->start;

	if (key->end - i > 2 && s[i] == '-' && s[i + 1] == 'e' &&
	    (is_upper(s[i + 2]) || s[i + 2] == '_'))
		i += 2;
	for (size_t k = i; k < key->end; k++) {
		lower_case |= s[k] >= 'a' && s[k] <= 'z';
		dash |= s[k] == '-';
		dot |= s[k] == '.';
		key->capitals |= is_upper(s[k]);
		key->underscore |= s[k] == '_';
	}
	key->capitals &= !lower_case && !dash && !dot;
	key->secret = ends_secret(s, i, key->end);
	key->variable = !dot && !ascii_is_digit(s[i]) &&
			(key->capitals || (key->underscore && is_upper(s[i])) ||
			 (!dash && ends_with(s, i, key->end, "_proxy")));
	if (key->variable && is_kept(s + i, key->end - i))
		key->variable = key->secret = false;
}

/* A secret whose name is in capitals, and ends with _KEY or what any secret ends with. */
static bool is_loud(const struct key *key)
{
	return key->capitals && (key->secret || ends_with(key->s, key->start, key->end, "_key"));
}

/* After sequences for a terminal, such as a colour. */
static size_t skip_sequences(const struct key *key, size_t i)
{
	size_t nr = 1;

	for (; i < key->len && unescape_is_special(key->s[i]) && nr; i += nr)
		nr = unescape_sequence(key->s, key->len, i);
	return i;
}

static size_t skip_blanks(const struct key *key, size_t i)
{
	size_t blanks = i;

	do {
		i = skip_sequences(key, blanks);
		blanks = i;
		while (blanks < key->len && ascii_is_blank(key->s[blanks]))
			blanks++;
	} while (blanks > i);
	return i;
}

/* The end of the line, or of the argument that begins with the key. */
static size_t end_of_line(const struct key *key, size_t i)
{
	if (key->is_argument)
		return key->len;
	while (i < key->len && key->s[i] != '\n' && key->s[i] != '\r')
		i++;
	return i;
}

/* The state of quotes within a word of a shell, or of a language whose quotes are alike. */
struct quotes {
	char open;
	size_t escapes; /* so many \ are before each: 1, and 3 or 7 where what is escaped was escaped again */
	bool enclosing; /* the word began within them */
	size_t closing; /* where the last ones ended */
};

/* Move `*i` behind quotes that open there. False: none do. */
static bool take_quote(const struct key *key, size_t *i, struct quotes *quotes)
{
	size_t at = *i, escapes;

	while (byte_at(key, at) == '\\')
		at++;
	escapes = at - *i;
	if (!is_quote(byte_at(key, at)) || (escapes & (escapes + 1)))
		return false;
	*quotes = (struct quotes){ key->s[at], escapes, true, 0 };
	*i = at + 1;
	return true;
}

/* Does a quote end quotes that have so many escapes? Each level of escapes doubles those of the text in them. */
static bool is_closing(size_t backslashes, size_t escapes)
{
	for (; escapes && backslashes % 2; escapes /= 2)
		backslashes /= 2;
	return backslashes % 2 == 0;
}

/* Within quotes: after the next character, or after the end of the quotes. */
static size_t next_in_quotes(const struct key *key, size_t i, struct quotes *quotes)
{
	size_t at = i, nr;

	while (byte_at(key, at) == '\\')
		at++;
	nr = at - i;
	if (at == key->len)
		return at;
	/* In '...' a shell has no escapes, but others have. */
	if (key->s[at] == quotes->open &&
	    (is_closing(nr, quotes->escapes) ||
	     (quotes->open == '\'' && !quotes->escapes && !is_word(byte_at(key, at + 1))))) {
		quotes->open = 0;
		quotes->closing = at - (nr < quotes->escapes ? nr : quotes->escapes);
	}
	return at + 1;
}

#define NESTED_MAX 16

/* What ends the quotes or brackets that open at `i`, within others that end with `within`; NUL: none open. */
static char closing_of(const struct key *key, size_t i, char within)
{
	char c = key->s[i];
	bool expands = i && key->s[i - 1] == '$';

	if (within == '\'')
		return '\0';
	if (c == '(' && (expands || within != '"'))
		return ')';
	if (c == '{' && expands)
		return '}';
	return c == '"' || c == '`' || (c == '\'' && within != '"') ? c : '\0';
}

/* The end of a list or command of a shell that opens at `i`: (a b), `a b`. That of one without an end is the end of all. */
static size_t end_of_brackets(const struct key *key, size_t i)
{
	char closing[NESTED_MAX];
	size_t nr = 0;

	do {
		char within = nr ? closing[nr - 1] : '\0', opened;

		if (key->s[i] == '\\' && within != '\'') {
			i++;
		} else if (nr && key->s[i] == within) {
			nr--;
		} else if ((opened = closing_of(key, i, within))) {
			if (nr == NESTED_MAX)
				return key->len;
			closing[nr++] = opened;
		}
		i++;
	} while (nr && i < key->len);
	return i < key->len ? i : key->len;
}

/* $(a b), ${a:-b c} */
static bool is_expansion(const struct key *key, size_t i)
{
	char next = byte_at(key, i + 1);

	return key->s[i] == '$' && (next == '(' || next == '{');
}

/* Does the word go on after enclosing quotes? */
static bool goes_on(const struct key *key, size_t i)
{
	char c = byte_at(key, i);

	return is_quote(c) || is_word(c) || (c == '\\' && is_quote(byte_at(key, i + 1)));
}

static size_t end_of_word(const struct key *key, size_t i, struct quotes quotes)
{
	while (i < key->len) {
		char c = key->s[i];

		if (quotes.open != '\'' && is_expansion(key, i)) {
			i = end_of_brackets(key, i + 1);
		} else if (quotes.open) {
			i = next_in_quotes(key, i, &quotes);
			if (!quotes.open && quotes.enclosing && !goes_on(key, i))
				return quotes.closing;
		} else if (is_space(c)) {
			break;
		} else if (c == '\\' && i + 1 < key->len && key->s[i + 1] != '\n') {
			i += 2;
		} else {
			quotes.open = is_quote(c) ? c : 0;
			quotes.escapes = 0;
			i++;
		}
	}
	return i;
}

/* A word that begins at `i`, perhaps with a quote. In `NAME=` the second ` ends what the first began. */
static size_t end_of_quoted(const struct key *key, size_t i)
{
	struct quotes quotes = { 0, 0, false, 0 };
	char c = byte_at(key, i);

	if (take_quote(key, &i, &quotes))
		quotes.enclosing = false;
	else if (c == '(' || (c == '`' && byte_before(key, 1) != '`'))
		i = end_of_brackets(key, i);
	return end_of_word(key, i, quotes);
}

/* The quote before the key. */
static struct quotes quotes_before(const struct key *key)
{
	char quote = byte_before(key, 1);
	size_t escapes = 0;

	if (!is_quote(quote))
		return (struct quotes){ 0, 0, false, 0 };
	while (byte_before(key, escapes + 2) == '\\')
		escapes++;
	while (escapes & (escapes + 1))
		escapes--;
	return (struct quotes){ quote, escapes, true, 0 };
}

/* NAME=value */
static bool find_assigned(const struct key *key, struct scrub_value *value)
{
	size_t sign = key->next + (byte_at(key, key->next) == '+');
	struct quotes quotes = quotes_before(key);

	if (byte_at(key, sign) != '=' || byte_at(key, sign + 1) == '=' ||
	    !(key->variable || key->secret))
		return false;
	value->start = value->end = sign + 1;
	if (quotes.open)
		value->end = end_of_word(key, sign + 1, quotes);
	else if (key->is_argument || key->begins_line ||
		 (key->start >= 10 && begins_with(key, key->start - 10, "rustc-env=")))
		value->end = end_of_line(key, sign + 1);
	else
		value->end = end_of_quoted(key, sign + 1);
	return true;
}

/* Some("-O2") */
static bool find_some(const struct key *key, size_t i, struct scrub_value *value)
{
	static const char some[] = "Some(";
	struct quotes quotes;

	if (!begins_with(key, i, some))
		return false;
	i += strlen(some);
	value->start = i;
	if (take_quote(key, &i, &quotes)) {
		value->end = end_of_word(key, i, quotes);
		take_quote(key, &value->end, &quotes);
	} else {
		value->end = i;
		while (value->end < key->len && !is_space(key->s[value->end]) &&
		       key->s[value->end] != ')')
			value->end++;
	}
	return true;
}

/* "NAME": "value", 'NAME': 'value', ("NAME", "value"), "NAME" = "value", "NAME": Some("value") */
static bool find_member(const struct key *key, struct scrub_value *value)
{
	struct quotes before = quotes_before(key), quotes;
	size_t i = key->next;

	if (!before.open || !(key->variable || key->secret) || !take_quote(key, &i, &quotes) ||
	    quotes.open != before.open)
		return false;
	i = skip_blanks(key, i);
	if (!strchr(":=,", byte_at(key, i)) || i >= key->len ||
	    (key->s[i] == ',' && byte_before(key, before.escapes + 2) != '('))
		return false;
	i += key->s[i] == '=' && byte_at(key, i + 1) == '>';
	i = skip_blanks(key, i + 1);
	if (find_some(key, i, value))
		return true;
	if (take_quote(key, &i, &quotes)) {
		value->start = i;
		value->end = end_of_word(key, i, quotes);
		return true;
	}
	value->start = value->end = i;
	while (key->secret && value->end < key->len && !is_space(key->s[value->end]) &&
	       !strchr(",}])[{", key->s[value->end]))
		value->end++;
	return true;
}

/* NAME = value, NAME: value, "NAME: value" */
static bool find_described(const struct key *key, struct scrub_value *value)
{
	struct quotes quotes = quotes_before(key);
	size_t sign = skip_blanks(key, key->next), i;
	bool equals = byte_at(key, sign) == '=' && sign > key->next, begins;

	if (!equals && (byte_at(key, sign) != ':' || sign > key->next))
		return false;
	i = skip_blanks(key, sign + 1);
	if (i >= key->len)
		return false;
	if (i == sign + 1 && (!equals || !is_loud(key) || strchr("=>~", key->s[i])))
		return false;
	if (equals && key->variable && find_some(key, i, value))
		return true;
	begins = key->begins_line || key->is_argument;
	if (!equals && !begins && key->secret && quotes.open) {
		value->start = i;
		value->end = end_of_word(key, i, quotes);
		return true;
	}
	if (!is_loud(key) && !(begins && ((key->variable && key->underscore) || key->secret)) &&
	    !(equals && key->secret && is_quote(key->s[i])))
		return false;
	value->start = i;
	value->end = is_quote(key->s[i]) && !begins ? end_of_quoted(key, i) : end_of_line(key, i);
	return true;
}

/* "--token" "value", ['--token', 'value'] */
static bool find_quoted_option(const struct key *key, size_t end, struct scrub_value *value)
{
	struct quotes quotes;
	size_t i = skip_blanks(key, end);

	if (byte_at(key, i) == ',')
		i = skip_blanks(key, i + 1);
	if (i == end || !take_quote(key, &i, &quotes))
		return false;
	value->start = i;
	value->end = end_of_word(key, i, quotes);
	return true;
}

/* --token value; in a file of arguments the value is on the next line. */
static bool find_option(const struct key *key, struct scrub_value *value)
{
	struct quotes quotes;
	size_t i = key->next;

	if (key->s[key->start] != '-' || !key->secret)
		return false;
	if (quotes_before(key).open && take_quote(key, &i, &quotes))
		return find_quoted_option(key, i, value);
	if (key->begins_line && byte_at(key, i) == '\n')
		i++;
	i = skip_blanks(key, i);
	if (i == key->next || i >= key->len)
		return false;
	value->start = i;
	value->end = end_of_quoted(key, i);
	return true;
}

/* The value of the key that is at `start`; `*end`: its end. */
static bool find_value(const struct scrub_values *values, size_t start, size_t *end,
		       struct scrub_value *value)
{
	struct key key = { .s = values->s,
			   .len = values->len,
			   .start = start,
			   .end = start,
			   .begins_line = values->begins_line && !values->argument,
			   .is_argument = values->argument && !values->has_blanks };

	while (key.end < key.len && is_key(key.s[key.end]))
		key.end++;
	*end = key.end;
	if (key.end == start)
		return false;
	key.next = skip_sequences(&key, key.end);
	judge_key(&key);
	value->secret = !key.variable;
	return (find_assigned(&key, value) || find_member(&key, value) ||
		find_described(&key, value) || find_option(&key, value)) &&
	       value->start < value->end;
}

/* Before lines of differences, quotations and lists. */
static bool is_mark(char c)
{
	return c == '+' || c == '-' || c == '>' || c == '<';
}

static bool is_marks(const char *s, size_t start, size_t end)
{
	while (start < end && is_mark(s[start]))
		start++;
	return start == end;
}

/* Pass a character that is in no key. */
static void skip(struct scrub_values *values)
{
	char c = values->s[values->at++];

	values->has_blanks |= is_space(c);
	if (c == '\n' || (c == ']' && values->in_prefix)) {
		values->begins_line = true;
		values->in_prefix = false;
	} else if (!is_space(c) && !is_mark(c)) {
		values->in_prefix |= c == '[' && values->begins_line;
		values->begins_line = false;
	}
}

/* Pass a sequence for a terminal, or an escape that is written as \n: names begin after it. */
static bool skip_escape(struct scrub_values *values)
{
	const char *s = values->s;
	size_t i = values->at, nr = 0;

	if (s[i] == '\\' && i + 1 < values->len && strchr("\\nrt", s[i + 1]))
		nr = 2;
	else if (unescape_is_special(s[i]))
		nr = unescape_sequence(s, values->len, i);
	values->at += nr;
	return nr;
}

/* What begins at `i` and has a value. */
static bool find_at(struct scrub_values *values, size_t i, size_t *end, struct scrub_value *value)
{
	if (!find_value(values, i, end, value))
		return false;
	values->at = value->end;
	values->begins_line = false;
	return true;
}

void scrub_values_init(struct scrub_values *values, const char *s, size_t len, bool argument)
{
	*values = (struct scrub_values){ s, len, argument, 0, true, false, false };
}

bool scrub_values_next(struct scrub_values *values, struct scrub_value *value)
{
	while (values->at < values->len) {
		size_t i = values->at, end;

		if (is_key(values->s[i])) {
			if (find_at(values, i, &end, value))
				return true;
			values->begins_line &= is_marks(values->s, i, end);
			values->at = end;
		} else if (values->s[i] == '\\' && find_at(values, i + 1, &end, value)) {
			/* \token=value; or a name comes after \n. */
			return true;
		} else if (!skip_escape(values)) {
			skip(values);
		}
	}
	return false;
}

bool scrub_values_is_option(const char *argument)
{
	size_t len = strlen(argument);

	for (size_t i = 0; i < len; i++) {
		if (!is_key(argument[i]))
			return false;
	}
	return *argument == '-' && ends_secret(argument, 0, len);
}
