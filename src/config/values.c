#include "config/values.h"

#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/quote.h"
#include "util/text.h"

#define NAME_MAX_LEN 100

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Indexed by enum stack_mode and enum symbols_mode. */
static const char *const stack_words[] = { "none", "fp", "dwarf", "sampled" };
static const char *const symbols_words[] = { "auto", "none", "used", "build", "all" };

static int set_name(const char *value, char **field, struct err *err)
{
	if (!strchr(LETTERS DIGITS "_", *value) || value[strspn(value, LETTERS DIGITS "_.-")])
		return err_set(err, ERR_USAGE,
			       "name '%s' is not valid in a file name: use letters, digits, '.', "
			       "'_' and '-', and begin with a letter, a digit or '_'",
			       value);
	if (strlen(value) > NAME_MAX_LEN)
		return err_set(err, ERR_USAGE, "name is too long: at most %d bytes", NAME_MAX_LEN);
	free(*field);
	*field = xstrdup(value);
	return 0;
}

char *value_absolute_path(const char *path)
{
	char *absolute = fs_absolute(path);
	char *here;

	if (absolute)
		return absolute;
	here = fs_absolute(".");
	absolute = here ? fs_join(here, path) : xstrdup(path);
	free(here);
	return absolute;
}

char *value_program_path(const char *path)
{
	char *dir = fs_dirname(path), *absolute = value_absolute_path(dir);
	char *program = fs_join(absolute, fs_file_name(path));

	free(absolute);
	free(dir);
	return program;
}

/*
 * x.py runs in the checkout, so its paths must be absolute. Links stay: a configuration of a stranger's run may name a
 * place that is mounted when it is looked at.
 */
static void set_path(const struct setting *setting, const char *value, const char *dir,
		     char **field)
{
	bool absolute = setting->offset == offsetof(struct config, bootstrap_config);
	char *path = fs_join(dir, value), *here = absolute ? fs_absolute(".") : NULL;

	free(*field);
	*field = here ? fs_join(here, path) : xstrdup(path);
	free(here);
	free(path);
}

static int check_set_marks(const struct strvec *args, struct err *err)
{
	bool seen = false;

	for (size_t i = 0; i < args->nr; i++) {
		if (!strstr(args->v[i], "{set}"))
			continue;
		if (strcmp(args->v[i], "{set}"))
			return err_set(err, ERR_USAGE, "{set} in '%s' must be a separate argument",
				       args->v[i]);
		if (seen)
			return err_set(err, ERR_USAGE, "{set} is given twice");
		seen = true;
	}
	return 0;
}

static int set_command(const char *value, struct strvec *field, struct err *err)
{
	struct strvec args = STRVEC_INIT;
	struct err why = ERR_INIT;
	int rc = 0;

	if (quote_split(value, &args, &why))
		rc = err_set(err, ERR_USAGE,
			     "cannot split '%s': %s (a ' ;' starts a comment, also in quotes: "
			     "write ' \\;')",
			     value, why.msg);
	else if (check_set_marks(&args, err))
		rc = -1;
	else if (args.nr && !*args.v[0])
		rc = err_set(err, ERR_USAGE, "the command's first word is empty");
	err_clear(&why);
	if (rc) {
		strvec_release(&args);
		return rc;
	}
	strvec_release(field);
	*field = args;
	return 0;
}

static int check_range(const struct setting *setting, int64_t number,
		       void (*add)(struct strbuf *, int64_t), struct err *err)
{
	struct strbuf range = STRBUF_INIT;

	if (number >= setting->min && number <= setting->max)
		return 0;
	add(&range, setting->min);
	strbuf_adds(&range, " to ");
	add(&range, setting->max);
	err_set(err, ERR_USAGE, "'%s' must be within %s", setting->key, range.buf);
	strbuf_release(&range);
	return -1;
}

static int set_size(const struct setting *setting, const char *value, int64_t *field,
		    struct err *err)
{
	int64_t bytes;

	if (!strcmp(value, "0"))
		bytes = 0;
	else if (!text_parse_size(value, setting->bare_unit, &bytes))
		return err_set(err, ERR_USAGE, "'%s' must be a size, as in 512MB or 40GB, not '%s'",
			       setting->key, value);
	if (check_range(setting, bytes, text_add_bytes, err))
		return -1;
	*field = bytes;
	return 0;
}

static int set_duration(const struct setting *setting, const char *value, int64_t *field,
			struct err *err)
{
	int64_t ns;

