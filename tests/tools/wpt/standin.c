#include "tools/wpt/standin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/wpt/port.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"
#include "util/utf8.h"

/* Variables whose values are written to the log. */
static const char *const logged_variables[] = { "_NT_SYMBOL_PATH", "_NT_SYMCACHE_PATH" };

static const struct {
	uint32_t code;
	const char *text;
} texts[] = {
	{ E_NOT_RUNNING, "There are no trace profiles running." },
	{ E_ALREADY_RUNNING, "The profiles are already running." },
	{ E_COLLECTOR_IN_USE, "The event collector was already running." },
	{ 0xc558300c, "A runtime state provider is not running." },
	{ E_NO_PROVIDERS, "An Event session cannot be started without any providers." },
	{ E_BAD_PROFILE, "The profile file does not conform to the schema." },
	{ E_PROFILE_POLICY, "Failed to enable the policy to profile system performance." },
	{ E_SYNTAX, "Invalid command syntax." },
	{ E_ACCESS, "Access is denied." },
	{ 0x80010106, "Cannot change thread mode after it is set." },
	{ E_NO_RESOURCES,
	  "Insufficient system resources exist to complete the requested service." },
	{ E_NO_MEMORY, "Not enough memory resources are available to process this command." },
	{ E_EXISTS, "Cannot create a file when that file already exists." },
	{ E_INSTANCE_GONE,
	  "The instance name passed was not recognized as valid by a WMI data provider." },
	{ 0x80070032, "The request is not supported." },
	{ 0x800705b4, "This operation returned because the timeout period expired." },
	{ E_BAD_FLAGS, "Invalid flags." },
	{ E_UNEXPECTED, "Catastrophic failure" },
	{ E_NO_FILE, "The system cannot find the file specified." },
	{ E_NO_PATH, "The system cannot find the path specified." },
	{ E_PATH_TOO_LONG, "The filename or extension is too long." },
	{ E_BAD_ARGUMENT, "The parameter is incorrect." },
	{ E_DISK_FULL, "There is not enough space on the disk." },
	{ E_NOT_FOUND, "Element not found." },
	{ E_CANCELLED, "The operation was canceled by the user." },
};

const char *standin_text(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].code == code)
			return texts[i].text;
	return "Unspecified error";
}

uint32_t standin_code_of_errno(void)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		return E_NO_PATH;
	case ENOSPC:
		return E_DISK_FULL;
	case ENAMETOOLONG:
		return E_PATH_TOO_LONG;
	default:
		return E_ACCESS;
	}
}

bool standin_is_number(const char *s, int64_t min, int64_t max, int64_t *value)
{
	return text_parse_int(s, min, max, value);
}

int64_t standin_number(const char *variable, int64_t otherwise)
{
	char *value = port_env(variable);
	int64_t number = otherwise;

	if (value && !standin_is_number(value, INT64_MIN, INT64_MAX, &number)) {
		fprintf(stderr, "stand-in: %s is no number: '%s'\n", variable, value);
		port_exit(E_UNEXPECTED);
	}
	free(value);
	return number;
}

/* "wpr:stop:crash-mid#2 wpr:start:sleep=3": words, of the variable and of the file `faults`. */
static void add_faults(struct standin *s, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " \r\n\t,");

		if (len)
			strvec_push_nodup(&s->faults, xstrndup(text, len));
		text += len;
		text += *text != '\0';
	}
}

static void read_faults(struct standin *s)
{
	char *path = xasprintf("%s%cfaults", s->dir, PORT_SEPARATOR);
	char *variable = port_env("STANDIN_FAULT");
	struct strbuf file = STRBUF_INIT;

	if (variable)
		add_faults(s, variable);
	if (standin_read(path, &file) == 0)
		add_faults(s, file.buf);
	strbuf_release(&file);
	free(variable);
	free(path);
}

static char *choose_dir(void)
{
	static const char *const variables[] = { "STANDIN_STATE", "TMPDIR", "TEMP" };
	char *base = NULL, *dir;

	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		base = port_env(variables[i]);
		if (base && i == 0)
			return base;
		if (base)
			break;
	}
	dir = xasprintf("%s%cstandin-wpt", base ? base : "/tmp", PORT_SEPARATOR);
	free(base);
	return dir;
}

