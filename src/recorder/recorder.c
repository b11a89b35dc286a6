#include "recorder/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

const struct recorder_ops *const recorders[] = {
	&perf_recorder, &wpr_recorder, &xperf_recorder, &none_recorder, NULL,
};

const struct recorder_ops *recorder_find(const char *name)
{
	bool any = !strcmp(name, "auto");

	for (size_t i = 0; recorders[i]; i++) {
		if (any ? recorders[i]->suits(recorders[i]) : !strcmp(recorders[i]->name, name))
			return recorders[i];
	}
	return strcmp(name, heap_recorder.name) != 0 ? NULL : &heap_recorder;
}

const struct recorder_ops *recorder_next(const struct recorder_ops *recorder)
{
	size_t i = 0;

	while (recorders[i] && recorders[i] != recorder)
		i++;
	while (recorders[i] && recorders[++i]) {
		if (recorders[i]->suits(recorders[i]))
			return recorders[i];
	}
	return NULL;
}

void recorder_command(const struct recorder_ops *recorder, const struct recorder_job *job,
		      const struct strvec *build, struct strvec *argv, int *own_execs)
{
	*own_execs = 0;
	if (recorder->command)
		recorder->command(job, build, argv, own_execs);
	else
		strvec_push_all(argv, build);
}

void recorder_settings_add(struct recorder_settings *settings, const char *path, const char *value,
			   bool needed)
{
	ARRAY_GROW(settings->v, settings->nr + 1, settings->alloc);
	settings->v[settings->nr++] =
		(struct recorder_setting){ xstrdup(path), xstrdup(value), needed };
}

void recorder_settings_release(struct recorder_settings *settings)
{
	for (size_t i = 0; i < settings->nr; i++) {
		free(settings->v[i].path);
		free(settings->v[i].value);
	}
	free(settings->v);
	*settings = (struct recorder_settings){ NULL, 0, 0 };
}
