#include "platform/posix/proc_table.h"

#include <stdlib.h>
#include <unistd.h>

#include "util/alloc.h"

static struct proc_tracked **bucket_of(const struct proc_table *table, int64_t pid)
{
	return &table->buckets[(uint64_t)pid & (table->size - 1)];
}

static void free_tracked(struct proc_tracked *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	free(p);
}

void proc_table_release_reader(struct proc_tracked *p)
{
	if (--p->readers == 0 && p->removed)
		free_tracked(p);
}

static bool is_any(struct proc_tracked *p, void *data)
{
	(void)p;
	(void)data;
	return true;
}

void proc_table_release(struct proc_table *table)
{
	proc_table_sweep(table, is_any, NULL);
	free(table->buckets);
	*table = (struct proc_table){ 0 };
}

struct proc_tracked *proc_table_find(const struct proc_table *table, int64_t pid)
{
	struct proc_tracked *p = table->size ? *bucket_of(table, pid) : NULL;

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

static void grow(struct proc_table *table)
{
	struct proc_table larger = { .size = table->size ? table->size * 2 : 256,
				     .nr = table->nr,
				     .living = table->living };

	larger.buckets = xcalloc(larger.size, sizeof(*larger.buckets));
	for (size_t i = 0; i < table->size; i++) {
		struct proc_tracked *p = table->buckets[i];

		while (p) {
			struct proc_tracked *next = p->next;
			struct proc_tracked **bucket = bucket_of(&larger, p->pid);

			p->next = *bucket;
			*bucket = p;
			p = next;
		}
	}
	free(table->buckets);
	*table = larger;
}

struct proc_tracked *proc_table_add(struct proc_table *table, int64_t pid)
{
	struct proc_tracked *p = xcalloc(1, sizeof(*p));
	struct proc_tracked **bucket;

	if (table->nr >= table->size)
		grow(table);
	p->pid = pid;
	p->cpu_ns = p->told_cpu_ns = -1;
	p->peak_rss_bytes = p->told_peak_rss_bytes = -1;
	p->pidfd = -1;
	bucket = bucket_of(table, pid);
	p->next = *bucket;
	*bucket = p;
	table->nr++;
	return p;
}

void proc_table_sweep(struct proc_table *table, bool (*is_done)(struct proc_tracked *p, void *data),
		      void *data)
{
	for (size_t i = 0; i < table->size; i++) {
		struct proc_tracked **link = &table->buckets[i];

		while (*link) {
			struct proc_tracked *p = *link;

			if (!is_done(p, data)) {
				link = &p->next;
				continue;
			}
			*link = p->next;
			table->nr--;
			p->removed = true;
			if (!p->readers)
				free_tracked(p);
		}
	}
}
