#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/cost.h"
#include "util/array.h"
#include "util/hash_index.h"

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

static void end(int sig)
{
	static const char message[] = "stagetrace: reading this takes more processor time than the "
				      "limit for its size: " COST_REMEDY "\n";

	(void)sig;
	remove_unfinished();
	/* Whether it could be written or not, this is the end. */
	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(1);
	_exit(1);
}

static bool lowered[RLIM_NLIMITS];

/* Lower the soft limit of a resource; the user's own may be lower, and then stays. */
static void lower(int resource, uint64_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur <= value)
		return;
	limit.rlim_cur = value;
	lowered[resource] = !setrlimit(resource, &limit);
}

static void raise_by(int resource, uint64_t value)
{
	struct rlimit limit;

	if (!lowered[resource] || getrlimit(resource, &limit) ||
	    limit.rlim_cur > limit.rlim_max - value)
		return;
	limit.rlim_cur += value;
	setrlimit(resource, &limit);
}

void cost_limit(uint64_t bytes)
{
	struct sigaction action;

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

static void allow_time(uint64_t bytes)
{
	raise_by(RLIMIT_CPU, cost_raised(1 + bytes / BYTES_A_SECOND));
}

static void allow_memory(uint64_t bytes)
{
	raise_by(RLIMIT_DATA, cost_raised(MEMORY_RATIO * bytes));
}

void cost_allow(uint64_t bytes)
{
	allow_time(bytes);
	allow_memory(bytes);
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
	pthread_mutex_t mutex;
} allowed = { .mutex = PTHREAD_MUTEX_INITIALIZER };

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

void cost_allow_file(const char *path)
{
	struct stat st;
	unsigned times;

	if (stat(path, &st) || st.st_size <= 0)
		return;
	pthread_mutex_lock(&allowed.mutex);
	times = find_allowed(&st)->times++;
	if (!times)
		allow_time((uint64_t)st.st_size);
	if (times < FILE_READINGS)
		allow_memory((uint64_t)st.st_size);
	pthread_mutex_unlock(&allowed.mutex);
}
