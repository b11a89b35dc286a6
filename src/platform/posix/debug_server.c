#include "platform/debug_server.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/cost.h"
#include "platform/program.h"
#include "platform/shared_library.h"
#include "util/alloc.h"
#include "util/text.h"
#include "util/url.h"

#define LIBRARY "libdebuginfod.so.1"
#define URLS    "DEBUGINFOD_URLS"
#define TIMEOUT "DEBUGINFOD_TIMEOUT"
#define STEP    "fetching debug files" /* for struct progress */

/* As in the library: in this time a server must answer, and then go on sending 100 KB a second. */
#define TIMEOUT_SECONDS 90

#define FILE_MAX (UINT64_C(4) << 30)

/* The part of libdebuginfod's interface (elfutils/debuginfod.h, 0.179) that is used. */
struct client;
typedef int progress_fn(struct client *client, long done, long total);

struct library {
	struct client *(*begin)(void);
	void (*end)(struct client *client);
	int (*find)(struct client *client, const unsigned char *id, int nr, char **path);
	const char *(*url)(struct client *client);
	void (*set_progress)(struct client *client, progress_fn *progress);
	void (*set_data)(struct client *client, void *data);
};

/* debuginfod_get_user_data(), once the library is loaded: all that a progress_fn gets is the client. */
static void *(*get_data)(struct client *client);

/* Why a file was given up. */
enum stop { STOP_NONE, STOP_SILENT, STOP_TOO_LARGE, STOP_INTERRUPTED };

struct debug_server {
	struct library library;
	struct client *client;
	const struct progress *progress; /* NULL: none */
	char *urls;                      /* by spaces */
	char *last;                      /* URL of the last answer; NULL: none */
	int64_t silent_ns;               /* how long a server may take to answer; 0: any time */
	uint64_t bytes_max;              /* of a file */
	int64_t begun_ns;                /* of the file that is fetched now */
	enum stop stop;                  /* the same */
};

static int load(struct debug_server *server, struct err *err)
{
	static const char *const files[] = { LIBRARY, NULL };
	struct library *library = &server->library;
	const struct library_function functions[] = {
		{ "debuginfod_begin", &library->begin },
		{ "debuginfod_end", &library->end },
		{ "debuginfod_find_debuginfo", &library->find },
		{ "debuginfod_get_url", &library->url },
		{ "debuginfod_set_progressfn", &library->set_progress },
		{ "debuginfod_set_user_data", &library->set_data },
		{ "debuginfod_get_user_data", &get_data },
		{ NULL, NULL },
	};
	const struct shared_library shared = { LIBRARY, "Debian: the package libdebuginfod1", files,
					       functions };

	return shared_library_load(&shared, err);
}

/* The library takes 0 for no limit, too. */
static int64_t get_timeout(void)
{
	char *text = env_get(TIMEOUT);
	int seconds = text ? atoi(text) : TIMEOUT_SECONDS;

	free(text);
	return seconds > 0 ? seconds * NS_PER_S : 0;
}

/*
 * The library calls it every second, and for each part of a file. Not 0: stop. The figures mean nothing before a server has
 * answered, which is when there is a URL.
 */
static int show(struct client *client, long done, long total)
{
	struct debug_server *server = get_data(client);
	struct err ignored = ERR_INIT;
	bool answers = server->library.url(client) != NULL;

	if (!answers)
		done = total = 0;
	if (!answers && server->silent_ns && clock_now() - server->begun_ns > server->silent_ns)
		server->stop = STOP_SILENT;
	else if (done > 0 && (uint64_t)done > server->bytes_max)
		server->stop = STOP_TOO_LARGE;
	else if (total > 0 && (uint64_t)total > server->bytes_max)
		server->stop = STOP_TOO_LARGE;
	else if (progress_show(server->progress, STEP, done, total > 0 ? total : 0, &ignored))
		server->stop = STOP_INTERRUPTED;
	err_clear(&ignored);
	return server->stop != STOP_NONE;
}

int debug_server_open(const struct progress *progress, struct debug_server **server,
		      struct err *err)
{
	char *urls = env_get(URLS);
	struct debug_server *opened;

	if (!urls)
		return err_set(err, ERR_USAGE,
			       URLS " has to name the servers to ask, as in " URLS
				    "=https://debuginfod.elfutils.org; it is not set");
	opened = xcalloc(1, sizeof(*opened));
	opened->urls = urls;
	opened->progress = progress;
	opened->silent_ns = get_timeout();
	opened->bytes_max = cost_raised(FILE_MAX);
	/* One attempt: each takes the timeout again, and libdebuginfod 0.188 begins the second with what it has freed. */
	setenv("DEBUGINFOD_RETRY_LIMIT", "0", 0);
	if (load(opened, err)) {
		debug_server_close(opened);
		return -1;
	}
	opened->client = opened->library.begin();
	if (!opened->client) {
		debug_server_close(opened);
		return err_set(err, ERR_FAILED, LIBRARY " cannot be used: it failed to start");
	}
	opened->library.set_data(opened->client, opened);
	opened->library.set_progress(opened->client, show);
	*server = opened;
	return 0;
}

