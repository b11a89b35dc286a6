#include "platform/posix/netlink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>

#include "util/array.h"

/* A message under construction. */
struct packet {
	_Alignas(8) unsigned char bytes[1024];
	size_t len;
};

static void add(struct packet *packet, const void *data, size_t len)
{
	memcpy(packet->bytes + packet->len, data, len);
	packet->len += (len + 3) / 4 * 4;
}

static void begin(struct packet *packet, uint16_t type)
{
	struct nlmsghdr head = { .nlmsg_type = type };

	memset(packet, 0, sizeof(*packet));
	add(packet, &head, sizeof(head));
}

static void end(struct packet *packet)
{
	((struct nlmsghdr *)packet->bytes)->nlmsg_len = (uint32_t)packet->len;
}

static void make_event(struct packet *packet, uint32_t what, const uint32_t *values, size_t nr)
{
	const uint32_t connector[] = { CN_IDX_PROC, CN_VAL_PROC, 7, 42, 40 };
	const uint64_t time_ns = 123456789012;
	const uint32_t cpu = 1;

	begin(packet, NLMSG_DONE);
	add(packet, connector, sizeof(connector));
	add(packet, &what, sizeof(what));
	add(packet, &cpu, sizeof(cpu));
	add(packet, &time_ns, sizeof(time_ns));
	add(packet, values, nr * sizeof(*values));
	end(packet);
}

static void cn_proc_decode__each_kind__fields(void **state)
{
	const uint32_t fork_values[] = { 10, 11, 12, 13 };
	const uint32_t exec_values[] = { 20, 21 };
	const uint32_t exit_values[] = { 30, 31, 0x300, 17 };
	const uint32_t ack_values[] = { 1 };
	struct cn_proc_msg msg;
	struct packet packet;
	size_t at = 0;

	(void)state;
	make_event(&packet, PROC_EVENT_FORK, fork_values, 4);
	assert_int_equal(cn_proc_decode(packet.bytes, packet.len, &at, &msg), 1);
	assert_int_equal(msg.kind, CN_PROC_FORK);
	assert_int_equal(msg.time_ns, 123456789012);
	assert_int_equal(msg.ppid, 11);
	assert_int_equal(msg.pid, 12);
	assert_int_equal(msg.tgid, 13);
	assert_int_equal(cn_proc_decode(packet.bytes, packet.len, &at, &msg), 0);

	make_event(&packet, PROC_EVENT_EXEC, exec_values, 2);
	at = 0;
	assert_int_equal(cn_proc_decode(packet.bytes, packet.len, &at, &msg), 1);
	assert_int_equal(msg.kind, CN_PROC_EXEC);
	assert_int_equal(msg.tgid, 21);

	make_event(&packet, PROC_EVENT_EXIT, exit_values, 4);
	at = 0;
	assert_int_equal(cn_proc_decode(packet.bytes, packet.len, &at, &msg), 1);
	assert_int_equal(msg.kind, CN_PROC_EXIT);
	assert_int_equal(msg.status, 0x300);

	make_event(&packet, PROC_EVENT_NONE, ack_values, 1);
	at = 0;
	assert_int_equal(cn_proc_decode(packet.bytes, packet.len, &at, &msg), 1);
	assert_int_equal(msg.kind, CN_PROC_ACK);
	assert_int_equal(msg.ack, 42);
	assert_int_equal(msg.status, 1);
}

static void cn_proc_decode__cut_anywhere__fails(void **state)
{
	const uint32_t values[] = { 10, 11, 12, 13 };
	struct cn_proc_msg msg;
	struct packet packet;

	(void)state;
	make_event(&packet, PROC_EVENT_FORK, values, 4);
	for (size_t len = 1; len < packet.len; len++) {
		size_t at = 0;

		assert_int_equal(cn_proc_decode(packet.bytes, len, &at, &msg), -1);
	}
	/* A message that says itself that it is short. */
	packet.len -= 4;
	end(&packet);
	{
		size_t at = 0;

		assert_int_equal(cn_proc_decode(packet.bytes, packet.len, &at, &msg), -1);
	}
}

