#include "platform/http.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "platform/clock.h"
#include "platform/shared_library.h"
#include "util/alloc.h"
#include "util/text.h"

#define REDIRECTIONS 5

/* The part of libcurl's interface (curl/curl.h, stable since 7.61) that is used. */
enum {
	OPT_WRITEDATA = 10001,
	OPT_URL = 10002,
	OPT_RANGE = 10007,
	OPT_ERRORBUFFER = 10010,
	OPT_USERAGENT = 10018,
	OPT_LOW_SPEED_LIMIT = 19,
	OPT_LOW_SPEED_TIME = 20,
	OPT_HEADERDATA = 10029,
	OPT_NOPROGRESS = 43,
	OPT_FOLLOWLOCATION = 52,
	OPT_XFERINFODATA = 10057,
	OPT_SHARE = 10100,
	OPT_MAXREDIRS = 68,
	OPT_NOSIGNAL = 99,
	OPT_CONNECTTIMEOUT_MS = 156,
	OPT_PROTOCOLS = 181,
	OPT_REDIR_PROTOCOLS = 182,
	OPT_WRITEFUNCTION = 20011,
	OPT_HEADERFUNCTION = 20079,
	OPT_XFERINFOFUNCTION = 20219,
};

enum { SHARE_ADD = 1, SHARED_DNS = 3, SHARED_SSL_SESSION, SHARED_CONNECT };
enum { INFO_RESPONSE_CODE = 0x200002, INFO_CONTENT_LENGTH = 0x60000f };
enum { REFUSALS = 400 }; /* and above: of HTTP */
enum { PROTOCOL_HTTP = 1, PROTOCOL_HTTPS = 2 };
enum {
	CURL_HTTP2 = 16, /* the connection: its frames are wrong, or it went away */
	CURL_PARTIAL = 18,
	CURL_TIMEOUT = 28,
	CURL_RECV = 56,
	CURL_HTTP2_STREAM = 92, /* the answer alone was given up */
	CURL_HTTP3 = 95,
};

#define ERROR_BYTES 256

/* The page of a refusal is read to its end up to this length, so that the connection can be used again. */
#define PAGE_BYTES 65536

/*
 * Each request has a handle of its own: before 8.1.1 an answer whose first header is a continuation line makes libcurl use
 * a header of the handle's answer before, which is freed (https://github.com/curl/curl/issues/11101).
 */
struct http {
	void *(*init)(void);
	void (*cleanup)(void *curl);
	int (*setopt)(void *curl, int option, ...);
	int (*perform)(void *curl);
	int (*getinfo)(void *curl, int info, ...);
	const char *(*strerror)(int code);
	void *(*share_init)(void);
	int (*share_setopt)(void *share, int option, ...);
	int (*share_cleanup)(void *share);
	void *share; /* connections, which outlive requests */
	void *curl;  /* of the request that is made; else NULL */
};

/* One answer while it arrives. */
struct answer {
	const struct http *http;
	const struct http_sink *sink;
	uint64_t from;
	int64_t range_from, range_total; /* of Content-Range; -1: none */
	bool begun, stopped;
	size_t page; /* bytes of the page that a refusal has */
	struct err *err;
};

static int load(struct http *http, struct err *err)
{
	static const char *const files[] = { "libcurl.so.4", "libcurl-gnutls.so.4",
					     "libcurl-nss.so.4", NULL };
	const struct library_function functions[] = {
		{ "curl_easy_init", &http->init },
		{ "curl_easy_cleanup", &http->cleanup },
		{ "curl_easy_setopt", &http->setopt },
		{ "curl_easy_perform", &http->perform },
		{ "curl_easy_getinfo", &http->getinfo },
		{ "curl_easy_strerror", &http->strerror },
		{ "curl_share_init", &http->share_init },
		{ "curl_share_setopt", &http->share_setopt },
		{ "curl_share_cleanup", &http->share_cleanup },
		{ NULL, NULL },
	};
	const struct shared_library shared = { "libcurl",
					       "Debian: the package libcurl4 or libcurl3-gnutls",
					       files, functions };

	return shared_library_load(&shared, err);
}

