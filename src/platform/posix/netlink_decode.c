#include "platform/posix/netlink_decode.h"

#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>

/* Since version 12 of the record, which older systems' headers do not have. */
#define TASKSTATS_AC_TGID 368
#if TASKSTATS_VERSION >= 12
_Static_assert(offsetof(struct taskstats, ac_tgid) == TASKSTATS_AC_TGID, "a kernel's fixed layout");
#endif

struct bytes {
	const unsigned char *at;
	size_t len;
};

static uint16_t get16(const unsigned char *p)
{
	uint16_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static uint32_t get32(const unsigned char *p)
{
	uint32_t value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static int64_t get64(const unsigned char *p)
{
	uint64_t value;

	memcpy(&value, p, sizeof(value));
	return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

static int64_t get_pid(const unsigned char *p)
{
	return (int32_t)get32(p);
}

static int64_t multiply(int64_t value, int64_t by)
{
	return value > INT64_MAX / by ? INT64_MAX : value * by;
}

/* Get the netlink message at `*at` and its payload. Returns 1; 0 at the end; -1 if it is damaged. */
static int next_message(const void *buf, size_t len, size_t *at, uint16_t *type,
			struct bytes *payload)
{
	const unsigned char *p = buf;
	size_t size;

	if (*at >= len)
		return 0;
	p += *at;
	if (len - *at < NLMSG_HDRLEN)
		return -1;
	size = get32(p + offsetof(struct nlmsghdr, nlmsg_len));
	if (size < NLMSG_HDRLEN || size > len - *at)
		return -1;
	*type = get16(p + offsetof(struct nlmsghdr, nlmsg_type));
	payload->at = p + NLMSG_HDRLEN;
	payload->len = size - NLMSG_HDRLEN;
	*at += NLMSG_ALIGN(size) < len - *at ? NLMSG_ALIGN(size) : len - *at;
	return 1;
}

/* Size of the event after the common header; 0: a kind that is not decoded. */
static size_t event_size(uint32_t what)
{
	switch (what) {
	case PROC_EVENT_NONE:
		return 4;
	case PROC_EVENT_FORK:
		return 16;
	case PROC_EVENT_EXEC:
		return 8;
	case PROC_EVENT_EXIT:
		return 12;
	}
	return 0;
}

static void decode_event(uint32_t what, const unsigned char *p, struct cn_proc_msg *msg)
{
	switch (what) {
	case PROC_EVENT_NONE:
		msg->kind = CN_PROC_ACK;
		msg->status = get32(p);
		break;
	case PROC_EVENT_FORK:
		msg->kind = CN_PROC_FORK;
		msg->ppid = get_pid(p + 4);
		msg->pid = get_pid(p + 8);
		msg->tgid = get_pid(p + 12);
		break;
	case PROC_EVENT_EXEC:
		msg->kind = CN_PROC_EXEC;
		msg->pid = get_pid(p);
		msg->tgid = get_pid(p + 4);
		break;
	case PROC_EVENT_EXIT:
		msg->kind = CN_PROC_EXIT;
		msg->pid = get_pid(p);
		msg->tgid = get_pid(p + 4);
		msg->status = get32(p + 8);
		break;
	}
}

int cn_proc_decode(const void *buf, size_t len, size_t *at, struct cn_proc_msg *msg)
{
	const size_t head = offsetof(struct proc_event, event_data);
	struct bytes body;
	uint16_t type;
	uint32_t what;
	int ret = next_message(buf, len, at, &type, &body);

	memset(msg, 0, sizeof(*msg));
	if (ret <= 0)
		return ret;
	if (body.len < sizeof(struct cn_msg) + head ||
	    get32(body.at + offsetof(struct cn_msg, id.idx)) != CN_IDX_PROC ||
	    get32(body.at + offsetof(struct cn_msg, id.val)) != CN_VAL_PROC)
		return 1;
	msg->ack = get32(body.at + offsetof(struct cn_msg, ack));
	body.at += sizeof(struct cn_msg);
	body.len -= sizeof(struct cn_msg);
	what = get32(body.at);
	if (!event_size(what))
		return 1;
	if (body.len - head < event_size(what))
		return -1;
	msg->time_ns = get64(body.at + offsetof(struct proc_event, timestamp_ns));
	decode_event(what, body.at + head, msg);
	return 1;
}

/* Get the payload of the first attribute of `type`. False: there is none. */
static bool find_attr(struct bytes attrs, uint16_t type, struct bytes *payload)
{
	while (attrs.len >= NLA_HDRLEN) {
		size_t size = get16(attrs.at + offsetof(struct nlattr, nla_len));
		uint16_t have = get16(attrs.at + offsetof(struct nlattr, nla_type));

		if (size < NLA_HDRLEN || size > attrs.len)
			return false;
		if ((have & NLA_TYPE_MASK) == type) {
			payload->at = attrs.at + NLA_HDRLEN;
			payload->len = size - NLA_HDRLEN;
			return true;
		}
		size = NLA_ALIGN(size) < attrs.len ? NLA_ALIGN(size) : attrs.len;
		attrs.at += size;
		attrs.len -= size;
	}
	return false;
}

/*
 * cpu_run_virtual_total is the scheduler's sum in nanoseconds. ac_utime and ac_stime are counted in clock ticks
 * unless the kernel accounts each switch, so they are mostly 0 for a task of less than a tick; they are used if the
 * former is not filled in.
 */
static void decode_record(struct bytes stats, struct taskstats_msg *msg)
{
	int64_t exact = get64(stats.at + offsetof(struct taskstats, cpu_run_virtual_total));
	int64_t utime = get64(stats.at + offsetof(struct taskstats, ac_utime));
	int64_t stime = get64(stats.at + offsetof(struct taskstats, ac_stime));
	int64_t rss = get64(stats.at + offsetof(struct taskstats, hiwater_rss));

	msg->version = get16(stats.at);
	msg->pid = get_pid(stats.at + offsetof(struct taskstats, ac_pid));
	if (msg->version >= 12 && stats.len >= TASKSTATS_AC_TGID + 4)
		msg->tgid = get_pid(stats.at + TASKSTATS_AC_TGID);
	msg->exact = exact > 0;
	if (exact > 0)
		msg->cpu_ns = exact;
	else if (utime > INT64_MAX - stime)
		msg->cpu_ns = INT64_MAX;
	else
		msg->cpu_ns = multiply(utime + stime, 1000);
	msg->peak_rss_bytes = multiply(rss, 1024);
}

int taskstats_decode(const void *buf, size_t len, size_t *at, struct taskstats_msg *msg)
{
	const size_t least = offsetof(struct taskstats, hiwater_rss) + sizeof(uint64_t);
	struct bytes body, group, stats;
	uint16_t type;
	int ret;

	memset(msg, 0, sizeof(*msg));
	while ((ret = next_message(buf, len, at, &type, &body)) > 0) {
		if (type < NLMSG_MIN_TYPE || body.len < GENL_HDRLEN ||
		    body.at[0] != TASKSTATS_CMD_NEW)
			continue;
		body.at += GENL_HDRLEN;
		body.len -= GENL_HDRLEN;
		if (!find_attr(body, TASKSTATS_TYPE_AGGR_PID, &group) ||
		    !find_attr(group, TASKSTATS_TYPE_STATS, &stats))
			continue;
		if (stats.len < least)
			return -1;
		decode_record(stats, msg);
		return 1;
	}
	return ret;
}

int netlink_error_decode(const void *buf, size_t len)
{
	struct bytes body;
	uint16_t type;
	size_t at = 0;
	int32_t errnum;

	if (next_message(buf, len, &at, &type, &body) <= 0 || type != NLMSG_ERROR || body.len < 4)
		return -1;
	errnum = (int32_t)get32(body.at);
	return errnum > 0 || errnum == INT32_MIN ? -1 : -errnum;
}

int genl_family_decode(const void *buf, size_t len, uint16_t *id, int *errnum)
{
	struct bytes body, attr;
	uint16_t type;
	size_t at = 0;

	*errnum = netlink_error_decode(buf, len);
	if (*errnum >= 0)
		return 0;
	if (next_message(buf, len, &at, &type, &body) <= 0 || type != GENL_ID_CTRL ||
	    body.len < GENL_HDRLEN)
		return -1;
	body.at += GENL_HDRLEN;
	body.len -= GENL_HDRLEN;
	if (!find_attr(body, CTRL_ATTR_FAMILY_ID, &attr) || attr.len < sizeof(*id))
		return -1;
	*id = get16(attr.at);
	return 1;
}
