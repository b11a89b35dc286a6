/*
 * Fetches debug files by build id from debuginfod servers, with elfutils' libdebuginfod. It is loaded when a server
 * is opened: no other use of this program needs it, or libcurl, or can reach a network.
 */
#ifndef PLATFORM_DEBUG_SERVER_H
#define PLATFORM_DEBUG_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"
#include "util/progress.h"
#include "util/strbuf.h"

struct debug_server;

/*
 * The servers of DEBUGINFOD_URLS; nothing is asked yet. ERR_USAGE: it is not set; ERR_UNSUPPORTED: there is no
 * libdebuginfod, as on Windows. `progress` (may be NULL) is in bytes, and is all done at the end of each file.
 */
int debug_server_open(const struct progress *progress, struct debug_server **server,
		      struct err *err);
void debug_server_close(struct debug_server *server);

/*
 * The path of the debug file with a build id, in the cache of libdebuginfod, which the caller frees. What is in the file is
 * not checked. ERR_NOT_FOUND: the servers answer that they do not have it; ERR_UNSUPPORTED, ERR_CORRUPT: it is too large,
 * or was not sent to its end; ERR_FAILED: the servers do not answer, or are too slow. One thread at a time.
 */
int debug_server_fetch(struct debug_server *server, const uint8_t *id, size_t nr, char **path,
		       struct err *err);

/* Append which server has answered last, else all: for messages, without user and password of a URL. */
void debug_server_name(const struct debug_server *server, struct strbuf *sb);

#endif