void standin_begin(struct standin *s, const char *tool, const char *version_variable,
		   const char *version, int argc, char **argv)
{
	char *asked = port_env(version_variable);
	unsigned v[4] = { 0, 0, 0, 1 };

	*s = (struct standin){ .tool = tool, .args = STRVEC_INIT, .notes = STRBUF_INIT };
	s->faults = (struct strvec)STRVEC_INIT;
	port_arguments(argc, argv, &s->args);
	s->dir = choose_dir();
	if (sscanf(asked ? asked : version, "%u.%u.%u.%u", &v[0], &v[1], &v[2], &v[3]) < 3) {
		fprintf(stderr, "stand-in: %s is no version: '%s'\n", version_variable, asked);
		port_exit(E_UNEXPECTED);
	}
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		s->version[i] = v[i];
	s->build = v[2];
	s->elevated = standin_number("STANDIN_ELEVATED", 1) == 1;
	s->strict = standin_number("STANDIN_STRICT", 1) == 1;
	read_faults(s);
	free(asked);
}

static void add_json(struct strbuf *line, const char *s)
{
	struct strbuf clean = STRBUF_INIT;

	utf8_add_clean(&clean, s, strlen(s));
	strbuf_addc(line, '"');
	for (const char *at = clean.buf; *at; at++) {
		if (*at == '"' || *at == '\\')
			strbuf_addf(line, "\\%c", *at);
		else if ((unsigned char)*at < 0x20)
			strbuf_addf(line, "\\u%04x", (unsigned)(unsigned char)*at);
		else
			strbuf_addc(line, *at);
	}
	strbuf_addc(line, '"');
	strbuf_release(&clean);
}

void standin_note(struct standin *s, const char *key, const char *value)
{
	strbuf_adds(&s->notes, ", ");
	add_json(&s->notes, key);
	strbuf_adds(&s->notes, ": ");
	add_json(&s->notes, value);
}

static void add_environment(struct strbuf *line)
{
	const char *between = "";

	strbuf_adds(line, ", \"env\": {");
	for (size_t i = 0; i < ARRAY_SIZE(logged_variables); i++) {
		char *value = port_env(logged_variables[i]);

		if (!value)
			continue;
		strbuf_adds(line, between);
		add_json(line, logged_variables[i]);
		strbuf_adds(line, ": ");
		add_json(line, value);
		free(value);
		between = ", ";
	}
	strbuf_adds(line, "}");
}

static void write_line(const struct strbuf *line)
{
	char *path = port_env("STANDIN_LOG");
	FILE *f = path ? port_open(path, "ab") : NULL;

	if (f) {
		fwrite(line->buf, 1, line->len, f);
		fclose(f);
	}
	free(path);
}

void standin_log(const struct standin *s, const char *end, uint32_t code)
{
	struct strbuf line = STRBUF_INIT;
	char *cwd = port_absolute(".");

	strbuf_addf(&line, "{\"tool\": \"%s\", \"argv\": [", s->tool);
	for (size_t i = 0; i < s->args.nr; i++) {
		strbuf_adds(&line, i ? ", " : "");
		add_json(&line, s->args.v[i]);
	}
	strbuf_addf(&line, "], \"end\": \"%s\", \"code\": \"0x%08x\", \"pid\": %u, \"cwd\": ", end,
		    (unsigned)code, (unsigned)port_pid());
	add_json(&line, cwd);
	strbuf_addf(&line, ", \"streams\": [\"%s\", \"%s\", \"%s\"]", port_stream(0),
		    port_stream(1), port_stream(2));
	add_environment(&line);
	strbuf_adds(&line, s->notes.buf);
	strbuf_adds(&line, "}\n");
	write_line(&line);
	strbuf_release(&line);
	free(cwd);
}

noreturn void standin_end(struct standin *s, uint32_t code)
{
	standin_log(s, "exit", code);
	port_exit(code);
}

