#include "util/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/array.h"
#include "util/ascii.h"

struct unit {
	const char *name;
	int64_t value;
};

static const struct unit size_units[] = {
	{ "b", 1 },
	{ "k", 1 << 10 },
	{ "kb", 1 << 10 },
	{ "kib", 1 << 10 },
	{ "m", 1 << 20 },
	{ "mb", 1 << 20 },
	{ "mib", 1 << 20 },
	{ "g", 1 << 30 },
	{ "gb", 1 << 30 },
	{ "gib", 1 << 30 },
	{ "t", INT64_C(1) << 40 },
	{ "tb", INT64_C(1) << 40 },
	{ "tib", INT64_C(1) << 40 },
};

static const struct unit duration_units[] = {
	{ "ns", 1 },
	{ "us", NS_PER_US },
	{ "ms", NS_PER_MS },
	{ "s", NS_PER_S },
	{ "sec", NS_PER_S },
	{ "second", NS_PER_S },
	{ "seconds", NS_PER_S },
	{ "m", 60 * NS_PER_S },
	{ "min", 60 * NS_PER_S },
	{ "minute", 60 * NS_PER_S },
	{ "minutes", 60 * NS_PER_S },
	{ "h", 3600 * NS_PER_S },
	{ "hour", 3600 * NS_PER_S },
	{ "hours", 3600 * NS_PER_S },
	{ "d", 86400 * NS_PER_S },
	{ "day", 86400 * NS_PER_S },
	{ "days", 86400 * NS_PER_S },
};

static const char *skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

/* Digits with at most one point; strtod would also take "inf", "0x1p3" and signs. */
static const char *scan_number(const char *s, double *value)
{
	const char *start = s;
	char digits[40];
	size_t len;

	while (isdigit((unsigned char)*s))
		s++;
	if (*s == '.' && isdigit((unsigned char)s[1])) {
		s++;
		while (isdigit((unsigned char)*s))
			s++;
	}
	len = (size_t)(s - start);
	if (!len || len >= sizeof(digits))
		return NULL;
	memcpy(digits, start, len);
	digits[len] = '\0';
	*value = strtod(digits, NULL);
	return s;
}

static const char *scan_unit(const char *s, const struct unit *units, size_t count, int64_t *value)
{
	char word[16];
	size_t len = 0;

	while (isalpha((unsigned char)s[len]) && len < sizeof(word) - 1)
		len++;
	for (size_t i = 0; i < len; i++)
		word[i] = ascii_lower(s[i]);
	word[len] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(word, units[i].name)) {
			*value = units[i].value;
			return s + len;
		}
	}
	return NULL;
}

/* A term after another: its unit is smaller, its value less than one of the larger unit, and that was a whole number. */
static bool continues(double before, int64_t unit_before, double number, int64_t unit)
{
	return before == floor(before) && unit < unit_before &&
	       number * (double)unit < (double)unit_before;
}

/* One or more "number unit" terms, added up, as in 3m20s but not 3m80s; a bare number may stand alone. */
static bool parse_terms(const char *s, const struct unit *units, size_t count, int64_t bare_unit,
			bool many, int64_t *result)
{
	double total = 0, before = 0;
	int64_t unit_before = 0;
	size_t terms = 0;

	s = skip_blanks(s);
	do {
		int64_t unit;
		double number;

		s = scan_number(s, &number);
		if (!s)
			return false;
		s = skip_blanks(s);
		if (!*s && !terms && bare_unit) {
			unit = bare_unit;
		} else {
			s = scan_unit(s, units, count, &unit);
			if (!s)
				return false;
		}
		if (terms && !continues(before, unit_before, number, unit))
			return false;
		before = number;
		unit_before = unit;
		total += number * (double)unit;
		terms++;
		s = skip_blanks(s);
	} while (*s && many);
	if (*s || total >= 9.2e18)
		return false;
	*result = (int64_t)llround(total);
	return true;
}

bool text_parse_size(const char *s, int64_t bare_unit, int64_t *bytes)
{
	return parse_terms(s, size_units, ARRAY_SIZE(size_units), bare_unit, false, bytes);
}

bool text_parse_duration(const char *s, int64_t bare_unit, int64_t *ns)
{
	return parse_terms(s, duration_units, ARRAY_SIZE(duration_units), bare_unit, true, ns);
}

bool text_parse_moment(const char *s, int64_t *ns)
{
	double part[3] = { 0, 0, 0 }; /* the last one is seconds */
	size_t nr = 0;
	const char *at = skip_blanks(s);
	int64_t total = 0;

	if (!strchr(s, ':'))
		return text_parse_duration(s, NS_PER_S, ns);
	do {
		if (nr && *at++ != ':')
			return false;
		at = scan_number(at, &part[nr++]);
		if (!at || (nr > 1 && part[nr - 1] >= 60))
			return false;
	} while (nr < ARRAY_SIZE(part) && *at == ':');
	if (*skip_blanks(at) || part[0] >= 1e6)
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (i + 1 < nr && part[i] != floor(part[i]))
			return false;
		total = total * 60 + (int64_t)llround(part[i] * NS_PER_S);
	}
	*ns = total;
	return true;
}

