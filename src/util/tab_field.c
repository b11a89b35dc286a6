#include "util/tab_field.h"

#include <string.h>

void tab_field_add(struct strbuf *sb, const char *s)
{
	size_t plain;

	for (; *s; s += plain) {
		plain = strcspn(s, "\\\t\n");
		strbuf_add(sb, s, plain);
		if (s[plain]) {
			strbuf_addc(sb, '\\');
			strbuf_addc(sb, s[plain] == '\t' ? 't' : s[plain] == '\n' ? 'n' : '\\');
			plain++;
		}
	}
}

bool tab_field_decode(char *s)
{
	char *to = s;

	if (!*s)
		return false;
	if (!strchr(s, '\\'))
		return true;
	for (; *s; s++) {
		char c = *s;

		if (c == '\\') {
			s++;
			if (*s != '\\' && *s != 't' && *s != 'n')
				return false;
			c = *s == 't' ? '\t' : *s == 'n' ? '\n' : '\\';
		}
		*to++ = c;
	}
	*to = '\0';
	return true;
}
