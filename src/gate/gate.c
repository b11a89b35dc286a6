#include "gate/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tag/tag.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define BLANKS " \t"
#define DIGITS "0123456789"

/* As in group_by_names, but for compiles. */
static const char *const key_names[] = {
	[GATE_BUILD] = "build", [GATE_PART] = "part",       [GATE_ROLE] = "role",
	[GATE_CRATE] = "crate", [GATE_COMPILE] = "compile", [GATE_PHASE] = "phase",
};

void gates_release(struct gates *gates)
{
	for (size_t i = 0; i < gates->nr; i++) {
		free(gates->v[i].text);
		free(gates->v[i].name);
		free(gates->v[i].unread);
	}
	free(gates->v);
	*gates = (struct gates)GATES_INIT;
}

bool gate_compares(const struct gate *gate)
{
	return gate->kind != GATE_VALUE;
}

bool gate_trips(const struct gate *gate, double value)
{
	switch (gate->op) {
	case GATE_ABOVE:
		return value > gate->limit;
	case GATE_AT_LEAST:
		return value >= gate->limit;
	case GATE_BELOW:
		return value < gate->limit;
	case GATE_AT_MOST:
		return value <= gate->limit;
	}
	return false;
}

/* A copy of a part of a text, without blanks at its ends. */
static char *copy_trimmed(const char *from, const char *to)
{
	while (from < to && strchr(BLANKS, *from))
		from++;
	while (from < to && strchr(BLANKS, to[-1]))
		to--;
	return xstrndup(from, (size_t)(to - from));
}

/* Messages of mistakes follow the gate's text. */
static int refuse(struct err *err)
{
	return err_set(
		err, ERR_USAGE,
		"it is not [KEY:NAME.]METRIC > LIMIT, as in 'peak > +5%%', 'size > 100MB' or "
		"'crate:rustc_middle.own-peak > 1.2GiB'");
}

/* Say which words there are, and which one is similar. */
static int refuse_word(const char *what, const char *word, const char *const *words, size_t nr,
		       struct err *err)
{
	const char *near = text_nearest(word, words, nr);
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&list, "%s%s", i ? ", " : "", words[i]);
	if (near)
		err_set(err, ERR_USAGE, "unknown %s '%s' (did you mean '%s'?)", what, word, near);
	else
		err_set(err, ERR_USAGE, "unknown %s '%s': it is one of %s", what, word, list.buf);
	strbuf_release(&list);
	return -1;
}

static int set_measure(struct gate *gate, const char *word, struct err *err)
{
	const char *words[MEASURES + 1];
	size_t nr = 0;

	if (gate->key == GATE_BUILD)
		words[nr++] = MEASURE_BUILD_PEAK;
	for (int i = 0; i < MEASURES; i++)
		words[nr++] = measure_names[i];
	/* Words that differ so much are not taken for similar. */
	if (gate->key != GATE_BUILD && !strcmp(word, MEASURE_BUILD_PEAK))
		return err_set(err, ERR_USAGE, "unknown metric 'peak' (did you mean 'own-peak'?)");
	if (!measure_parse(word, MEASURES, gate->key == GATE_BUILD, &gate->measure))
		return refuse_word("metric", word, words, nr, err);
	if (gate->key == GATE_PHASE && gate->measure == MEASURE_WALL)
		return err_set(err, ERR_USAGE, "a phase has no wall, but cpu");
	return 0;
}

static int set_key(struct gate *gate, const char *word, struct err *err)
{
	for (int key = GATE_PART; key < GATE_KEYS; key++) {
		if (!strcmp(word, key_names[key])) {
			gate->key = (enum gate_key)key;
			return 0;
		}
	}
	if (!strcmp(word, key_names[GATE_BUILD]))
		return err_set(err, ERR_USAGE, "the build has no name: leave out ':%s'",
			       gate->name);
	return refuse_word("key", word, key_names, GATE_KEYS, err);
}

static int check_role(const struct gate *gate, struct err *err)
{
	const char *words[ROLE_COUNT];
	enum role role;

	if (gate->key != GATE_ROLE || role_parse(gate->name, &role))
		return 0;
	for (int i = 0; i < ROLE_COUNT; i++)
		words[i] = role_name((enum role)i);
	return refuse_word("role", gate->name, words, ROLE_COUNT, err);
}

/* What is before the operator: the metric is after the last dot, as names may have dots. */
static int parse_subject(struct gate *gate, const char *subject, struct err *err)
{
	const char *dot = strrchr(subject, '.'), *colon = strchr(subject, ':');
	const char *metric = dot ? dot + 1 + strspn(dot + 1, BLANKS) : subject;
	char *key;
	int rc;

	if (!dot && !colon)
		return *subject ? set_measure(gate, subject, err) : refuse(err);
	if (!dot || (colon && dot < colon))
		return refuse(err);
	key = copy_trimmed(subject, colon ? colon : dot);
	if (!colon) {
		rc = strcmp(key, key_names[GATE_BUILD]) ? refuse(err)
							: set_measure(gate, metric, err);
		free(key);
		return rc;
	}
	gate->name = copy_trimmed(colon + 1, dot);
	rc = set_key(gate, key, err);
	free(key);
	if (rc)
		return -1;
	if (!*gate->name)
		return refuse(err);
	return check_role(gate, err) ? -1 : set_measure(gate, metric, err);
}