/* The fault's argument, where it is for this tool, verb and, by its #, this call of the verb. */
static const char *match_fault(const struct standin *s, const char *fault, const char *verb,
			       const char *action, int64_t call)
{
	size_t length = strlen(action);
	char *want = xasprintf("%s:%s:", s->tool, verb);
	bool mine = text_starts_with(fault, want);
	const char *rest = fault + strlen(want), *number = strchr(fault, '#');

	free(want);
	if (!mine || strncmp(rest, action, length) != 0 || !strchr("=#", rest[length]))
		return NULL;
	if (number && strtoll(number + 1, NULL, 10) != call)
		return NULL;
	return rest[length] == '=' ? rest + length + 1 : "";
}

static int64_t call_number(const struct standin *s)
{
	const char *dash = s->verb ? strchr(s->verb, '#') : NULL;

	return dash ? strtoll(dash + 1, NULL, 10) : 0;
}

static const char *find_fault(const struct standin *s, const char *verb, const char *action)
{
	for (size_t i = 0; i < s->faults.nr; i++) {
		const char *found = match_fault(s, s->faults.v[i], verb, action, call_number(s));

		if (found)
			return found;
	}
	return NULL;
}

const char *standin_session_fault(const struct standin *s, const char *action)
{
	return find_fault(s, "session", action);
}

const char *standin_fault(const struct standin *s, const char *action)
{
	char *verb = xstrndup(s->verb, strcspn(s->verb, "#"));
	const char *found = find_fault(s, verb, action);

	free(verb);
	return found;
}

static int64_t count_call(const struct standin *s, const char *verb)
{
	char *name = xasprintf("%s:%s", s->tool, verb);
	struct state state;
	struct record *calls;
	int64_t nr;

	state_open(&state, s->dir);
	calls = state_find(&state, "calls", "verb", name);
	if (!calls) {
		calls = state_add(&state, "calls");
		record_set(calls, "verb", name);
	}
	nr = record_number(calls, "count") + 1;
	record_set_number(calls, "count", nr);
	state_save(&state);
	free(name);
	return nr;
}

/* For so many seconds, or until the file `go` is in the directory of the state. */
static void stay(const struct standin *s, const char *seconds)
{
	int64_t end = port_ticks() + (int64_t)(strtod(seconds, NULL) * 1e7);
	char *go = xasprintf("%s%cgo", s->dir, PORT_SEPARATOR);

	while (port_ticks() < end && !port_is_file(go))
		port_sleep_ms(20);
	free(go);
}

int standin_verb(struct standin *s, const char *verb, uint32_t *code)
{
	const char *argument;

	s->verb = xasprintf("%s#%lld", verb, (long long)count_call(s, verb));
	standin_pass(s, "before");
	argument = standin_fault(s, "sleep");
	if (argument)
		stay(s, argument);
	argument = standin_fault(s, "code");
	if (!argument)
		return 0;
	*code = (uint32_t)strtoul(argument, NULL, 16);
	return -1;
}

void standin_pass(struct standin *s, const char *place)
{
	char *hang = xasprintf("hang-%s", place), *crash = xasprintf("crash-%s", place);

	if (standin_fault(s, crash)) {
		standin_log(s, crash, 0);
		port_crash();
	}
	if (standin_fault(s, hang)) {
		standin_log(s, hang, 0);
		fflush(stdout);
		for (;;)
			port_sleep_ms(1000);
	}
	free(crash);
	free(hang);
}

int standin_write(const struct standin *s, const char *path, const void *data, size_t len)
{
	bool full = standin_fault(s, "nospace");
	FILE *f = port_open(path, "wb");
	int reason = 0;

	if (!f)
		return -1;
	if (fwrite(data, 1, full ? len / 2 : len, f) != (full ? len / 2 : len))
		reason = errno ? errno : EIO;
	if (fclose(f) != 0 && !reason)
		reason = errno ? errno : EIO;
	errno = full ? ENOSPC : reason;
	return errno ? -1 : 0;
}

int standin_read(const char *path, struct strbuf *data)
{
	FILE *f = port_is_file(path) ? port_open(path, "rb") : NULL;
	char part[4096];
	size_t got;

	if (!f)
		return -1;
	while ((got = fread(part, 1, sizeof(part), f)) > 0)
		strbuf_add(data, part, got);
	got = (size_t)ferror(f);
	fclose(f);
	return got ? -1 : 0;
}