	if (!strcmp(value, "0") || (!setting->min && !strcmp(value, "none")))
		ns = 0;
	else if (!text_parse_duration(value, setting->bare_unit, &ns))
		return err_set(err, ERR_USAGE,
			       "'%s' must be a duration with its unit, as in 250us, 90s or 4h, "
			       "not '%s'",
			       setting->key, value);
	if (check_range(setting, ns, text_add_duration, err))
		return -1;
	*field = ns;
	return 0;
}

static int set_count(const struct setting *setting, const char *value, int64_t *field,
		     struct err *err)
{
	if (text_parse_int(value, setting->min, setting->max, field))
		return 0;
	return err_set(err, ERR_USAGE, "'%s' must be a number from %lld to %lld, not '%s'",
		       setting->key, (long long)setting->min, (long long)setting->max, value);
}

/* Index of `value` in `words`; -1: it is not one of the setting's choices. */
static int find_choice(const struct setting *setting, const char *value, const char *const *words,
		       struct err *err)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; setting->choices[i]; i++)
		if (!strcmp(value, setting->choices[i]))
			for (int at = 0;; at++)
				if (!strcmp(value, words[at]))
					return at;
	for (size_t i = 0; setting->choices[i]; i++)
		strbuf_addf(&sb, "%s%s", i ? ", " : "", setting->choices[i]);
	strbuf_addf(&sb, ", not '%s'", value);
	setting_suggest_choice(setting, value, &sb);
	err_set(err, ERR_USAGE, "'%s' must be one of %s", setting->key, sb.buf);
	strbuf_release(&sb);
	return -1;
}

static int set_choice(const struct setting *setting, const char *value, void *field,
		      struct err *err)
{
	const char *const *words = setting->choices;
	char **word = field;
	int choice;

	if (setting->type == SETTING_STACKS)
		words = stack_words;
	else if (setting->type == SETTING_SYMBOLS)
		words = symbols_words;
	choice = find_choice(setting, value, words, err);
	if (choice < 0)
		return -1;
	if (setting->type == SETTING_STACKS) {
		*(enum stack_mode *)field = (enum stack_mode)choice;
	} else if (setting->type == SETTING_SYMBOLS) {
		*(enum symbols_mode *)field = (enum symbols_mode)choice;
	} else {
		free(*word);
		*word = xstrdup(value);
	}
	return 0;
}

static int set_bool(const struct setting *setting, const char *value, bool *field, struct err *err)
{
	if (!text_parse_bool(value, field))
		return err_set(err, ERR_USAGE, "'%s' must be yes or no, not '%s'", setting->key,
			       value);
	return 0;
}

/* The next word of a list between blanks or commas; NULL at its end. The caller frees it. */
static char *next_word(const char **list)
{
	size_t len;

	*list += strspn(*list, ", \t");
	len = strcspn(*list, ", \t");
	*list += len;
	return len ? xstrndup(*list - len, len) : NULL;
}

static int add_globs(const char *key, const char *value, struct tag_rules *rules, struct err *err)
{
	enum role role;
	int rc = 0;
	char *glob;

	if (!role_parse(key, &role))
		return err_set(err, ERR_USAGE, "unknown role '%s'", key);
	while (!rc && (glob = next_word(&value))) {
		if (strpbrk(glob, "/\\"))
			rc = err_set(err, ERR_USAGE,
				     "'%s' is compared with the last part of a path: leave out the "
				     "directory",
				     glob);
		else
			tag_rules_add(rules, role, glob);
		free(glob);
	}
	return rc;
}

static void add_number(struct config_numbers *numbers, int64_t number)
{
	ARRAY_GROW(numbers->v, numbers->nr + 1, numbers->alloc);
	numbers->v[numbers->nr++] = number;
}

static int add_moment(const struct setting *setting, const char *word,
		      struct config_numbers *moments, struct err *err)
{
	int64_t ns = 0;

	if (strcmp(word, "0") != 0 && !text_parse_duration(word, 0, &ns))
		return err_set(err, ERR_USAGE,
			       "'%s' must be durations with their units, as in 0s, 30s, not '%s'",
			       setting->key, word);
	if (check_range(setting, ns, text_add_duration, err))
		return -1;
	if (moments->nr && ns <= moments->v[moments->nr - 1])
		return err_set(err, ERR_USAGE, "'%s': '%s' is not later than the one before it",
			       setting->key, word);
	add_number(moments, ns);
	return 0;
}

