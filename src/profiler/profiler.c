#include "profiler/profiler.h"

#include <stdlib.h>
#include <string.h>

#include "platform/fs.h"
#include "util/array.h"

const struct profiler_ops *const profilers[] = {
	&perf_profiler, &wpr_profiler, &xperf_profiler, &none_profiler, NULL,
};

const struct profiler_ops *profiler_find(const char *name)
{
	bool any = !strcmp(name, "auto");

	for (size_t i = 0; profilers[i]; i++) {
		if (any ? profilers[i]->suits(profilers[i]) : !strcmp(profilers[i]->name, name))
			return profilers[i];
	}
	return strcmp(name, heap_profiler.name) != 0 ? NULL : &heap_profiler;
}

const struct profiler_ops *profiler_next(const struct profiler_ops *profiler)
{
	size_t i = 0;

	while (profilers[i] && profilers[i] != profiler)
		i++;
	while (profilers[i] && profilers[++i]) {
		if (profilers[i]->suits(profilers[i]))
			return profilers[i];
	}
	return NULL;
}

void profiler_command(const struct profiler_ops *profiler, const struct profiler_job *job,
		      const struct strvec *build, struct strvec *argv, int *own_execs)
{
	*own_execs = 0;
	if (profiler->command)
		profiler->command(job, build, argv, own_execs);
	else
		strvec_push_all(argv, build);
}

bool profiler_is_service(const struct profiler_ops *profiler)
{
	return profiler && profiler->start;
}

int64_t profiler_dir_bytes(const char *dir)
{
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t sum = 0;

	if (fs_is_dir(dir) && fs_list(dir, &names, &err))
		err_clear(&err);
	for (size_t i = 0; i < names.nr; i++) {
		char *path = fs_join(dir, names.v[i]);
		int64_t size = fs_size(path);

		sum += size > 0 ? size : 0;
		free(path);
	}
	strvec_release(&names);
	return sum;
}

void profiler_report_nothing(struct finding_list *findings)
{
	finding_add(findings, FINDING_ERROR, "there would be nothing to record",
		    "set one of them to yes, or --set record.recorder=none",
		    "cpu and virtualalloc are both off");
}

void profiler_report_ready(const char *name, const struct profiler_job *job,
			   struct finding_list *findings)
{
	if (!finding_has(findings, FINDING_ERROR))
		finding_add(findings, FINDING_OK, NULL, NULL, "%s can record %s%s%s", name,
			    job->cpu ? "CPU samples" : "", job->cpu && job->memory ? " and " : "",
			    job->memory ? "memory events" : "");
}

void profiler_settings_add(struct profiler_settings *settings, const char *path, const char *value,
			   bool needed)
{
	ARRAY_ADD(settings->v, settings->nr, settings->alloc,
		  (struct profiler_setting){ xstrdup(path), xstrdup(value), needed });
}

void profiler_settings_release(struct profiler_settings *settings)
{
	for (size_t i = 0; i < settings->nr; i++) {
		free(settings->v[i].path);
		free(settings->v[i].value);
	}
	free(settings->v);
	*settings = (struct profiler_settings){ NULL, 0, 0 };
}

static bool restores(const struct profiler_ops *profiler, const char *path, const char *value,
		     bool here)
{
	return profiler->restores && (!here || profiler->suits(profiler)) &&
	       profiler->restores(path, value);
}

bool profiler_may_restore(const char *path, const char *value, bool here)
{
	bool may = restores(&heap_profiler, path, value, here);

	for (size_t i = 0; profilers[i] && !may; i++)
		may = restores(profilers[i], path, value, here);
	return may;
}

bool profiler_session_is_over(const struct manifest *manifest)
{
	return !manifest->session_nr;
}

int profiler_session_note(struct profiler_session *session, const char *key, const char *value,
			  struct err *err)
{
	manifest_note(session->manifest, key, value);
	return manifest_write(session->manifest, session->job->dir, err);
}
