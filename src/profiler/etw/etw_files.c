#include "profiler/etw/etw_files.h"

#include <stdlib.h>
#include <string.h>

#include "config/values.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "profiler/profiler.h"
#include "rundir/hash.h"
#include "rundir/layout.h"
#include "util/alloc.h"
#include "util/text.h"

#define INSTANCE     "stagetrace-"
#define INSTANCE_LEN 12

/* wpr's name for a collector's file, in the longest form seen. */
#define LONGEST_NAME "WPR_initiated_%s_WPR System Collector.etl"

#define SETTLED_NS     (2 * NS_PER_S)
#define SETTLED_RAW_NS (30 * NS_PER_S)
#define TICK_NS        (100 * NS_PER_MS)

char *etw_files_instance(const char *dir)
{
	char hash[HASH_TEXT_SIZE];

	hash_bytes(dir, strlen(dir), hash);
	return xasprintf(INSTANCE "%.*s", INSTANCE_LEN, hash);
}

bool etw_files_is_instance(const char *instance)
{
	const char *digits;

	if (!instance || !text_starts_with(instance, INSTANCE))
		return false;
	digits = instance + strlen(INSTANCE);
	return strlen(digits) == INSTANCE_LEN && strspn(digits, "0123456789abcdef") == INSTANCE_LEN;
}

char *etw_files_dir(const struct profiler_job *job)
{
	char *instance, *temp, *work_dir;

	if (!job->config->temp)
		return fs_join(job->dir, RUN_RECORDER_TEMP);
	instance = etw_files_instance(job->dir);
	temp = value_absolute_path(job->config->temp);
	work_dir = fs_join(temp, instance);
	free(temp);
	free(instance);
	return work_dir;
}

size_t etw_files_longest(const char *work_dir, const char *instance)
{
	char *name = xasprintf(LONGEST_NAME, instance), *path = fs_join(work_dir, name);
	size_t len = strlen(path);

	free(path);
	free(name);
	return len;
}

static void list(const char *work_dir, struct strvec *names)
{
	struct err err = ERR_INIT;

	if (fs_is_dir(work_dir) && fs_list(work_dir, names, &err))
		err_clear(&err);
}

static bool is_raw(const char *name, const char *instance)
{
	return strstr(name, instance);
}

bool etw_files_has_raw(const char *work_dir, const char *instance)
{
	struct strvec names = STRVEC_INIT;
	bool has = false;

	list(work_dir, &names);
	for (size_t i = 0; i < names.nr && !has; i++)
		has = is_raw(names.v[i], instance);
	strvec_release(&names);
	return has;
}

static int move(const char *from, const char *to, struct err *err)
{
	if (!fs_rename(from, to, err))
		return 0;
	/* A rename cannot reach another disk. */
	err_clear(err);
	if (fs_copy(from, to, err))
		return -1;
	return fs_remove(from, err);
}

int etw_files_move_trace(const char *work_dir, const char *to, struct err *err)
{
	char *from = fs_join(work_dir, ETW_FILE);
	int rc;

	if (fs_size(from) <= 0)
		rc = err_set(err, ERR_NOT_FOUND, "there is no trace at '%s'", from);
	else
		rc = move(from, to, err);
	free(from);
	return rc;
}

int etw_files_move_raw(const char *work_dir, const char *instance, const char *dir, int *count,
		       struct err *err)
{
	struct strvec names = STRVEC_INIT;
	int rc = 0;

	*count = 0;
	list(work_dir, &names);
	for (size_t i = 0; i < names.nr && !rc; i++) {
		char *from = fs_join(work_dir, names.v[i]), *name, *to;

		if (is_raw(names.v[i], instance) && text_ends_with(names.v[i], ".etl") &&
		    fs_size(from) > 0) {
			name = xasprintf("raw-%d.etl", ++*count);
			to = fs_join(dir, name);
			rc = move(from, to, err);
			free(to);
			free(name);
		}
		free(from);
	}
	strvec_release(&names);
	return rc;
}

bool etw_files_settle(const char *work_dir, const char *instance,
		      bool (*stop)(int64_t bytes, void *data), void *data)
{
	int64_t changed = clock_now(), bytes = profiler_dir_bytes(work_dir);

	for (;;) {
		bool raw = etw_files_has_raw(work_dir, instance);
		int64_t now = clock_now(), size = profiler_dir_bytes(work_dir);

		if (size != bytes)
			changed = now;
		bytes = size;
		if (now - changed >= (raw ? SETTLED_RAW_NS : SETTLED_NS))
			return true;
		if (stop && stop(bytes, data))
			return false;
		clock_sleep(TICK_NS);
	}
}

int etw_files_remove(const char *work_dir, const char *instance, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	bool others = false;
	int rc = 0;

	list(work_dir, &names);
	for (size_t i = 0; i < names.nr && !rc; i++) {
		char *path = fs_join(work_dir, names.v[i]);

		/* wpr keeps symbols of .NET images in a directory next to the trace */
		if (is_raw(names.v[i], instance) || text_starts_with(names.v[i], ETW_FILE) ||
		    text_starts_with(names.v[i], RUN_WPRP))
			rc = fs_is_dir(path) ? fs_remove_tree(path, err) : fs_remove(path, err);
		else
			others = true;
		free(path);
	}
	if (!rc && !others && fs_is_dir(work_dir))
		rc = fs_remove_tree(work_dir, err);
	strvec_release(&names);
	return rc;
}
