#include "analysis/stack_tags.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

#include "analysis/builtin_stack_tags.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/strbuf.h"
#include "util/text.h"

/* Tags within tags; the file has 2 levels. */
#define DEPTH_MAX 32

/* Of a tag, with the tags around it. */
#define NAME_MAX_LENGTH 1000

struct rule {
	char *module;
	char *method; /* NULL: all functions of the module */
	char *part;   /* of "*part*", the method, where it is plain text; else NULL */
	uint32_t tag;
	int64_t priority; /* of the tag */
	size_t place;     /* in the file */
};

struct tag {
	char *name;
	int64_t priority;
};

struct stack_tags {
	struct tag *tags;
	size_t nr, alloc;
	struct rule *rules; /* by priority, highest first */
	size_t rules_nr, rules_alloc;
};

void stack_tags_free(struct stack_tags *tags)
{
	if (!tags)
		return;
	for (size_t i = 0; i < tags->nr; i++)
		free(tags->tags[i].name);
	for (size_t i = 0; i < tags->rules_nr; i++) {
		free(tags->rules[i].module);
		free(tags->rules[i].method);
		free(tags->rules[i].part);
	}
	free(tags->tags);
	free(tags->rules);
	free(tags);
}

/* What is being read. */
struct reader {
	struct stack_tags *tags;
	const char *name; /* of the file */
	struct err *err;
};

static int refuse(const struct reader *reader, const xmlNode *node, const char *what)
{
	return err_set(reader->err, ERR_CORRUPT, "%s:%ld: %s", reader->name, xmlGetLineNo(node),
		       what);
}

/* The caller frees it; NULL: the element has no such attribute. */
static char *attribute(const xmlNode *node, const char *name)
{
	xmlChar *value = xmlGetProp(node, BAD_CAST name);
	char *copy = value ? xstrdup((const char *)value) : NULL;

	xmlFree(value);
	return copy;
}

