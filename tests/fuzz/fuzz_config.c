/*
 * Any bytes as a configuration: read or refused; a configuration that was read is the same after it is written and read
 * again. After the first NUL byte are overrides, one per line.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "util/alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void push_lines(struct strvec *lines, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *eol = memchr(s, '\n', (size_t)(end - s));
		size_t n = (size_t)((eol ? eol : end) - s);

		strvec_push_nodup(lines, xstrndup(s, n));
		s += n + (eol != NULL);
	}
}

static void expect_same_args(const struct strvec *a, const struct strvec *b)
{
	if (a->nr != b->nr)
		abort();
	for (size_t i = 0; i < a->nr; i++)
		if (strcmp(a->v[i], b->v[i]))
			abort();
}

static void expect_same(const struct config *a, const struct config *b)
{
	expect_same_args(&a->set, &b->set);
	expect_same_args(&a->stage1.command, &b->stage1.command);
	expect_same_args(&a->stage1.before, &b->stage1.before);
	expect_same_args(&a->stage1.env, &b->stage1.env);
	expect_same_args(&a->stage2.command, &b->stage2.command);
	expect_same_args(&a->stage2.before, &b->stage2.before);
	expect_same_args(&a->stage2.env, &b->stage2.env);
	expect_same_args(&a->fail_if, &b->fail_if);
	if (a->tag_rules.nr != b->tag_rules.nr || a->timeout_ns != b->timeout_ns ||
	    a->buffers_bytes != b->buffers_bytes || strcmp(a->name, b->name))
		abort();
}

static void round_trip(const struct config *config)
{
	struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
	struct config again, third;
	struct err err = ERR_INIT;

	config_add_ini(config, &first);
	if (config_load_text("/f/config.ini", first.buf, first.len, NULL, &again, &err))
		abort();
	expect_same(config, &again);
	config_add_ini(&again, &second);
	if (config_load_text("/f/config.ini", second.buf, second.len, NULL, &third, &err))
		abort();
	expect_same(&again, &third);
	if (strcmp(again.source, third.source) || strcmp(again.output, third.output))
		abort();
	config_release(&again);
	config_release(&third);
	strbuf_release(&first);
	strbuf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *nul = size ? memchr(text, '\0', size) : NULL;
	size_t len = nul ? (size_t)(nul - text) : size;
	struct strvec overrides = STRVEC_INIT, argv = STRVEC_INIT;
	struct config config;
	struct err err = ERR_INIT;

	if (nul)
		push_lines(&overrides, nul + 1, size - len - 1);
	if (!config_load_text("f.ini", text, len, &(struct config_changes){ .set = overrides },
			      &config, &err)) {
		config_stage_argv(&config, &config.stage1, &argv);
		config_before_argv(&config, &config.stage2, &argv);
		round_trip(&config);
	} else if (!err.msg || !*err.msg || err.code != ERR_CONFIG) {
		abort();
	}
	strvec_release(&argv);
	strvec_release(&overrides);
	config_release(&config);
	err_clear(&err);
	return 0;
}
