#include "util/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/strbuf.h"

static void replace(struct err *err, enum err_code code, struct strbuf *msg)
{
	free(err->msg);
	err->code = code;
	err->msg = strbuf_detach(msg);
}

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	struct strbuf msg = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&msg, fmt, ap);
	va_end(ap);
	replace(err, code, &msg);
	return -1;
}

static bool is_no_space(int errnum)
{
#ifdef EDQUOT
	if (errnum == EDQUOT)
		return true;
#endif
	return errnum == ENOSPC;
}

int err_set_errno(struct err *err, int errnum, const char *fmt, ...)
{
	struct strbuf msg = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&msg, fmt, ap);
	va_end(ap);
	strbuf_addf(&msg, ": %s", strerror(errnum));
	replace(err, is_no_space(errnum) ? ERR_NO_SPACE : ERR_FAILED, &msg);
	return -1;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	struct strbuf msg = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(&msg, fmt, ap);
	va_end(ap);
	strbuf_addf(&msg, ": %s", err->msg ? err->msg : "unknown error");
	replace(err, err->code ? err->code : ERR_FAILED, &msg);
	return -1;
}

int err_append(struct err *err, const char *text)
{
	struct strbuf msg = STRBUF_INIT;

	strbuf_adds(&msg, err->msg ? err->msg : "unknown error");
	strbuf_adds(&msg, text);
	replace(err, err->code ? err->code : ERR_FAILED, &msg);
	return -1;
}

int err_replace(struct err *err, const char *part, const char *with)
{
	struct strbuf msg = STRBUF_INIT;
	const char *text = err->msg ? err->msg : "", *at;

	for (; (at = strstr(text, part)); text = at + strlen(part)) {
		strbuf_add(&msg, text, (size_t)(at - text));
		strbuf_adds(&msg, with);
	}
	strbuf_adds(&msg, text);
	replace(err, err->code ? err->code : ERR_FAILED, &msg);
	return -1;
}

void err_clear(struct err *err)
{
	free(err->msg);
	err->msg = NULL;
	err->code = ERR_NONE;
}