bool text_parse_int(const char *s, int64_t min, int64_t max, int64_t *value)
{
	long long number;
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '-')
		return false;
	errno = 0;
	number = strtoll(s, &end, 10);
	if (errno || *end || end == s || number < min || number > max)
		return false;
	*value = number;
	return true;
}

bool text_parse_percent(const char *s, double *percent)
{
	size_t digits = strspn(s, "0123456789"), len = digits;
	double number;

	if (s[len] == '.')
		len += 1 + strspn(s + len + 1, "0123456789");
	if (len <= (digits < len) || strcmp(s + len + (s[len] == '%'), "") != 0)
		return false;
	number = strtod(s, NULL);
	if (!(number >= 0 && number <= 100))
		return false;
	*percent = number;
	return true;
}

bool text_parse_bool(const char *s, bool *value)
{
	static const char *const yes[] = { "yes", "true", "on", "1" };
	static const char *const no[] = { "no", "false", "off", "0" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (text_equal_fold(s, yes[i])) {
			*value = true;
			return true;
		}
		if (text_equal_fold(s, no[i])) {
			*value = false;
			return true;
		}
	}
	return false;
}

/* Gregorian calendar. Years are counted from March, so that the leap day is the last day. */
static int64_t days_since_1970(int year, int month, int day)
{
	int64_t from_march = (month + 9) % 12, y = year - (month < 3);

	return y * 365 + y / 4 - y / 100 + y / 400 + (153 * from_march + 2) / 5 + day - 1 - 719468;
}

bool text_parse_utc(const char *s, int64_t *ns)
{
	int year, month, day, hour, minute, second, used = 0;
	int64_t part = NS_PER_S / 10, more = 0;

	if (sscanf(s, "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second,
		   &used) != 6)
		return false;
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 ||
	    hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
		return false;
	s += used;
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++, part /= 10)
			more += (*s - '0') * part;
	if (strcmp(s, "Z") != 0 || year > 2200)
		return false;
	*ns = ((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
	*ns = *ns * NS_PER_S + more;
	return true;
}

void text_add_int(struct strbuf *sb, int64_t value)
{
	uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	char digits[24]; /* of 64 bits, with a sign */
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + left % 10);
	while (left /= 10);
	if (value < 0)
		digits[--at] = '-';
	strbuf_add(sb, digits + at, sizeof(digits) - at);
}

void text_add_fixed(struct strbuf *sb, double value, int digits)
{
	static const uint32_t scales[] = { 1, 10, 100 };
	double scaled = fabs(value) * scales[digits], part = scaled - floor(scaled);
	char text[24];
	size_t at = sizeof(text);
	uint64_t left;

	/* Near a half the error of the product could decide. */
	if (!(scaled < 1e12) || fabs(part - 0.5) < 1e-3) {
		strbuf_addf(sb, "%.*f", digits, value);
		return;
	}
	left = (uint64_t)scaled + (part > 0.5);
	for (int i = 0; i <= digits || left; i++, left /= 10) {
		if (digits && i == digits)
			text[--at] = '.';
		text[--at] = (char)('0' + left % 10);
	}
	if (signbit(value))
		text[--at] = '-';
	strbuf_add(sb, text + at, sizeof(text) - at);
}

void text_add_percent(struct strbuf *sb, double percent)
{
	if (percent == 0 || fabs(percent) >= 0.05)
		text_add_fixed(sb, percent, 1);
	else
		strbuf_adds(sb, percent < 0 ? ">-0.1" : "<0.1");
}

