/*
 * Settings are registry values, in the 64-bit view.
 *
 * "no key" means that the key did not exist: restoring removes the value, and the key if it is empty then.
 */
#include "platform/setting.h"

#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "platform/windows/wide.h"
#include "platform/windows/win32_error.h"
#include "util/alloc.h"
#include "util/text.h"

#define NO_VALUE "none"
#define NO_KEY   "no key"
#define TEXT_MAX 4096

/* The location of a setting in the registry. */
struct location {
	HKEY root;
	wchar_t *key, *value;
};

static bool find_location(const char *name, struct location *location)
{
	const char *key = strchr(name, '\\'), *value = strrchr(name, '\\');
	char *path;

	if (!key || key == value || !value[1])
		return false;
	if (text_starts_with(name, "HKLM\\"))
		location->root = HKEY_LOCAL_MACHINE;
	else if (text_starts_with(name, "HKCU\\"))
		location->root = HKEY_CURRENT_USER;
	else
		return false;
	path = xstrndup(key + 1, (size_t)(value - key - 1));
	location->key = wide_from_utf8(path);
	location->value = wide_from_utf8(value + 1);
	free(path);
	return true;
}

static void release_location(struct location *location)
{
	free(location->key);
	free(location->value);
}

static int no_place(const char *name, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "'%s' is not a registry value", name);
}

static int add_value(const char *name, DWORD type, const void *data, DWORD size,
		     struct strbuf *value, struct err *err)
{
	char *text;

	if (type == REG_DWORD && size == sizeof(DWORD)) {
		strbuf_addf(value, "dword:%lu", *(const DWORD *)data);
		return 0;
	}
	if (type != REG_SZ)
		return err_set(err, ERR_UNSUPPORTED, "'%s' is neither a number nor a string", name);
	text = wide_to_utf8_len(data, wcsnlen(data, size / sizeof(wchar_t)));
	strbuf_addf(value, "sz:%s", text);
	free(text);
	return 0;
}

static int read_value(HKEY key, const char *name, const wchar_t *value_name, struct strbuf *value,
		      struct err *err)
{
	unsigned char data[TEXT_MAX];
	DWORD type = REG_NONE, size = sizeof(data);
	LSTATUS status = RegQueryValueExW(key, value_name, NULL, &type, data, &size);

	if (status == ERROR_FILE_NOT_FOUND) {
		strbuf_adds(value, NO_VALUE);
		return 0;
	}
	if (status)
		return err_set_win32(err, (unsigned long)status, "cannot read '%s'", name);
	return add_value(name, type, data, size, value, err);
}

int setting_read(const char *name, struct strbuf *value, struct err *err)
{
	struct location location;
	LSTATUS status;
	HKEY key;
	int rc = 0;

	if (!find_location(name, &location))
		return no_place(name, err);
	status = RegOpenKeyExW(location.root, location.key, 0, KEY_QUERY_VALUE | KEY_WOW64_64KEY,
			       &key);
	if (status == ERROR_FILE_NOT_FOUND) {
		strbuf_adds(value, NO_KEY);
	} else if (status) {
		rc = err_set_win32(err, (unsigned long)status, "cannot read '%s'", name);
	} else {
		rc = read_value(key, name, location.value, value, err);
		RegCloseKey(key);
	}
	release_location(&location);
	return rc;
}

static bool is_empty(HKEY key)
{
	DWORD keys = 0, values = 0;

	return !RegQueryInfoKeyW(key, NULL, NULL, NULL, &keys, NULL, NULL, &values, NULL, NULL,
				 NULL, NULL) &&
	       !keys && !values;
}

static LSTATUS remove_value(const struct location *location, bool with_key)
{
	bool empty;
	HKEY key;
	LSTATUS status = RegOpenKeyExW(location->root, location->key, 0,
				       KEY_QUERY_VALUE | KEY_SET_VALUE | KEY_WOW64_64KEY, &key);

	if (status)
		return status == ERROR_FILE_NOT_FOUND ? 0 : status;
	status = RegDeleteValueW(key, location->value);
	empty = is_empty(key);
	RegCloseKey(key);
	if (status && status != ERROR_FILE_NOT_FOUND)
		return status;
	return with_key && empty
		       ? RegDeleteKeyExW(location->root, location->key, KEY_WOW64_64KEY, 0)
		       : 0;
}

static LSTATUS set_value(const struct location *location, DWORD type, const void *data, size_t size)
{
	LSTATUS status;
	HKEY key;

	status = RegCreateKeyExW(location->root, location->key, 0, NULL, 0,
				 KEY_SET_VALUE | KEY_WOW64_64KEY, NULL, &key, NULL);
	if (status)
		return status;
	status = RegSetValueExW(key, location->value, 0, type, data, (DWORD)size);
	RegCloseKey(key);
	return status;
}

static LSTATUS set_text(const struct location *location, const char *text)
{
	wchar_t *wide = wide_from_utf8(text);
	LSTATUS status = set_value(location, REG_SZ, wide, (wcslen(wide) + 1) * sizeof(*wide));

	free(wide);
	return status;
}

static LSTATUS write_value(const struct location *location, const char *value)
{
	int64_t number;
	DWORD dword;

	if (!strcmp(value, NO_VALUE) || !strcmp(value, NO_KEY))
		return remove_value(location, !strcmp(value, NO_KEY));
	if (text_starts_with(value, "sz:"))
		return set_text(location, value + strlen("sz:"));
	if (!text_starts_with(value, "dword:") ||
	    !text_parse_int(value + strlen("dword:"), 0, UINT32_MAX, &number))
		return ERROR_INVALID_DATA;
	dword = (DWORD)number;
	return set_value(location, REG_DWORD, &dword, sizeof(dword));
}

int setting_write(const char *name, const char *value, struct err *err)
{
	struct location location;
	LSTATUS status;

	if (!find_location(name, &location))
		return no_place(name, err);
	status = write_value(&location, value);
	release_location(&location);
	if (!status)
		return 0;
	return err_set_win32(err, (unsigned long)status, "cannot write '%s' to '%s'", value, name);
}
