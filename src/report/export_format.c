#include "report/export_format.h"

#include "util/array.h"

/* The first one is the default. */
static const struct export_format *const formats[] = {
	&export_folded,  &export_svg,    &export_speedscope, &export_pprof,
	&export_firefox, &export_chrome, &export_perfetto,
};

const struct export_format *export_format_get(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i] : NULL;
}

const char *export_format_name(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i]->name : NULL;
}

const char *export_format_help(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i]->help : NULL;
}

const char *export_format_ending(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i]->ending : NULL;
}
