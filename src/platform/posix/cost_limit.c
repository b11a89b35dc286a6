#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/cost.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/hash_index.h"
#include "util/strbuf.h"
#include "util/utf8.h"

/*
 * A view of an input of 1 MB is to stay below 512 MB of memory and 20 seconds. What it holds of a recording is less than
 * the recording; what it holds of a file with symbols, which libdw decompresses, can be several times the file. Recordings
 * take 2 to 10 ms for each MB, and debug information some 50.
 */
#define MEMORY_FREE    (UINT64_C(440) << 20)
#define MEMORY_RATIO   8
#define SECONDS_FREE   15
#define BYTES_A_SECOND (UINT64_C(512) << 10)

/* Of a file with symbols, each with its own memory: for its build id, its names, unwinding and lines. */
#define FILE_READINGS 4

/*
 * For all such files together: a trace of 1 MB can name thousands. Names and lines of 60 large files (13 GB) took 16
 * seconds and 0.8 GB; debug information of 2 GB may take 100 seconds.
 */
#define FILES_SECONDS 120
#define FILES_MEMORY  (UINT64_C(4) << 30)

static const char *volatile unfinished;

/* Called by a signal handler and at exit(), which is how a program ends whose memory runs out. */
static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
	unfinished = NULL;
}

void cost_set_unfinished(const char *path)
{
	static bool registered;

	unfinished = path;
	registered = registered || !atexit(remove_unfinished);
}

static bool lowered[RLIM_NLIMITS];
static rlim_t before[RLIM_NLIMITS]; /* where lowered */

/* For the messages, which are made where nothing can be allocated. */
static const char *input = "", *remedy = "";

/* Whether it can be written or not, the end is near. */
static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(alloc_exit_code());
}

/* A terminal may show a status line, which the message replaces. */
static void begin_message(void)
{
	if (isatty(STDERR_FILENO))
		say("\r\033[K");
	say("stagetrace: ");
}

static void say_number(uint64_t number)
{
	char text[24], *digit = text + sizeof(text) - 1;

	*digit = '\0';
	do
		*--digit = (char)('0' + number % 10);
	while (number /= 10);
	say(digit);
}

static uint64_t current(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) ? 0 : limit.rlim_cur;
}

static void end(int sig)
{
	(void)sig;
	remove_unfinished();
	begin_message();
	say("reading '");
	say(input);
	say("' takes more than ");
	say_number(current(RLIMIT_CPU));
	say(" seconds of processor time, ");
	say(lowered[RLIMIT_CPU] ? "the limit for its size: " : "the limit of 'ulimit -t'");
	say(lowered[RLIMIT_CPU] ? remedy : "");
	say("\n");
	_exit(alloc_exit_code());
}

static void explain_memory(void)
{
	begin_message();
	say("out of memory: ");
	if (!lowered[RLIMIT_DATA]) {
		say("this needs more memory than the system has, or than 'ulimit' allows\n");
		return;
	}
	say("reading '");
	say(input);
	say("' needs more memory than the system has, or than ");
	say_number(current(RLIMIT_DATA) >> 20);
	say(" MB, the limit for its size: ");
	say(remedy);
	say("\n");
}

/* An export opens a run twice. A signal may come at any time: the texts are valid throughout. */
static void set_texts(const char *path)
{
	static char *texts[2];
	char *old[] = { texts[0], texts[1] };
	struct strbuf sb = STRBUF_INIT;

	utf8_add_printable(&sb, path);
	input = texts[0] = strbuf_detach(&sb);
	remedy = texts[1] = xstrdup(cost_remedy());
	free(old[0]);
	free(old[1]);
	alloc_set_explain(explain_memory);
}

/* Lower the soft limit of a resource; the user's own may be lower, and then stays. */
static void lower(int resource, uint64_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur <= value)
		return;
	before[resource] = limit.rlim_cur;
	limit.rlim_cur = value;
	lowered[resource] = !setrlimit(resource, &limit);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns whether the limit was raised. */