static int add_pid(const struct setting *setting, const char *word, struct config_numbers *pids,
		   struct err *err)
{
	int64_t pid;

	if (!text_parse_int(word, 1, UINT32_MAX, &pid))
		return err_set(err, ERR_USAGE, "'%s' is not a process id", word);
	for (size_t i = 0; i < pids->nr; i++) {
		if (pids->v[i] == pid)
			return err_set(err, ERR_USAGE, "process %s is given twice", word);
	}
	if (pids->nr == (size_t)setting->max)
		return err_set(err, ERR_USAGE,
			       "wpr takes snapshots of at most %d processes at a time",
			       (int)setting->max);
	add_number(pids, pid);
	return 0;
}

static int set_numbers(const struct setting *setting, const char *value,
		       struct config_numbers *field, struct err *err)
{
	int rc = 0;
	char *word;

	while (!rc && (word = next_word(&value))) {
		if (setting->type == SETTING_PIDS)
			rc = add_pid(setting, word, field, err);
		else
			rc = add_moment(setting, word, field, err);
		free(word);
	}
	return rc;
}

bool value_is_image(const char *value)
{
	return !strpbrk(value, "/\\:*?\"<>|") && text_ends_with(value, ".exe") &&
	       strcmp(value, ".exe") != 0 && *value != '-';
}

static int set_image(const char *value, char **field, struct err *err)
{
	if (!value_is_image(value))
		return err_set(err, ERR_USAGE,
			       "'%s' is not the file name of a program, such as rustc.exe", value);
	free(*field);
	*field = xstrdup(value);
	return 0;
}

static int add_toml(const char *key, const char *value, struct strvec *field, struct err *err)
{
	if (*key == '.' || strstr(key, "..") || text_ends_with(key, ".") || strpbrk(key, " \t="))
		return err_set(err, ERR_USAGE, "'%s' is not a key of bootstrap.toml", key);
	if (!*value)
		return err_set(err, ERR_USAGE, "'%s' has no value", key);
	strvec_pushf(field, "%s=%s", key, value);
	return 0;
}

static int add_variable(const char *key, const char *value, struct strvec *field, struct err *err)
{
	const char *name = key + strlen("env.");

	if (strpbrk(name, " \t="))
		return err_set(err, ERR_USAGE, "'%s' is not the name of an environment variable",
			       name);
	strvec_pushf(field, "%s=%s", name, value);
	return 0;
}

static bool may_be_empty(const struct setting *setting)
{
	switch (setting->type) {
	case SETTING_PATH:
		return !setting->fallback;
	case SETTING_COMMAND:
	case SETTING_GATES:
	case SETTING_GLOBS:
	case SETTING_NAMES:
	case SETTING_MOMENTS:
	case SETTING_PIDS:
	case SETTING_TOML: /* has its own message */
	case SETTING_ENV:
		return true;
	default:
		return false;
	}
}

int value_set(const struct setting *setting, const char *key, const char *value, const char *dir,
	      struct config *config, struct err *err)
{
	void *field = (char *)config + setting->offset;
	char *word;

	if (!*value && (setting->required || !may_be_empty(setting)))
		return err_set(err, ERR_USAGE, "'%s' has no value", key);
	switch (setting->type) {
	case SETTING_NAME:
		return set_name(value, field, err);
	case SETTING_PATH:
		if (*value)
			set_path(setting, value, dir, field);
		return 0;
	case SETTING_COMMAND:
		return set_command(value, field, err);
	case SETTING_SIZE:
		return set_size(setting, value, field, err);
	case SETTING_DURATION:
		return set_duration(setting, value, field, err);
	case SETTING_COUNT:
		return set_count(setting, value, field, err);
	case SETTING_BOOL:
		return set_bool(setting, value, field, err);
	case SETTING_WORD:
	case SETTING_STACKS:
	case SETTING_SYMBOLS:
		return set_choice(setting, value, field, err);
	case SETTING_GATES:
		return gates_split(value, field, err);
	case SETTING_GLOBS:
		return add_globs(key, value, field, err);
	case SETTING_IMAGE:
		return set_image(value, field, err);
	case SETTING_NAMES:
		while ((word = next_word(&value)))
			strvec_push_nodup(field, word);
		return 0;
	case SETTING_MOMENTS:
	case SETTING_PIDS:
		return set_numbers(setting, value, field, err);
	case SETTING_TOML:
		return add_toml(key, value, field, err);
	case SETTING_ENV:
		return add_variable(key, value, field, err);
	}
	return 0;
}
