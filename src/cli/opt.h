/*
 * Command-line options as tables. The same rows parse the arguments and make the help, the manual page and
 * the shell completion.
 *
 * The values of a command are a struct of its own; each row says where in it its value goes:
 *
 *     struct values { const char *out; struct strvec set; bool dry_run; const char *config; };
 *
 *     static const struct opt options[] = {
 *     	{ 'o', "out", OPT_STRING, "DIR", "where runs go", offsetof(struct values, out), NULL },
 *     	{ 0, "dry-run", OPT_FLAG, NULL, "only say", offsetof(struct values, dry_run), NULL },
 *     	OPT_END,
 *     };
 */
#ifndef CLI_OPT_H
#define CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

enum opt_type {
	OPT_FLAG,   /* bool */
	OPT_STRING, /* const char *, borrowed from argv, NULL where not given; the last one counts */
	OPT_NUMBER, /* int64_t, 1 or more, 0 where not given; the last one counts */
	OPT_CHOICE, /* int, index into `choices`, 0 where not given; the last one counts */
	OPT_LIST,   /* struct strvec, every value given */
};

struct opt {
	char letter; /* 0: none */
	const char *name;
	enum opt_type type;
	const char *value; /* what the help calls the value; NULL for a flag */
	const char *help;
	size_t offset;
	const char *const *choices; /* of an OPT_CHOICE; ends with NULL */
};

/* Every row has its own; --help is understood without one, and shown after the table's. */
#define OPT_END \
	{ \
		0, NULL, OPT_FLAG, NULL, NULL, 0, NULL \
	}

extern const struct opt opt_help;

/* Options that stand together in the help; several commands may share one table. */
struct opt_group {
	const char *heading;
	const struct opt *opts; /* ends with OPT_END */
	size_t base; /* added to each offset: where the table's struct lies in the values */
};

#define OPT_GROUP_END \
	{ \
		NULL, NULL, 0 \
	}

/* An argument that is no option. Only the last row may take many. */
struct opt_arg {
	const char *name;
	const char *help;
	bool optional;
	bool many;     /* struct strvec, else const char * */
	size_t offset; /* into the values */
};

#define OPT_ARG_END \
	{ \
		NULL, NULL, false, false, 0 \
	}

struct opt_syntax {
	const struct opt_group *groups; /* ends with OPT_GROUP_END; may be NULL */
	const struct opt_arg *args;     /* ends with OPT_ARG_END; may be NULL */
	size_t values_size;
};

/*
 * Parse `argv` (ends with NULL, without the command's name) into `values`, which is set to zeroes and empty
 * lists first. Options may stand anywhere up to "--". With --help, `*help` is set and the rest is not looked
 * at. A mistake is ERR_USAGE. `values` is to be released in any case.
 */
int opt_parse(const struct opt_syntax *syntax, const char *const *argv, void *values, bool *help,
	      struct err *err);
void opt_release(const struct opt_syntax *syntax, void *values);

#endif
