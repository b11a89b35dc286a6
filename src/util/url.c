#include "util/url.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/text.h"
#include "util/utf8.h"

bool url_is_http(const char *text)
{
	return text_starts_with(text, "http://") || text_starts_with(text, "https://");
}

void url_add_host(struct strbuf *sb, const char *url, size_t len)
{
	char *text = xstrndup(url, len);
	char *host = strstr(text, "://"), *end, *user;

	host = host ? host + 3 : text;
	end = host + strcspn(host, "/?#");
	*end = '\0';
	user = strrchr(host, '@');
	if (user)
		memmove(host, user + 1, strlen(user + 1) + 1);
	utf8_add_printable(sb, text);
	free(text);
}

void url_add_part(struct strbuf *sb, const char *part)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~";

	for (; *part; part++) {
		if (strchr(plain, *part))
			strbuf_addc(sb, *part);
		else
			strbuf_addf(sb, "%%%02X", (unsigned char)*part);
	}
}