static bool raise_by(int resource, uint64_t value)
{
	struct rlimit limit;

	if (!lowered[resource] || getrlimit(resource, &limit) ||
	    limit.rlim_cur > limit.rlim_max - value)
		return false;
	limit.rlim_cur += value;
	return !setrlimit(resource, &limit);
}

void cost_limit(const char *path, uint64_t bytes)
{
	struct sigaction action;

	set_texts(path);
	memset(&action, 0, sizeof(action));
	action.sa_handler = end;
	sigemptyset(&action.sa_mask);
	sigaction(SIGXCPU, &action, NULL);
	lower(RLIMIT_CPU, cost_raised(SECONDS_FREE + bytes / BYTES_A_SECOND));
	/* AddressSanitizer maps terabytes. */
#ifndef __SANITIZE_ADDRESS__
	lower(RLIMIT_DATA, cost_raised(MEMORY_FREE + MEMORY_RATIO * bytes));
#endif
}

void cost_lift(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit;

		if (!lowered[i] || getrlimit(i, &limit))
			continue;
		limit.rlim_cur = before[i];
		lowered[i] = setrlimit(i, &limit);
	}
}

/* A file for which the limits were raised. */
struct allowed {
	dev_t dev;
	ino_t ino;
	unsigned times;
};

static struct {
	struct allowed *v;
	size_t nr, alloc;
	struct hash_index index;
	uint64_t seconds, memory; /* left for more files */
	uint64_t mapped;          /* by which the limit of memory is raised now */
} allowed = { .seconds = FILES_SECONDS, .memory = FILES_MEMORY };

static struct allowed *find_allowed(const struct stat *st)
{
	uint64_t key = (uint64_t)st->st_ino * 31 + st->st_dev;
	uint32_t at;

	HASH_INDEX_FIND(at, &allowed.index, key, i,
			allowed.v[i].ino == st->st_ino && allowed.v[i].dev == st->st_dev);
	if (at != HASH_INDEX_NONE)
		return &allowed.v[at];
	hash_index_add(&allowed.index, key, (uint32_t)allowed.nr);
	ARRAY_ADD(allowed.v, allowed.nr, allowed.alloc,
		  (struct allowed){ st->st_dev, st->st_ino, 0 });
	return &allowed.v[allowed.nr - 1];
}

static uint64_t take(uint64_t *left, uint64_t wanted)
{
	uint64_t taken = wanted < *left ? wanted : *left;

	*left -= taken;
	return taken;
}

void cost_allow_file(const char *path)
{
	uint64_t bytes = cost_of_file(path);
	struct stat st;
	unsigned times;

	if (!bytes || stat(path, &st))
		return;
	pthread_mutex_lock(&mutex);
	times = find_allowed(&st)->times++;
	if (!times)
		raise_by(RLIMIT_CPU,
			 cost_raised(take(&allowed.seconds, 1 + bytes / BYTES_A_SECOND)));
	if (times < FILE_READINGS)
		raise_by(RLIMIT_DATA, cost_raised(take(&allowed.memory, MEMORY_RATIO * bytes)));
	pthread_mutex_unlock(&mutex);
}

void cost_map(uint64_t bytes)
{
	pthread_mutex_lock(&mutex);
	if (raise_by(RLIMIT_DATA, bytes))
		allowed.mapped += bytes;
	pthread_mutex_unlock(&mutex);
}

void cost_unmap(uint64_t bytes)
{
	struct rlimit limit;

	pthread_mutex_lock(&mutex);
	if (bytes <= allowed.mapped && !getrlimit(RLIMIT_DATA, &limit)) {
		allowed.mapped -= bytes;
		limit.rlim_cur -= bytes;
		setrlimit(RLIMIT_DATA, &limit);
	}
	pthread_mutex_unlock(&mutex);
}