/* A percentage without a sign. It may be above 100. */
static bool parse_percent(const char *text, double *percent)
{
	size_t digits = strspn(text, DIGITS), len = digits;
	char *end;

	if (!digits || digits > 9)
		return false;
	if (text[len] == '.')
		len += 1 + strspn(text + len + 1, DIGITS);
	if (strcmp(text + len + strspn(text + len, BLANKS), "%") != 0)
		return false;
	*percent = strtod(text, &end);
	return isfinite(*percent);
}

static int refuse_unit(const struct gate *gate, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "the limit of %s is a %s, or a change in percent, as in '+5%%'",
		       measure_names[gate->measure],
		       measure_is_bytes(gate->measure) ? "size, as in '100MB' or '+100MB'"
						       : "duration, as in '90s' or '+10s'");
}

static int parse_limit(struct gate *gate, const char *text, struct err *err)
{
	bool negative = *text == '-', sign = negative || *text == '+';
	int64_t number;

	if (!*text)
		return refuse(err);
	text += sign;
	if (parse_percent(text, &gate->limit)) {
		gate->kind = GATE_PERCENT;
	} else {
		/* A number without a unit might be of anything. */
		bool good =
			text[strspn(text, DIGITS "." BLANKS)] &&
			(measure_is_bytes(gate->measure) ? text_parse_size(text, 1, &number)
							 : text_parse_duration(text, 0, &number));

		if (!good)
			return refuse_unit(gate, err);
		gate->kind = sign ? GATE_CHANGE : GATE_VALUE;
		gate->limit = (double)number;
	}
	if (negative)
		gate->limit = -gate->limit;
	return 0;
}

static int parse(struct gate *gate, struct err *err)
{
	const char *text = gate->text, *op = NULL, *limit;
	char *subject;
	int rc;

	/* A name may have such characters, a limit has none. */
	for (const char *at = text; (at = strpbrk(at, "<>")); at++)
		op = at;
	if (!op)
		return refuse(err);
	if (*op == '>')
		gate->op = op[1] == '=' ? GATE_AT_LEAST : GATE_ABOVE;
	else
		gate->op = op[1] == '=' ? GATE_AT_MOST : GATE_BELOW;
	subject = copy_trimmed(text, op);
	limit = op + 1 + (op[1] == '=');
	rc = parse_subject(gate, subject, err);
	free(subject);
	return rc ? -1 : parse_limit(gate, limit + strspn(limit, BLANKS), err);
}

/* A gate that cannot be read has its text alone. */
static int read_gate(struct gate *gate, char *text, struct err *err)
{
	*gate = (struct gate){ .text = text };
	if (!parse(gate, err))
		return 0;
	free(gate->name);
	*gate = (struct gate){ .text = text };
	return -1;
}

static int add_part(struct gates *gates, const char *from, const char *to, struct err *err)
{
	struct gate gate;

	if (read_gate(&gate, copy_trimmed(from, to), err)) {
		err_wrap(err, "gate '%s'", gate.text);
		free(gate.text);
		return -1;
	}
	ARRAY_ADD(gates->v, gates->nr, gates->alloc, gate);
	return 0;
}

int gates_add(struct gates *gates, const char *text, struct err *err)
{
	return add_part(gates, text, text + strlen(text), err);
}

/* The next of the parts that commas separate; false: there is none. `*text` is after it. */
static bool next_part(const char **text, const char **from, const char **to)
{
	*from = *text + strspn(*text, "," BLANKS);
	*to = *from + strcspn(*from, ",");
	*text = *to;
	return *to > *from;
}

int gates_add_list(struct gates *gates, const char *text, struct err *err)
{
	const char *from, *to;

	while (next_part(&text, &from, &to)) {
		if (add_part(gates, from, to, err))
			return -1;
	}
	return 0;
}

void gates_add_kept(struct gates *gates, const char *text)
{
	const char *from, *to;

	while (next_part(&text, &from, &to)) {
		struct err err = ERR_INIT;
		struct gate gate;

		if (read_gate(&gate, copy_trimmed(from, to), &err))
			gate.unread = xstrdup(err.msg);
		ARRAY_ADD(gates->v, gates->nr, gates->alloc, gate);
		err_clear(&err);
	}
}

void gates_add_unread(struct gates *gates, const char *text, const char *why)
{
	const struct gate gate = { .text = xstrdup(text), .unread = xstrdup(why) };

	ARRAY_ADD(gates->v, gates->nr, gates->alloc, gate);
}

int gates_split(const char *text, struct strvec *texts, struct err *err)
{
	struct gates gates = GATES_INIT;
	int rc = gates_add_list(&gates, text, err);

	for (size_t i = 0; !rc && i < gates.nr; i++)
		strvec_push(texts, gates.v[i].text);
	gates_release(&gates);
	return rc;
}
