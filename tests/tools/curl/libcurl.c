/*
 * A stand-in for libcurl, in a directory of LD_LIBRARY_PATH, that fails with any of its codes: http://HOST/CODE/... has
 * STANDIN_FILE, of which each answer has a third, and ends with that code; the one with the end of the file succeeds.
 * A code below 16, as that of no connection, comes without an answer. Each range that is asked for is a line of
 * STANDIN_LOG.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef size_t take(char *bytes, size_t size, size_t nr, void *data);

struct curl {
	const char *url, *range;
	take *write, *header;
	void *write_data, *header_data;
	long status;
	int64_t length; /* of the answer */
};

struct curl *curl_easy_init(void);
void curl_easy_cleanup(struct curl *curl);
int curl_easy_setopt(struct curl *curl, int option, ...);
int curl_easy_perform(struct curl *curl);
int curl_easy_getinfo(struct curl *curl, int info, void *value);
const char *curl_easy_strerror(int code);
void *curl_share_init(void);
int curl_share_setopt(void *share, int option, ...);
int curl_share_cleanup(void *share);

enum {
	OPT_WRITEDATA = 10001,
	OPT_URL = 10002,
	OPT_RANGE = 10007,
	OPT_HEADERDATA = 10029,
	OPT_WRITEFUNCTION = 20011,
	OPT_HEADERFUNCTION = 20079,
};
enum { INFO_RESPONSE_CODE = 0x200002, INFO_CONTENT_LENGTH = 0x60000f };
enum { WRITE_ERROR = 23, ANSWERED = 16 };

struct curl *curl_easy_init(void)
{
	return calloc(1, sizeof(struct curl));
}

void curl_easy_cleanup(struct curl *curl)
{
	free(curl);
}

int curl_easy_setopt(struct curl *curl, int option, ...)
{
	va_list args;

	va_start(args, option);
	if (option == OPT_URL)
		curl->url = va_arg(args, const char *);
	else if (option == OPT_RANGE)
		curl->range = va_arg(args, const char *);
	else if (option == OPT_WRITEFUNCTION)
		curl->write = va_arg(args, take *);
	else if (option == OPT_WRITEDATA)
		curl->write_data = va_arg(args, void *);
	else if (option == OPT_HEADERFUNCTION)
		curl->header = va_arg(args, take *);
	else if (option == OPT_HEADERDATA)
		curl->header_data = va_arg(args, void *);
	va_end(args);
	return 0;
}

static void log_range(const char *range)
{
	FILE *log = fopen(getenv("STANDIN_LOG"), "a");

	fprintf(log, "%s\n", range ? range : "all");
	fclose(log);
}

static void send_head(struct curl *curl, long from, long size)
{
	char line[100];

	curl->status = from ? 206 : 200;
	curl->length = size - from;
	snprintf(line, sizeof(line), "HTTP/2 %ld\r\n", curl->status);
	curl->header(line, 1, strlen(line), curl->header_data);
	if (!from)
		return;
	snprintf(line, sizeof(line), "Content-Range: bytes %ld-%ld/%ld\r\n", from, size - 1, size);
	curl->header(line, 1, strlen(line), curl->header_data);
}

int curl_easy_perform(struct curl *curl)
{
	const char *path = strchr(strstr(curl->url, "//") + 2, '/');
	int code = atoi(path + 1);
	long from = curl->range ? atol(curl->range) : 0, size, nr;
	FILE *file;
	char *bytes;
	size_t taken;

	log_range(curl->range);
	if (code < ANSWERED)
		return code;
	file = fopen(getenv("STANDIN_FILE"), "rb");
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	fseek(file, from, SEEK_SET);
	nr = size / 3 + 1 < size - from ? size / 3 + 1 : size - from;
	bytes = malloc((size_t)nr);
	nr = (long)fread(bytes, 1, (size_t)nr, file);
	fclose(file);
	send_head(curl, from, size);
	taken = curl->write(bytes, 1, (size_t)nr, curl->write_data);
	free(bytes);
	if (taken != (size_t)nr)
		return WRITE_ERROR;
	return from + nr == size ? 0 : code;
}

int curl_easy_getinfo(struct curl *curl, int info, void *value)
{
	if (info == INFO_RESPONSE_CODE)
		memcpy(value, &curl->status, sizeof(curl->status));
	else if (info == INFO_CONTENT_LENGTH)
		memcpy(value, &curl->length, sizeof(curl->length));
	return 0;
}

const char *curl_easy_strerror(int code)
{
	static char text[20];

	snprintf(text, sizeof(text), "code %d", code);
	return text;
}

void *curl_share_init(void)
{
	static char share;

	return &share;
}

int curl_share_setopt(void *share, int option, ...)
{
	(void)share;
	(void)option;
	return 0;
}

int curl_share_cleanup(void *share)
{
	(void)share;
	return 0;
}
