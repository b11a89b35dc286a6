#include "platform/http.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>
#include <winhttp.h>

#include "platform/clock.h"
#include "platform/windows/library.h"
#include "platform/windows/wide.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define REDIRECTIONS 5
#define READ_BYTES   65536

#define SOCKET_TIMED_OUT 10060 /* WSAETIMEDOUT of winsock2.h */

struct http {
	HINTERNET session;
	__typeof__(&WinHttpOpen) open;
	__typeof__(&WinHttpCloseHandle) close;
	__typeof__(&WinHttpCrackUrl) crack;
	__typeof__(&WinHttpConnect) connect;
	__typeof__(&WinHttpOpenRequest) request;
	__typeof__(&WinHttpSetTimeouts) timeouts;
	__typeof__(&WinHttpSetOption) option;
	__typeof__(&WinHttpSetCredentials) credentials;
	__typeof__(&WinHttpSendRequest) send;
	__typeof__(&WinHttpReceiveResponse) receive;
	__typeof__(&WinHttpQueryHeaders) headers;
	__typeof__(&WinHttpReadData) read;
};

/* One request. */
struct asking {
	const struct http *http;
	HINTERNET connection, request;
	uint64_t from;
	int64_t answer_ns;
	int64_t left; /* bytes of the answer; -1: unknown */
};

static bool load(struct http *http)
{
	const struct {
		const char *name;
		void *function;
	} wanted[] = {
		{ "WinHttpOpen", &http->open },
		{ "WinHttpCloseHandle", &http->close },
		{ "WinHttpCrackUrl", &http->crack },
		{ "WinHttpConnect", &http->connect },
		{ "WinHttpOpenRequest", &http->request },
		{ "WinHttpSetTimeouts", &http->timeouts },
		{ "WinHttpSetOption", &http->option },
		{ "WinHttpSetCredentials", &http->credentials },
		{ "WinHttpSendRequest", &http->send },
		{ "WinHttpReceiveResponse", &http->receive },
		{ "WinHttpQueryHeaders", &http->headers },
		{ "WinHttpReadData", &http->read },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!library_function(L"winhttp.dll", wanted[i].name, wanted[i].function,
				      sizeof(http->open)))
			return false;
	}
	return true;
}

int http_open(struct http **http, struct err *err)
{
	struct http *opened = xcalloc(1, sizeof(*opened));

	if (!load(opened)) {
		free(opened);
		return err_set(err, ERR_UNSUPPORTED, "there is no winhttp.dll");
	}
	opened->session = opened->open(L"stagetrace", WINHTTP_ACCESS_TYPE_AUTOMATIC_PROXY,
				       WINHTTP_NO_PROXY_NAME, WINHTTP_NO_PROXY_BYPASS, 0);
	/* Windows before 8.1, and Wine. */
	if (!opened->session)
		opened->session = opened->open(L"stagetrace", WINHTTP_ACCESS_TYPE_DEFAULT_PROXY,
					       WINHTTP_NO_PROXY_NAME, WINHTTP_NO_PROXY_BYPASS, 0);
	if (!opened->session) {
		free(opened);
		return err_set(err, ERR_FAILED, "WinHTTP cannot be used: it failed to start");
	}
	*http = opened;
	return 0;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	http->close(http->session);
	free(http);
}

