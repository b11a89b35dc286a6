/*
 * Command-line options as tables. The same rows parse the arguments and make the help, the manual page and
 * the shell completion.
 *
 * Each command has a struct for its values. Each row has the offset of its value in that struct:
 *
 *     struct values { const char *out; struct strvec set; bool dry_run; const char *config; };
 *
 *     static const struct opt options[] = {
 *     	{ 'o', "out", OPT_STRING, "DIR", "directory for runs", offsetof(struct values, out), NULL },
 *     	{ 0, "dry-run", OPT_FLAG, NULL, "print the commands", offsetof(struct values, dry_run), NULL },
 *     	OPT_END,
 *     };
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"
#include "util/strbuf.h"

enum opt_type {
	OPT_FLAG,     /* bool */
	OPT_STRING,   /* const char *, borrowed from argv, NULL if not given; the last one counts */
	OPT_OPTIONAL, /* the same, but "" without a value, which is joined by "=", or the next word if it is one: `takes` */
	OPT_NUMBER,   /* int64_t, 1 or more, 0 if not given; the last one counts */
	OPT_CHOICE,   /* int, index into `choices`, 0 if not given; the last one counts */
	OPT_GIVEN,    /* the same, but -1 if not given */
	OPT_PAIR,     /* struct opt_pair: one or two of `choices`, "A,B"; the last one counts */
	OPT_LIST,     /* struct strvec, every value given */
	OPT_TWO,      /* const char *[2], two words, both or none given; the last two count */
};

/* Indexes into the choices; nr is 0 if not given. */
struct opt_pair {
	int v[2];
	size_t nr;
};

/* The values that an OPT_CHOICE, OPT_GIVEN or OPT_PAIR accepts: a list of words, or the names of the rows of a table. */
struct opt_choices {
	const char *const *words;      /* ends with NULL; NULL: a table */
	const char *(*name)(size_t i); /* of a row; NULL after the last one */
	const char *(*help)(size_t i); /* of a row: its text in the help of the option */
	const char *(*ending)(
		size_t i); /* of a row that is a format: of names of its files; see cli/result_file.h */

	/* Of an OPT_PAIR: whether two rows may be given together, for completion. NULL: any two. */
	bool (*pairs)(size_t i, size_t other);

	/* Of an OPT_OPTIONAL: whether the next argument is its value. */
	bool (*takes)(const char *word);

	/* Why a word that one may expect, or that was a value once, is none; NULL: it is just no value. May be NULL. */
	const char *(*refusal)(const char *word);
};

#define OPT_WORDS(list) (&(const struct opt_choices){ .words = (list) })

struct opt {
	char letter; /* 0: none */
	const char *name;
	enum opt_type type;
	const char *value; /* name of the value in the help; NULL for a flag */
	const char *help;
	size_t offset;
	/* Of an OPT_CHOICE, OPT_GIVEN or OPT_PAIR; of others the values that completion offers, where they are known. */
	const struct opt_choices *choices;
};

/* The last row of a table. --help needs no row: it is always accepted, and shown after the table's options. */
#define OPT_END \
	{ \
		0, NULL, OPT_FLAG, NULL, NULL, 0, NULL \
	}

extern const struct opt opt_help;

/* The `i`-th of the choices; NULL after the last one. */
const char *opt_choice(const struct opt *opt, size_t i);

/* Append the help of the option: its text and, if its choices are the rows of a table, the text of each row. */
void opt_add_help(const struct opt *opt, struct strbuf *sb);

/* Options that the help lists under one heading; several commands may share one table. */
struct opt_group {
	const char *heading;
	const struct opt *opts; /* ends with OPT_END */
	size_t base; /* added to each offset: the offset of the table's struct in the values */
};

#define OPT_GROUP_END \
	{ \
		NULL, NULL, 0 \
	}

/* How many arguments a row takes, and its value. */
enum opt_many {
	OPT_ONE,   /* const char * */
	OPT_MANY,  /* struct strvec; the last row, but for one of the following kinds */
	OPT_AFTER, /* the same, but what follows "--", all of it; the last row */
	OPT_THEN,  /* the same, but what follows "--" and is no option; the last row */
};

/* An argument that is not an option. */
struct opt_arg {
	const char *name;
	const char *help;
	bool optional;
	enum opt_many many;
	size_t offset; /* into the values */
};

#define OPT_ARG_END \
	{ \
		NULL, NULL, false, OPT_ONE, 0 \
	}

struct opt_syntax {
	const struct opt_group *groups; /* ends with OPT_GROUP_END; may be NULL */
	const struct opt_arg *args;     /* ends with OPT_ARG_END; may be NULL */
	size_t values_size;
};

/*
 * Parse `argv` (ends with NULL, without the command's name) into `values`, which is first set to zeroes and empty
 * lists. Options may stand anywhere before "--". With --help, `*help` is set and the remaining arguments are ignored.
 * A mistake is ERR_USAGE. The caller calls opt_release() in any case.
 */
int opt_parse(const struct opt_syntax *syntax, const char *const *argv, void *values, bool *help,
	      struct err *err);
void opt_release(const struct opt_syntax *syntax, void *values);

#endif