static void make_record(struct packet *packet, const void *stats, size_t size)
{
	struct genlmsghdr generic = { .cmd = TASKSTATS_CMD_NEW };
	struct nlattr head = { .nla_type = TASKSTATS_TYPE_AGGR_PID };
	struct nlattr pid = { NLA_HDRLEN + 4, TASKSTATS_TYPE_PID };
	struct nlattr body = { (uint16_t)(NLA_HDRLEN + size), TASKSTATS_TYPE_STATS };
	uint32_t number = 55;

	begin(packet, NLMSG_MIN_TYPE + 9);
	add(packet, &generic, sizeof(generic));
	head.nla_len = (uint16_t)(NLA_HDRLEN + pid.nla_len + NLA_ALIGN(body.nla_len));
	add(packet, &head, sizeof(head));
	add(packet, &pid, sizeof(pid));
	add(packet, &number, sizeof(number));
	add(packet, &body, sizeof(body));
	add(packet, stats, size);
	end(packet);
}

static void taskstats_decode__versions__fields(void **state)
{
	struct taskstats stats = { .version = 13,
				   .ac_pid = 55,
				   .ac_utime = 4000,
				   .ac_stime = 1000,
				   .cpu_run_virtual_total = 1234567,
				   .hiwater_rss = 2048 };
	struct taskstats_msg msg;
	struct packet packet;
	size_t at = 0;

	(void)state;
	stats.ac_tgid = 50;
	make_record(&packet, &stats, sizeof(stats));
	assert_int_equal(taskstats_decode(packet.bytes, packet.len, &at, &msg), 1);
	assert_int_equal(msg.pid, 55);
	assert_int_equal(msg.tgid, 50);
	assert_int_equal(msg.cpu_ns, 1234567);
	assert_true(msg.exact);
	assert_int_equal(msg.peak_rss_bytes, 2048 * 1024);

	/* As Linux 5.10 has it, and without delay accounting at all. */
	stats.version = 10;
	stats.cpu_run_virtual_total = 0;
	make_record(&packet, &stats, 328);
	at = 0;
	assert_int_equal(taskstats_decode(packet.bytes, packet.len, &at, &msg), 1);
	assert_int_equal(msg.tgid, 0);
	assert_int_equal(msg.cpu_ns, 5000000);
	assert_false(msg.exact);

	make_record(&packet, &stats, 100);
	at = 0;
	assert_int_equal(taskstats_decode(packet.bytes, packet.len, &at, &msg), -1);
	assert_int_equal(taskstats_decode(packet.bytes, 40, &at, &msg), 0);
}

/* Each sum has another number, so that none is taken for another. */
static const struct taskstats waiting = { .version = 14,
					  .ac_pid = 55,
					  .ac_etime = 1,
					  .ac_utime = 4000,
					  .cpu_run_virtual_total = 1234567,
					  .hiwater_rss = 2048,
					  .cpu_delay_total = 1,
					  .blkio_delay_total = 20,
					  .swapin_delay_total = 300,
					  .freepages_delay_total = 4000,
					  .thrashing_delay_total = 50000,
					  .compact_delay_total = 600000,
					  .ac_tgid = 50,
					  .wpcopy_delay_total = 7000000 };

static void check_waiting(const struct taskstats_msg *msg)
{
	assert_int_equal(msg->pid, 55);
	assert_int_equal(msg->tgid, 50);
	assert_int_equal(msg->cpu_ns, 1234567);
	assert_int_equal(msg->peak_rss_bytes, 2048 * 1024);
	assert_int_equal(msg->waits.cpu_ns, 1);
	assert_int_equal(msg->waits.io_ns, 20);
	assert_int_equal(msg->waits.memory_ns, 654300);
}

static void taskstats_decode__waits__are_sums(void **state)
{
	struct taskstats old = waiting;
	struct taskstats_msg msg;
	struct packet packet;
	size_t at = 0;

	(void)state;
	make_record(&packet, &waiting, sizeof(waiting));
	assert_int_equal(taskstats_decode(packet.bytes, packet.len, &at, &msg), 1);
	check_waiting(&msg);

	/* As Linux 5.10 has it: no compaction. */
	old.version = 10;
	make_record(&packet, &old, 344);
	at = 0;
	assert_int_equal(taskstats_decode(packet.bytes, packet.len, &at, &msg), 1);
	assert_int_equal(msg.waits.memory_ns, 54300);
}