static int fail(const struct asking *asking, const char *what, struct err *err)
{
	DWORD code = GetLastError();

	/* Wine passes on what the socket says. */
	if (code == ERROR_WINHTTP_TIMEOUT || code == SOCKET_TIMED_OUT)
		return err_set(err, ERR_FAILED, "no answer, or less than 10 KB in %" PRId64 " s",
			       asking->answer_ns / NS_PER_S);
	if (code == ERROR_WINHTTP_REDIRECT_FAILED)
		return err_set(err, ERR_FAILED, "it redirects too often, or from HTTPS to HTTP");
	if (code == ERROR_WINHTTP_CONNECTION_ERROR)
		return err_set(err, ERR_CORRUPT, "it was not sent to its end");
	if (code == ERROR_WINHTTP_NAME_NOT_RESOLVED)
		return err_set(err, ERR_FAILED, "its name is not known");
	if (code == ERROR_WINHTTP_CANNOT_CONNECT)
		return err_set(err, ERR_FAILED, "it cannot be reached");
	if (code == ERROR_WINHTTP_SECURE_FAILURE)
		return err_set(err, ERR_FAILED, "its certificate is not accepted");
	return err_set(err, ERR_FAILED, "cannot %s: WinHTTP's error %lu", what, code);
}

/* A part of a URL, as a string. */
static wchar_t *part(const wchar_t *from, DWORD nr)
{
	wchar_t *copy = xcalloc((size_t)nr + 1, sizeof(*copy));

	if (nr)
		memcpy(copy, from, nr * sizeof(*copy));
	return copy;
}

static void set_limits(struct asking *asking)
{
	int ms = (int)(asking->answer_ns / NS_PER_MS);
	DWORD most = REDIRECTIONS, headers = (DWORD)ms;

	asking->http->timeouts(asking->request, ms, ms, ms, ms);
	/* By default 90 s, whatever the other timeouts are. */
	asking->http->option(asking->request, WINHTTP_OPTION_RECEIVE_RESPONSE_TIMEOUT, &headers,
			     sizeof(headers));
	asking->http->option(asking->request, WINHTTP_OPTION_MAX_HTTP_AUTOMATIC_REDIRECTS, &most,
			     sizeof(most));
}

static int send(struct asking *asking, const wchar_t *url, struct err *err)
{
	URL_COMPONENTS c = { .dwStructSize = sizeof(c),
			     .dwSchemeLength = (DWORD)-1,
			     .dwHostNameLength = (DWORD)-1,
			     .dwUserNameLength = (DWORD)-1,
			     .dwPasswordLength = (DWORD)-1,
			     .dwUrlPathLength = (DWORD)-1,
			     .dwExtraInfoLength = (DWORD)-1 };
	const struct http *http = asking->http;
	wchar_t *host, *path, *user, *password, range[64] = L"";
	int rc = 0;

	if (!http->crack(url, 0, 0, &c))
		return err_set(err, ERR_FAILED, "its URL cannot be read");
	host = part(c.lpszHostName, c.dwHostNameLength);
	path = part(c.lpszUrlPath, c.dwUrlPathLength + c.dwExtraInfoLength);
	user = part(c.lpszUserName, c.dwUserNameLength);
	password = part(c.lpszPassword, c.dwPasswordLength);
	if (asking->from)
		swprintf(range, ARRAY_SIZE(range), L"Range: bytes=%I64u-", asking->from);
	asking->connection = http->connect(http->session, host, c.nPort, 0);
	if (asking->connection)
		asking->request =
			http->request(asking->connection, L"GET", path, NULL, WINHTTP_NO_REFERER,
				      WINHTTP_DEFAULT_ACCEPT_TYPES,
				      c.nScheme == INTERNET_SCHEME_HTTPS ? WINHTTP_FLAG_SECURE : 0);
	if (asking->request) {
		set_limits(asking);
		if (*user)
			http->credentials(asking->request, WINHTTP_AUTH_TARGET_SERVER,
					  WINHTTP_AUTH_SCHEME_BASIC, user, password, NULL);
	}
	if (!asking->request ||
	    !http->send(asking->request, *range ? range : WINHTTP_NO_ADDITIONAL_HEADERS,
			*range ? (DWORD)-1 : 0, WINHTTP_NO_REQUEST_DATA, 0, 0, 0) ||
	    !http->receive(asking->request, NULL))
		rc = fail(asking, "ask", err);
	SecureZeroMemory(password, (c.dwPasswordLength + 1) * sizeof(*password));
	free(host);
	free(path);
	free(user);
	free(password);
	return rc;
}

