#include "platform/build_tree.h"

#include <stdlib.h>

#include "platform/clock.h"
#include "util/text.h"

void build_tree_release(struct build_tree *tree)
{
	free(tree->v);
	*tree = (struct build_tree)BUILD_TREE_INIT;
}

size_t build_tree_signal(const char *cookie, int64_t spare, bool force)
{
	struct build_tree tree = BUILD_TREE_INIT;
	size_t count;

	build_tree_find(cookie, spare, &tree);
	count = tree.nr;
	for (size_t i = 0; i < count; i++)
		build_process_end(tree.v[i].pid, force);
	build_tree_release(&tree);
	return count;
}

size_t build_tree_end(const char *cookie, int64_t spare, int64_t grace_ns)
{
	int64_t now = clock_now(), kill_at = now + grace_ns, call_at = now;
	struct build_tree tree = BUILD_TREE_INIT;
	size_t first = 0;
	int empty = 0;

	/*
	 * Give up a few seconds after the grace period: not even a kill ends a process that is stuck in a system call
	 * or a driver.
	 */
	for (; now < kill_at + 5 * NS_PER_S; now = clock_now()) {
		build_tree_find(cookie, spare, &tree);
		/*
		 * A process that has just started, or is in the middle of an exec, has no readable environment: one
		 * scan is not enough.
		 */
		empty = tree.nr ? 0 : empty + 1;
		if (empty == 2)
			break;
		if (!first)
			first = tree.nr;
		/* Signal again every second: processes that started in between have not got the first signal. */
		if (tree.nr && (now >= call_at || now >= kill_at)) {
			build_tree_signal(cookie, spare, now >= kill_at);
			call_at = now + NS_PER_S;
		}
		clock_sleep(20 * NS_PER_MS);
	}
	build_tree_release(&tree);
	return first;
}
