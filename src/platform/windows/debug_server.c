#include "platform/debug_server.h"

int debug_server_open(const struct progress *progress, struct debug_server **server,
		      struct err *err)
{
	(void)progress;
	(void)server;
	return err_set(err, ERR_UNSUPPORTED,
		       "not available on Windows, where no ELF files are read: debug files of a "
		       "Linux trace are fetched on Linux");
}

void debug_server_close(struct debug_server *server)
{
	(void)server;
}

int debug_server_fetch(struct debug_server *server, const uint8_t *id, size_t nr, char **path,
		       struct err *err)
{
	(void)server;
	(void)id;
	(void)nr;
	(void)path;
	return err_set(err, ERR_UNSUPPORTED, "not available on Windows");
}

void debug_server_name(const struct debug_server *server, struct strbuf *sb)
{
	(void)server;
	(void)sb;
}