/* A header, as text; false: there is none. */
static bool get_header(const struct asking *asking, DWORD which, char *to, size_t size)
{
	wchar_t wide[128];
	DWORD bytes = sizeof(wide) - sizeof(*wide);
	char *text;

	if (!asking->http->headers(asking->request, which, WINHTTP_HEADER_NAME_BY_INDEX, wide,
				   &bytes, WINHTTP_NO_HEADER_INDEX))
		return false;
	wide[bytes / sizeof(*wide)] = L'\0';
	text = wide_to_utf8(wide);
	snprintf(to, size, "%s", text);
	free(text);
	return true;
}

static int begin(struct asking *asking, const struct http_sink *sink, struct err *err)
{
	uint64_t from, last, total;
	char status[16] = "", text[128];
	int code;

	get_header(asking, WINHTTP_QUERY_STATUS_CODE, status, sizeof(status));
	code = atoi(status);
	if (code == 404 || code == 410)
		return err_set(err, ERR_NOT_FOUND, "it does not have the file");
	if (code == 416)
		return err_set(err, ERR_CORRUPT, "its file is shorter than what was sent before");
	if (code != 200 && code != 206)
		return err_set(err, ERR_UNSUPPORTED, "it answers with status %d", code);
	asking->left = -1;
	if (get_header(asking, WINHTTP_QUERY_CONTENT_LENGTH, text, sizeof(text)) &&
	    sscanf(text, "%" SCNu64, &total) == 1 && total <= INT64_MAX)
		asking->left = (int64_t)total;
	if (code == 200)
		return sink->begin(sink->data, 0, asking->left, err);
	if (!asking->from || !get_header(asking, WINHTTP_QUERY_CONTENT_RANGE, text, sizeof(text)) ||
	    sscanf(text, "bytes %" SCNu64 "-%" SCNu64 "/%" SCNu64, &from, &last, &total) != 3 ||
	    from != asking->from || last < from || last >= total || total > INT64_MAX)
		return err_set(err, ERR_CORRUPT, "it answers with another part than was asked for");
	return sink->begin(sink->data, from, (int64_t)total, err);
}

/* Pass on what arrives. */
static int read_all(struct asking *asking, const struct http_sink *sink, char *bytes,
		    struct err *err)
{
	int64_t since = clock_now();
	uint64_t some = 0;
	DWORD got = 0;

	do {
		if (!asking->http->read(asking->request, bytes, READ_BYTES, &got))
			return fail(asking, "read", err);
		if (got && sink->write(sink->data, bytes, got, err))
			return -1;
		if (sink->tick(sink->data, err))
			return -1;
		asking->left -= asking->left >= 0 ? (int64_t)got : 0;
		some += got;
		if (clock_now() - since < asking->answer_ns)
			continue;
		if (some < HTTP_LEAST_BYTES && got)
			return err_set(err, ERR_FAILED, "less than 10 KB in %" PRId64 " s",
				       asking->answer_ns / NS_PER_S);
		since = clock_now();
		some = 0;
	} while (got);
	if (asking->left > 0)
		return err_set(err, ERR_CORRUPT, "it was not sent to its end");
	return 0;
}

int http_get(struct http *http, const char *url, uint64_t from, int64_t answer_ns,
	     const struct http_sink *sink, struct err *err)
{
	struct asking asking = { .http = http, .from = from, .answer_ns = answer_ns };
	wchar_t *wide = wide_from_utf8(url);
	char *bytes = xmalloc(READ_BYTES);
	int rc = send(&asking, wide, err);

	if (!rc)
		rc = begin(&asking, sink, err);
	if (!rc)
		rc = read_all(&asking, sink, bytes, err);
	if (asking.request)
		http->close(asking.request);
	if (asking.connection)
		http->close(asking.connection);
	free(bytes);
	free(wide);
	return rc;
}
