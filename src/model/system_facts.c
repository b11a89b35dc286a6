#include "model/system_facts.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void system_facts_release(struct system_facts *facts)
{
	for (size_t i = 0; i < facts->nr; i++) {
		free(facts->v[i].section);
		free(facts->v[i].key);
		free(facts->v[i].text);
	}
	free(facts->v);
	*facts = (struct system_facts){ NULL, 0, 0 };
}

static struct system_fact *add_fact(struct system_facts *facts, const char *section,
				    const char *key)
{
	if (facts->nr >= SYSTEM_FACTS_MAX)
		return NULL;
	ARRAY_ADD(facts->v, facts->nr, facts->alloc,
		  (struct system_fact){ .section = xstrdup(section), .key = xstrdup(key) });
	return &facts->v[facts->nr - 1];
}

void system_facts_add(struct system_facts *facts, const char *section, const char *key,
		      const char *text)
{
	struct system_fact *fact = add_fact(facts, section, key);

	if (fact)
		fact->text = xstrdup(text);
}

void system_facts_add_number(struct system_facts *facts, const char *section, const char *key,
			     int64_t number)
{
	struct system_fact *fact = add_fact(facts, section, key);

	if (fact)
		fact->number = number;
}

const struct system_fact *system_facts_find(const struct system_facts *facts, const char *section,
					    const char *key)
{
	for (size_t i = 0; i < facts->nr; i++) {
		const struct system_fact *fact = &facts->v[i];

		if (!strcmp(fact->section, section) && !strcmp(fact->key, key))
			return fact;
	}
	return NULL;
}

int64_t system_facts_number(const struct system_facts *facts, const char *section, const char *key)
{
	const struct system_fact *fact = system_facts_find(facts, section, key);

	return fact && !fact->text ? fact->number : -1;
}