static void add_scaled(struct strbuf *sb, double value, const char *unit)
{
	double size = fabs(value);

	text_add_fixed(sb, value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
	strbuf_addc(sb, ' ');
	strbuf_adds(sb, unit);
}

void text_add_hex(struct strbuf *sb, const void *bytes, size_t nr)
{
	const unsigned char *s = bytes;

	for (size_t i = 0; i < nr; i++)
		strbuf_addf(sb, "%02x", s[i]);
}

bool text_parse_hex(const char *s, void *bytes, size_t max, size_t *nr)
{
	unsigned char *to = bytes;
	size_t len = strlen(s);

	if (len % 2 || len / 2 > max)
		return false;
	for (size_t i = 0; i < len / 2; i++) {
		int high = ascii_hex_digit(s[2 * i]), low = ascii_hex_digit(s[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		to[i] = (unsigned char)(high << 4 | low);
	}
	*nr = len / 2;
	return true;
}

void text_add_bytes(struct strbuf *sb, int64_t bytes)
{
	static const char *const units[] = { "B", "KB", "MB", "GB", "TB", "PB", "EB" };
	double value = (double)bytes;
	size_t unit = 0;

	while (fabs(value) >= 999.5 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1024;
		unit++;
	}
	if (!unit)
		strbuf_addf(sb, "%lld B", (long long)bytes);
	else
		add_scaled(sb, value, units[unit]);
}

void text_add_duration(struct strbuf *sb, int64_t ns)
{
	int64_t seconds = ns / NS_PER_S + (ns % NS_PER_S >= NS_PER_S / 2);

	/* The limits are the values that would be rounded up to the next unit. */
	if (!ns) {
		strbuf_adds(sb, "0 s");
	} else if (ns < 0) {
		strbuf_addc(sb, '-');
		text_add_duration(sb, ns == INT64_MIN ? INT64_MAX : -ns);
	} else if (ns < NS_PER_US) {
		strbuf_addf(sb, "%lld ns", (long long)ns);
	} else if (ns < NS_PER_MS - NS_PER_US / 2) {
		add_scaled(sb, (double)ns / 1e3, "us");
	} else if (ns < NS_PER_S - NS_PER_MS / 2) {
		add_scaled(sb, (double)ns / 1e6, "ms");
	} else if (ns < 99 * NS_PER_S + NS_PER_S / 2) {
		add_scaled(sb, (double)ns / 1e9, "s");
	} else if (seconds < 3600) {
		strbuf_addf(sb, "%dm %02ds", (int)(seconds / 60), (int)(seconds % 60));
	} else {
		strbuf_addf(sb, "%lldh %02dm %02ds", (long long)(seconds / 3600),
			    (int)(seconds / 60 % 60), (int)(seconds % 60));
	}
}

void text_add_moment(struct strbuf *sb, int64_t ns)
{
	int64_t seconds = ns / NS_PER_S, rest = ns % NS_PER_S;

	if (seconds >= 3600)
		strbuf_addf(sb, "%lldh", (long long)(seconds / 3600));
	if (seconds >= 60)
		strbuf_addf(sb, seconds >= 3600 ? "%02dm" : "%dm", (int)(seconds / 60 % 60));
	strbuf_addf(sb, seconds >= 60 ? "%02d" : "%d", (int)(seconds % 60));
	if (rest > 0) {
		strbuf_addf(sb, ".%09d", (int)rest);
		while (sb->buf[sb->len - 1] == '0')
			strbuf_set_len(sb, sb->len - 1);
	}
	strbuf_addc(sb, 's');
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t text_distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b), width = lb + 1, result;
	size_t *d = xcalloc((la + 1) * width, sizeof(*d));

	for (size_t i = 0; i <= la; i++)
		d[i * width] = i;
	for (size_t j = 0; j <= lb; j++)
		d[j] = j;
	for (size_t i = 1; i <= la; i++) {
		for (size_t j = 1; j <= lb; j++) {
			size_t cost = ascii_lower(a[i - 1]) != ascii_lower(b[j - 1]);
			size_t best = least(d[(i - 1) * width + j] + 1, d[i * width + j - 1] + 1);

			best = least(best, d[(i - 1) * width + j - 1] + cost);
			if (i > 1 && j > 1 && ascii_lower(a[i - 1]) == ascii_lower(b[j - 2]) &&
			    ascii_lower(a[i - 2]) == ascii_lower(b[j - 1]))
				best = least(best, d[(i - 2) * width + j - 2] + 1);
			d[i * width + j] = best;
		}
	}
	result = d[la * width + lb];
	free(d);
	return result;
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
	const char *nearest = NULL;
	size_t best = strlen(word) / 3 + 2;

	if (strlen(word) > 64)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t distance = text_distance(word, candidates[i]);

		if (distance < best && distance < strlen(candidates[i])) {
			best = distance;
			nearest = candidates[i];
		}
	}
	return nearest;
}

bool text_glob(const char *pattern, const char *s, bool fold)
{
	const char *star = NULL, *retry = NULL;

	while (*s) {
		bool same = *pattern &&
			    (fold ? ascii_lower(*pattern) == ascii_lower(*s) : *pattern == *s);

		if (*pattern == '*') {
			star = ++pattern;
			retry = s;
		} else if (same || *pattern == '?') {
			pattern++;
			s++;
		} else if (star) {
			pattern = star;
			s = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool text_equal_fold(const char *a, const char *b)
{
	while (*a && ascii_lower(*a) == ascii_lower(*b)) {
		a++;
		b++;
	}
	return *a == *b;
}

bool text_has_word(const char *words, const char *word)
{
	size_t len = strlen(word), next;

	for (; *words; words += next + (words[next] == ' ')) {
		next = strcspn(words, " ");
		if (next == len && !memcmp(words, word, len))
			return true;
	}
	return false;
}

const char *text_file_name(const char *path)
{
	const char *name = path;

	for (const char *s = path; *s; s++) {
		if ((*s == '/' || *s == '\\') && s[1])
			name = s + 1;
	}
	return name;
}

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

bool text_is_local_path(const char *path)
{
	if (!*path || strstr(path, "://"))
		return false;
	/* Two separators, or the names of Windows' own objects: \??\, \.\ */
	return !is_separator(path[0]) || !(is_separator(path[1]) || path[1] == '?' ||
					   (path[1] == '.' && is_separator(path[2])));
}

bool text_starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool text_ends_with(const char *s, const char *suffix)
{
	size_t ls = strlen(s), lx = strlen(suffix);

	return ls >= lx && !strcmp(s + ls - lx, suffix);
}