static bool is_element(const xmlNode *node, const char *name)
{
	return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

/* The caller frees it. */
static char *plain_part(const char *method)
{
	size_t len = method ? strlen(method) : 0;

	if (len < 3 || method[0] != '*' || method[len - 1] != '*' ||
	    strcspn(method + 1, "*?") != len - 2)
		return NULL;
	return xstrndup(method + 1, len - 2);
}

static int read_rule(const struct reader *reader, const xmlNode *node, uint32_t tag)
{
	struct stack_tags *tags = reader->tags;
	struct rule rule = {
		.module = attribute(node, "Module"),
		.method = attribute(node, "Method"),
		.tag = tag,
		.priority = tags->tags[tag].priority,
		.place = tags->rules_nr,
	};

	if (!rule.module) {
		free(rule.method);
		return refuse(reader, node, "an <Entrypoint> without Module");
	}
	rule.part = plain_part(rule.method);
	ARRAY_ADD(tags->rules, tags->rules_nr, tags->rules_alloc, rule);
	return 0;
}

static int read_priority(const struct reader *reader, const xmlNode *node, int64_t *priority)
{
	char *text = attribute(node, "Priority");
	bool fine = !text || text_parse_int(text, INT32_MIN, INT32_MAX, priority);

	free(text);
	return fine ? 0 : refuse(reader, node, "Priority is not a number");
}

/* A tag is added by its first rule: those that only contain others have none. */
static int read_tag(const struct reader *reader, const xmlNode *node, const char *path, int depth)
{
	uint32_t tag = STACK_TAG_NONE;
	int64_t priority = 0;
	int rc = read_priority(reader, node, &priority);

	if (strlen(path) > NAME_MAX_LENGTH)
		return refuse(reader, node, "the names of tags are too long");
	if (depth > DEPTH_MAX)
		return refuse(reader, node, "tags within tags are too deep");
	for (const xmlNode *child = node->children; child && !rc; child = child->next) {
		if (is_element(child, "Entrypoint")) {
			if (!*path)
				return refuse(reader, child,
					      "an <Entrypoint> of a <Tag> without Name");
			if (tag == STACK_TAG_NONE) {
				tag = (uint32_t)reader->tags->nr;
				ARRAY_ADD(reader->tags->tags, reader->tags->nr, reader->tags->alloc,
					  (struct tag){ xstrdup(path), priority });
			}
			rc = read_rule(reader, child, tag);
		} else if (is_element(child, "Tag")) {
			char *name = attribute(child, "Name");
			char *below = *path ? xasprintf("%s: %s", path, name ? name : "")
					    : xstrdup(name ? name : "");

			rc = read_tag(reader, child, below, depth + 1);
			free(name);
			free(below);
		} else if (child->type == XML_ELEMENT_NODE) {
			rc = refuse(reader, child, "stack tags have only <Tag> and <Entrypoint>");
		}
	}
	return rc;
}

static int compare_rules(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static int read_document(const struct reader *reader, const xmlDoc *document)
{
	const xmlNode *root = xmlDocGetRootElement(document);

	/* Entities in attributes would be replaced, however large they become. */
	if (document->intSubset)
		return err_set(reader->err, ERR_CORRUPT,
			       "%s: stack tags have no <!DOCTYPE>: remove it", reader->name);
	if (!root || !is_element(root, "Tag"))
		return err_set(reader->err, ERR_CORRUPT,
			       "%s: not a file of stack tags: its root is not <Tag>", reader->name);
	if (read_tag(reader, root, "", 0))
		return -1;
	if (!reader->tags->rules_nr)
		return err_set(reader->err, ERR_CORRUPT, "%s: it has no <Entrypoint>",
			       reader->name);
	qsort(reader->tags->rules, reader->tags->rules_nr, sizeof(*reader->tags->rules),
	      compare_rules);
	return 0;
}

/* Nothing is loaded for it, entities are not replaced, and libxml2 prints nothing. */
#define PARSE_OPTIONS (XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING)

int stack_tags_read(const char *text, size_t len, const char *name, struct stack_tags **result,
		    struct err *err)
{
	const struct reader reader = { xcalloc(1, sizeof(struct stack_tags)), name, err };
	xmlParserCtxt *context = xmlNewParserCtxt();
	xmlDoc *document =
		len <= STACK_TAGS_MAX && context
			? xmlCtxtReadMemory(context, text, (int)len, NULL, NULL, PARSE_OPTIONS)
			: NULL;
	const xmlError *error = context ? xmlCtxtGetLastError(context) : NULL;
	int rc;

	if (document) {
		rc = read_document(&reader, document);
	} else {
		struct strbuf what = STRBUF_INIT;

		strbuf_adds(&what, error && error->message ? error->message : "too large");
		while (what.len && what.buf[what.len - 1] == '\n')
			strbuf_set_len(&what, what.len - 1);
		rc = err_set(err, ERR_CORRUPT, "%s:%d: not XML: %s", name, error ? error->line : 0,
			     what.buf);
		strbuf_release(&what);
	}
	xmlFreeDoc(document);
	xmlFreeParserCtxt(context);
	if (rc) {
		stack_tags_free(reader.tags);
		return -1;
	}
	*result = reader.tags;
	return 0;
}

struct stack_tags *stack_tags_builtin(void)
{
	struct err never = ERR_INIT;
	struct stack_tags *tags = NULL;

	if (stack_tags_read(builtin_stack_tags, builtin_stack_tags_length, "rustc.stacktags", &tags,
			    &never))
		abort(); /* a test reads the same text */
	return tags;
}

size_t stack_tags_nr(const struct stack_tags *tags)
{
	return tags->nr;
}

const char *stack_tags_name(const struct stack_tags *tags, uint32_t tag)
{
	return tags->tags[tag].name;
}

/* The name that a module of Linux would have on Windows. */
static void add_windows_name(struct strbuf *sb, const char *module)
{
	const char *so = strstr(module, ".so");

	if (so && (so[3] == '\0' || so[3] == '.')) {
		if (text_starts_with(module, "lib"))
			module += 3;
		strbuf_add(sb, module, (size_t)(so - module));
		strbuf_adds(sb, ".dll");
	} else if (*module != '[' && !text_ends_with(module, ".dll")) {
		strbuf_addf(sb, "%s.exe", module);
	} else {
		strbuf_adds(sb, module);
	}
}

/* Most patterns begin with plain characters, and most names with others; text_glob() is slow where it begins with *. */
static bool matches_method(const struct rule *rule, const char *function)
{
	const char *method = rule->method;

	if (rule->part)
		return strstr(function, rule->part) != NULL;
	return !method ||
	       ((*method == '*' || *method == *function) && text_glob(method, function, false));
}

uint32_t stack_tags_find(const struct stack_tags *tags, const char *module, const char *function)
{
	struct strbuf windows = STRBUF_INIT;
	uint32_t found = STACK_TAG_NONE;

	add_windows_name(&windows, module);
	for (size_t i = 0; i < tags->rules_nr && found == STACK_TAG_NONE; i++) {
		const struct rule *rule = &tags->rules[i];

		if (matches_method(rule, function) && (text_glob(rule->module, module, true) ||
						       text_glob(rule->module, windows.buf, true)))
			found = rule->tag;
	}
	strbuf_release(&windows);
	return found;
}

uint32_t stack_tags_join(const struct stack_tags *tags, uint32_t callers, uint32_t innermost)
{
	if (innermost == STACK_TAG_NONE || callers == STACK_TAG_NONE)
		return innermost == STACK_TAG_NONE ? callers : innermost;
	return tags->tags[innermost].priority >= tags->tags[callers].priority ? innermost : callers;
}