void debug_server_close(struct debug_server *server)
{
	if (!server)
		return;
	if (server->client)
		server->library.end(server->client);
	free(server->urls);
	free(server->last);
	free(server);
}

/*
 * A compressed answer may be a thousand times what was sent, which show() sees: what is written has the same limit. Neither
 * that nor a server that closes a connection ends this program.
 */
struct write_limit {
	struct rlimit before;
	struct sigaction of_size, of_pipe;
	bool set;
};

static void limit_writing(uint64_t bytes, struct write_limit *limit)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct rlimit lower;

	sigemptyset(&ignore.sa_mask);
	sigaction(SIGXFSZ, &ignore, &limit->of_size);
	sigaction(SIGPIPE, &ignore, &limit->of_pipe);
	limit->set = !getrlimit(RLIMIT_FSIZE, &limit->before) && limit->before.rlim_cur > bytes;
	if (!limit->set)
		return;
	lower = limit->before;
	lower.rlim_cur = bytes;
	limit->set = !setrlimit(RLIMIT_FSIZE, &lower);
}

static void unlimit_writing(const struct write_limit *limit)
{
	if (limit->set)
		setrlimit(RLIMIT_FSIZE, &limit->before);
	sigaction(SIGXFSZ, &limit->of_size, NULL);
	sigaction(SIGPIPE, &limit->of_pipe, NULL);
}

static int too_large(const struct debug_server *server, struct err *err)
{
	return err_set(err, ERR_UNSUPPORTED, "it is larger than %" PRIu64 " MB: %s",
		       server->bytes_max >> 20, cost_remedy());
}

/* Why there is no file: `result` is the library's, an error below 0. */
static int explain(const struct debug_server *server, int result, struct err *err)
{
	int seconds = (int)(server->silent_ns / NS_PER_S);

	if (server->stop == STOP_SILENT)
		return err_set(err, ERR_FAILED, "no answer for %d s (" TIMEOUT ")", seconds);
	if (server->stop == STOP_TOO_LARGE || result == -EFBIG)
		return too_large(server, err);
	if (server->stop == STOP_INTERRUPTED)
		return err_set(err, ERR_FAILED, "interrupted by the user");
	if (result == -ETIME)
		return err_set(err, ERR_FAILED, "less than 100 KB a second for %d s (" TIMEOUT ")",
			       seconds);
	if (result == -EIO)
		return err_set(err, ERR_UNSUPPORTED,
			       "it cannot be written into libdebuginfod's cache, or is larger than "
			       "%" PRIu64 " MB",
			       server->bytes_max >> 20);
	/* The library says so of transfers that broke off, too. */
	if (result == -ENOENT && server->last)
		return err_set(err, ERR_CORRUPT, "it was not sent to its end");
	if (result == -ENOENT)
		return err_set(err, ERR_NOT_FOUND, "there is none");
	return err_set_errno(err, -result, "it cannot be fetched");
}

static int64_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (int64_t)st.st_size;
}

int debug_server_fetch(struct debug_server *server, const uint8_t *id, size_t nr, char **path,
		       struct err *err)
{
	struct err ignored = ERR_INIT;
	struct write_limit limit;
	const char *url;
	char *found = NULL;
	int fd, rc = 0;

	server->stop = STOP_NONE;
	server->begun_ns = clock_now();
	limit_writing(server->bytes_max, &limit);
	fd = server->library.find(server->client, id, (int)nr, &found);
	unlimit_writing(&limit);
	progress_show(server->progress, STEP, 1, 1, &ignored);
	err_clear(&ignored);
	url = server->library.url(server->client);
	free(server->last);
	server->last = xstrdup_or_null(url);
	if (fd < 0)
		rc = explain(server, fd, err);
	else if ((uint64_t)size_of(fd) > server->bytes_max)
		rc = too_large(server, err);
	if (fd >= 0)
		close(fd);
	if (!rc)
		*path = xstrdup(found);
	free(found);
	return rc;
}

void debug_server_name(const struct debug_server *server, struct strbuf *sb)
{
	const char *url = server->last ? server->last : server->urls;
	size_t before = sb->len;

	while (*url) {
		size_t len = strcspn(url, " ");

		if (len && sb->len > before)
			strbuf_adds(sb, ", ");
		if (len)
			url_add_host(sb, url, len);
		url += len + (url[len] == ' ');
	}
}