/* A wait that is longer than the task was there: the kernel took the start of the machine for its begin. */
static void taskstats_decode__impossible_wait__is_unknown(void **state)
{
	static const struct {
		uint64_t wait_ns, elapsed_us;
		int64_t expected;
	} cases[] = {
		{ 5000, 5, 5000 }, { 5999, 5, 5999 }, /* rounded */
		{ 6000, 5, -1 },   { UINT64_C(5129000000000), 1490000, -1 },
		{ 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct taskstats stats = waiting;
		struct taskstats_msg msg;
		struct packet packet;
		size_t at = 0;

		stats.blkio_delay_total = cases[i].wait_ns;
		stats.ac_etime = cases[i].elapsed_us;
		make_record(&packet, &stats, sizeof(stats));
		assert_int_equal(taskstats_decode(packet.bytes, packet.len, &at, &msg), 1);
		assert_int_equal(msg.waits.io_ns, cases[i].expected);
		assert_int_equal(msg.waits.cpu_ns, 1);
	}
}

/* Version 15 has two more numbers after each sum. */
static void taskstats_decode__version_15__numbers_have_moved(void **state)
{
	static const size_t sums[] = {
		offsetof(struct taskstats, cpu_delay_total),
		offsetof(struct taskstats, blkio_delay_total),
		offsetof(struct taskstats, swapin_delay_total),
		offsetof(struct taskstats, freepages_delay_total),
		offsetof(struct taskstats, thrashing_delay_total),
		offsetof(struct taskstats, compact_delay_total),
		offsetof(struct taskstats, wpcopy_delay_total),
	};
	unsigned char moved[sizeof(waiting) + 16 * ARRAY_SIZE(sums)];
	size_t from = 0, to = 0, at = 0;
	struct taskstats_msg msg;
	struct packet packet;
	uint16_t version = 15;

	(void)state;
	memset(moved, 0xee, sizeof(moved));
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++) {
		size_t end = sums[i] + 8;

		memcpy(moved + to, (const unsigned char *)&waiting + from, end - from);
		to += end - from + 16;
		from = end;
	}
	memcpy(moved + to, (const unsigned char *)&waiting + from, sizeof(waiting) - from);
	memcpy(moved, &version, sizeof(version));
	make_record(&packet, moved, to + sizeof(waiting) - from);
	assert_int_equal(taskstats_decode(packet.bytes, packet.len, &at, &msg), 1);
	check_waiting(&msg);
}

static void genl_family_decode__answer_and_error__are_distinguished(void **state)
{
	struct genlmsghdr generic = { .cmd = CTRL_CMD_NEWFAMILY };
	struct nlattr attr = { NLA_HDRLEN + 2, CTRL_ATTR_FAMILY_ID };
	uint16_t number = 27, id = 0;
	struct packet packet;
	int32_t code = -2;
	int errnum;

	(void)state;
	begin(&packet, GENL_ID_CTRL);
	add(&packet, &generic, sizeof(generic));
	add(&packet, &attr, sizeof(attr));
	add(&packet, &number, sizeof(number));
	end(&packet);
	assert_int_equal(genl_family_decode(packet.bytes, packet.len, &id, &errnum), 1);
	assert_int_equal(id, 27);

	begin(&packet, NLMSG_ERROR);
	add(&packet, &code, sizeof(code));
	end(&packet);
	assert_int_equal(genl_family_decode(packet.bytes, packet.len, &id, &errnum), 0);
	assert_int_equal(errnum, 2);
	assert_int_equal(genl_family_decode(packet.bytes, 5, &id, &errnum), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cn_proc_decode__each_kind__fields),
		cmocka_unit_test(cn_proc_decode__cut_anywhere__fails),
		cmocka_unit_test(taskstats_decode__versions__fields),
		cmocka_unit_test(taskstats_decode__waits__are_sums),
		cmocka_unit_test(taskstats_decode__impossible_wait__is_unknown),
		cmocka_unit_test(taskstats_decode__version_15__numbers_have_moved),
		cmocka_unit_test(genl_family_decode__answer_and_error__are_distinguished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