static int refuse(struct err *err)
{
	return err_set(err, ERR_FAILED, "libcurl cannot be used: it failed to start");
}

int http_open(struct http **http, struct err *err)
{
	struct http *opened = xcalloc(1, sizeof(*opened));

	if (load(opened, err)) {
		free(opened);
		return -1;
	}
	opened->share = opened->share_init();
	if (!opened->share) {
		free(opened);
		return refuse(err);
	}
	for (int what = SHARED_DNS; what <= SHARED_CONNECT; what++)
		opened->share_setopt(opened->share, SHARE_ADD, what);
	*http = opened;
	return 0;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	http->share_cleanup(http->share);
	free(http);
}

/* A redirection has headers too: those of the last answer count. */
static size_t take_header(char *text, size_t size, size_t nr, void *data)
{
	static const char name[] = "content-range:";
	struct answer *answer = data;
	char line[128];
	uint64_t from, last, total;

	nr *= size;
	if (nr > 5 && !memcmp(text, "HTTP/", 5))
		answer->range_from = answer->range_total = -1;
	if (nr < sizeof(name) || nr >= sizeof(line) || strncasecmp(text, name, sizeof(name) - 1))
		return nr;
	memcpy(line, text + sizeof(name) - 1, nr - (sizeof(name) - 1));
	line[nr - (sizeof(name) - 1)] = '\0';
	if (sscanf(line, " bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64, &from, &last, &total) == 3 &&
	    total <= INT64_MAX && from <= last && last < total) {
		answer->range_from = (int64_t)from;
		answer->range_total = (int64_t)total;
	}
	return nr;
}

static long status_of(const struct http *http)
{
	long code = 0;

	http->getinfo(http->curl, INFO_RESPONSE_CODE, &code);
	return code;
}

static int begin(struct answer *answer)
{
	long code = status_of(answer->http);
	int64_t length = -1, total;
	uint64_t offset = 0;

	answer->begun = true;
	answer->http->getinfo(answer->http->curl, INFO_CONTENT_LENGTH, &length);
	total = length;
	if (code == 206) {
		if (!answer->from || answer->range_from != (int64_t)answer->from)
			return err_set(answer->err, ERR_CORRUPT,
				       "it answers with another part than was asked for");
		offset = answer->from;
		total = answer->range_total;
	} else if (code != 200) {
		return err_set(answer->err, ERR_UNSUPPORTED, "it answers with status %ld", code);
	}
	return answer->sink->begin(answer->sink->data, offset, total, answer->err);
}

static size_t take_bytes(char *bytes, size_t size, size_t nr, void *data)
{
	struct answer *answer = data;

	nr *= size;
	if (!answer->begun && status_of(answer->http) >= REFUSALS) {
		answer->page += nr;
		return answer->page > PAGE_BYTES ? 0 : nr;
	}
	if ((!answer->begun && begin(answer)) ||
	    answer->sink->write(answer->sink->data, bytes, nr, answer->err)) {
		answer->stopped = true;
		return 0;
	}
	return nr;
}

static int take_tick(void *data, int64_t all, int64_t done, int64_t up_all, int64_t up)
{
	struct answer *answer = data;

	(void)all;
	(void)done;
	(void)up_all;
	(void)up;
	if (!answer->sink->tick(answer->sink->data, answer->err))
		return 0;
	answer->stopped = true;
	return 1;
}

static void set_options(const struct http *http, struct answer *answer, const char *url,
			const char *range, int64_t answer_ns, char *reason)
{
	bool secure = !strncasecmp(url, "https:", 6);
	long seconds = (long)((answer_ns + NS_PER_S - 1) / NS_PER_S);
	void *curl = http->curl;

	http->setopt(curl, OPT_SHARE, http->share);
	http->setopt(curl, OPT_URL, url);
	http->setopt(curl, OPT_USERAGENT, "stagetrace");
	http->setopt(curl, OPT_PROTOCOLS, (long)(PROTOCOL_HTTP | PROTOCOL_HTTPS));
	http->setopt(curl, OPT_REDIR_PROTOCOLS,
		     (long)(PROTOCOL_HTTPS | (secure ? 0 : PROTOCOL_HTTP)));
	http->setopt(curl, OPT_FOLLOWLOCATION, 1L);
	http->setopt(curl, OPT_MAXREDIRS, (long)REDIRECTIONS);
	http->setopt(curl, OPT_NOSIGNAL, 1L);
	http->setopt(curl, OPT_CONNECTTIMEOUT_MS, (long)(answer_ns / NS_PER_MS));
	http->setopt(curl, OPT_LOW_SPEED_TIME, seconds);
	http->setopt(curl, OPT_LOW_SPEED_LIMIT, (long)(HTTP_LEAST_BYTES / seconds + 1));
	http->setopt(curl, OPT_RANGE, range);
	http->setopt(curl, OPT_WRITEFUNCTION, take_bytes);
	http->setopt(curl, OPT_WRITEDATA, answer);
	http->setopt(curl, OPT_HEADERFUNCTION, take_header);
	http->setopt(curl, OPT_HEADERDATA, answer);
	http->setopt(curl, OPT_XFERINFOFUNCTION, take_tick);
	http->setopt(curl, OPT_XFERINFODATA, answer);
	http->setopt(curl, OPT_NOPROGRESS, 0L);
	http->setopt(curl, OPT_ERRORBUFFER, reason);
}

/* Whether an answer broke off: the next may go on where it ended. */
static bool is_cut(int result)
{
	return result == CURL_PARTIAL || result == CURL_RECV || result == CURL_HTTP2 ||
	       result == CURL_HTTP2_STREAM || result == CURL_HTTP3;
}

static int explain(const struct http *http, int result, int64_t answer_ns, const char *reason,
		   struct err *err)
{
	long code = status_of(http);

	if (code == 404 || code == 410)
		return err_set(err, ERR_NOT_FOUND, "it does not have the file");
	if (code == 416)
		return err_set(err, ERR_CORRUPT, "its file is shorter than what was sent before");
	if (code >= REFUSALS)
		return err_set(err, ERR_UNSUPPORTED, "it answers with status %ld", code);
	if (is_cut(result))
		return err_set(err, ERR_CORRUPT, "it was not sent to its end");
	if (result == CURL_TIMEOUT)
		return err_set(err, ERR_FAILED, "no answer, or less than 10 KB in %" PRId64 " s",
			       answer_ns / NS_PER_S);
	return err_set(err, ERR_FAILED, "%s", *reason ? reason : http->strerror(result));
}

static int get(struct http *http, const char *url, uint64_t from, int64_t answer_ns,
	       const struct http_sink *sink, struct err *err)
{
	struct answer answer = { .http = http,
				 .sink = sink,
				 .from = from,
				 .range_from = -1,
				 .range_total = -1,
				 .err = err };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	char range[32] = "", reason[ERROR_BYTES] = "";
	int result;

	snprintf(range, sizeof(range), "%" PRIu64 "-", from);
	set_options(http, &answer, url, from ? range : NULL, answer_ns, reason);
	sigemptyset(&ignore.sa_mask);
	sigaction(SIGPIPE, &ignore, &before);
	result = http->perform(http->curl);
	sigaction(SIGPIPE, &before, NULL);
	if (answer.stopped)
		return -1;
	if (result || status_of(http) >= REFUSALS)
		return explain(http, result, answer_ns, reason, err);
	return answer.begun ? 0 : begin(&answer);
}

int http_get(struct http *http, const char *url, uint64_t from, int64_t answer_ns,
	     const struct http_sink *sink, struct err *err)
{
	int rc;

	http->curl = http->init();
	if (!http->curl)
		return refuse(err);
	rc = get(http, url, from, answer_ns, sink, err);
	http->cleanup(http->curl);
	http->curl = NULL;
	return rc;
}
