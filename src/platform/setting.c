#include "platform/setting.h"

#include <string.h>

#include "util/quote.h"
#include "util/text.h"

static void add_echo(struct strbuf *sb, const char *path, const char *value)
{
	struct strvec words = STRVEC_INIT;

	strvec_push(&words, value);
	strbuf_adds(sb, "echo ");
	quote_add_shell(sb, &words);
	strvec_release(&words);
	strvec_push(&words, path);
	strbuf_adds(sb, " >");
	quote_add_shell(sb, &words);
	strvec_release(&words);
}

static void add_reg(struct strbuf *sb, const char *name, const char *value)
{
	const char *slash = strrchr(name, '\\');
	int len = slash ? (int)(slash - name) : 0;
	const char *colon = strchr(value, ':');
	bool number = text_starts_with(value, "dword:");

	if (!colon)
		strbuf_addf(sb, "reg delete \"%.*s\" /v %s /f", len, name, name + len + 1);
	else
		strbuf_addf(sb, "reg add \"%.*s\" /v %s /t %s /d \"%s\" /f", len, name,
			    name + len + 1, number ? "REG_DWORD" : "REG_SZ", colon + 1);
}

void setting_add_command(struct strbuf *sb, const char *name, const char *value)
{
	if (*name == '/')
		add_echo(sb, name, value);
	else
		add_reg(sb, name, value);
}
