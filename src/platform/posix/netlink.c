#include "platform/posix/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/clock.h"
#include "util/array.h"
#include "util/text.h"

/*
 * Where the numbers of a record are. Not by the system's header: older ones lack some, and that of version 15 has them at
 * other places. `compact` came with version 11, `tgid` with 12.
 */
enum {
	AT_CPU_DELAY = 24,
	AT_BLKIO_DELAY = 40,
	AT_SWAPIN_DELAY = 56,
	AT_CPU_RUN_VIRTUAL = 72,
	AT_PID = 128,
	AT_ETIME = 144,
	AT_UTIME = 152,
	AT_STIME = 160,
	AT_HIWATER_RSS = 200,
	AT_FREEPAGES_DELAY = 320,
	AT_THRASHING_DELAY = 336,
	AT_COMPACT_DELAY = 360,
	AT_TGID = 368,
};
#if TASKSTATS_VERSION >= 12 && TASKSTATS_VERSION != 15
_Static_assert(offsetof(struct taskstats, hiwater_rss) == AT_HIWATER_RSS, "a fixed layout");
_Static_assert(offsetof(struct taskstats, ac_tgid) == AT_TGID, "a fixed layout");
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
 * Where a number of a record is, which other versions have at `offset`. Version 15, of Linux 6.14 and 6.15, has two more
 * numbers, the largest and the smallest, after the sum of each kind of delay; version 16 moved them to the end
 * (https://lore.kernel.org/all/20250510155413259V4JNRXxukdDgzsaL0Fo6a@zte.com.cn/).
 */
static size_t find_number(unsigned version, size_t offset)
{
	static const size_t sums[] = {
		AT_CPU_DELAY,       AT_BLKIO_DELAY,     AT_SWAPIN_DELAY,
		AT_FREEPAGES_DELAY, AT_THRASHING_DELAY, AT_COMPACT_DELAY,
	};
	size_t before = 0;

	for (size_t i = 0; version == 15 && i < ARRAY_SIZE(sums); i++)
		before += sums[i] < offset;
	return offset + before * 2 * sizeof(uint64_t);
}

/* 0: the record has no such number. */
static int64_t get_number(struct bytes stats, unsigned version, size_t offset)
{
	size_t at = find_number(version, offset);

	return stats.len >= at + sizeof(uint64_t) ? get64(stats.at + at) : 0;
}

static int64_t sum_of(const int64_t *values, size_t nr)
{
	int64_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum = values[i] > 0 && values[i] < INT64_MAX - sum ? sum + values[i] : sum;
	return sum;
}

/*
 * A task that is woken before it has slept may get a wait that began when the machine did (seen on Linux 6.18: each adds
 * the uptime). -1: the task was not there for so long. `elapsed` is in microseconds, rounded down.
 */
static int64_t possible(int64_t wait_ns, int64_t elapsed)
{
	return wait_ns / 1000 > elapsed ? -1 : wait_ns;
}

static struct waits decode_waits(struct bytes stats, unsigned version)
{
	const int64_t memory[] = {
		get_number(stats, version, AT_SWAPIN_DELAY),
		get_number(stats, version, AT_FREEPAGES_DELAY),
		get_number(stats, version, AT_THRASHING_DELAY),
		version >= 11 ? get_number(stats, version, AT_COMPACT_DELAY) : 0,
	};
	const int64_t cpu = get_number(stats, version, AT_CPU_DELAY);
	const int64_t io = get_number(stats, version, AT_BLKIO_DELAY);

	return (struct waits){
		.cpu_ns = sum_of(&cpu, 1),
		.io_ns = possible(sum_of(&io, 1), get_number(stats, version, AT_ETIME)),
		.memory_ns = sum_of(memory, ARRAY_SIZE(memory)),
	};
}

/*
 * cpu_run_virtual_total is the scheduler's sum in nanoseconds. ac_utime and ac_stime are counted in clock ticks
 * unless the kernel accounts each switch, so they are mostly 0 for a task of less than a tick; they are used if the
 * former is not filled in.
 */
static void decode_record(struct bytes stats, struct taskstats_msg *msg)
{
	unsigned version = get16(stats.at);
	int64_t exact = get_number(stats, version, AT_CPU_RUN_VIRTUAL);
	int64_t utime = get_number(stats, version, AT_UTIME);
	int64_t stime = get_number(stats, version, AT_STIME);
	int64_t rss = get_number(stats, version, AT_HIWATER_RSS);
	size_t tgid = find_number(version, AT_TGID);

	msg->version = version;
	msg->pid = get_pid(stats.at + find_number(version, AT_PID));
	if (version >= 12 && stats.len >= tgid + 4)
		msg->tgid = get_pid(stats.at + tgid);
	msg->waits = decode_waits(stats, version);
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
	const size_t least = AT_HIWATER_RSS + sizeof(uint64_t);
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

#define CONNECTOR_NS  (500 * NS_PER_MS)
#define TASKSTATS_MS  1000
#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

enum netlink_result netlink_receive(int fd, void *buf, size_t size, size_t *len)
{
	for (;;) {
		struct sockaddr_nl from = { 0 };
		socklen_t from_len = sizeof(from);
		ssize_t got =
			recvfrom(fd, buf, size, MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == ENOBUFS ? NETLINK_LOST : NETLINK_EMPTY;
		/* Anyone may send to a netlink socket; only the kernel has port 0. */
		if (from.nl_pid)
			continue;
		*len = (size_t)got;
		return NETLINK_GOT;
	}
}

static void set_buffer(int fd, int64_t bytes)
{
	int size = bytes > INT32_MAX / 2 ? INT32_MAX / 2 : (int)bytes;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

int64_t netlink_dropped(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len) < 0 ||
	    len <= SK_MEMINFO_DROPS * sizeof(info[0]))
		return 0;
	return info[SK_MEMINFO_DROPS];
}

static int send_op(int fd, enum proc_cn_mcast_op op, uint32_t ack)
{
	struct nlmsghdr netlink = { .nlmsg_type = NLMSG_DONE };
	struct cn_msg connector = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .ack = ack };
	uint32_t value = op;
	struct iovec parts[] = {
		{ &netlink, sizeof(netlink) },
		{ &connector, sizeof(connector) },
		{ &value, sizeof(value) },
	};

	connector.len = sizeof(value);
	netlink.nlmsg_len = sizeof(netlink) + sizeof(connector) + sizeof(value);
	return writev(fd, parts, ARRAY_SIZE(parts)) == (ssize_t)netlink.nlmsg_len ? 0 : -1;
}

/* Receive only messages that are decoded: not those about thread names and changes of user. */
static void set_filter(int fd)
{
	const uint32_t what = NLMSG_HDRLEN + sizeof(struct cn_msg);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, what),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_FORK), 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXEC), 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXIT), 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_NONE), 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	struct sock_fprog filter = { ARRAY_SIZE(code), code };

	/* Without the filter there are more messages to read, without other effects. */
	(void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
}

/* Whether this datagram has the answer to our request; sets its errno. */
static bool find_answer(const char *buf, size_t len, uint32_t ack, int *errnum)
{
	struct cn_proc_msg msg;
	size_t at = 0;

	while (cn_proc_decode(buf, len, &at, &msg) > 0) {
		if (msg.kind == CN_PROC_ACK && msg.ack == ack + 1) {
			*errnum = (int)msg.status;
			return true;
		}
	}
	return false;
}

/*
 * In another namespace than the initial one the kernel accepts the subscription but sends nothing, so only the answer
 * proves that it works. Events before the answer belong to processes that are not tracked yet.
 */
static int wait_connector(int fd, uint32_t ack, struct err *err)
{
	char buf[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
	int64_t end = clock_now() + CONNECTOR_NS;
	int64_t left;
	int errnum = 0;

	while ((left = end - clock_now()) > 0) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		size_t len;

		if (poll(&wait, 1, (int)(left / NS_PER_MS) + 1) <= 0)
			continue;
		while (netlink_receive(fd, buf, sizeof(buf), &len) == NETLINK_GOT) {
			if (!find_answer(buf, len, ack, &errnum))
				continue;
			if (!errnum)
				return 0;
			return err_set_errno(err, errnum,
					     "the proc connector refuses the subscription");
		}
	}
	return err_set(err, ERR_UNSUPPORTED,
		       "the proc connector does not answer (in a container?)");
}

static int subscribe_connector(int fd, int64_t bytes, struct err *err)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	uint32_t ack = (uint32_t)(clock_now() / NS_PER_MS) ^ (uint32_t)getpid() << 16;

	set_buffer(fd, bytes);
	set_filter(fd);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		if (errno == EPERM)
			return err_set(err, ERR_UNSUPPORTED,
				       "the proc connector needs CAP_NET_ADMIN (run as root)");
		return err_set_errno(err, errno, "cannot bind to the proc connector");
	}
	if (send_op(fd, PROC_CN_MCAST_LISTEN, ack) < 0)
		return err_set_errno(err, errno, "cannot subscribe to the proc connector");
	return wait_connector(fd, ack, err);
}

int cn_proc_open(int64_t bytes, int *fd, struct err *err)
{
	int s = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);

	if (s < 0)
		return err_set_errno(err, errno, "no proc connector");
	if (subscribe_connector(s, bytes, err) < 0) {
		cn_proc_close(s);
		return -1;
	}
	*fd = s;
	return 0;
}

void cn_proc_close(int fd)
{
	if (fd < 0)
		return;
	/* Older kernels count listeners, and closing the socket does not change the count. */
	(void)send_op(fd, PROC_CN_MCAST_IGNORE, 0);
	close(fd);
}

struct request {
	struct nlmsghdr netlink;
	struct genlmsghdr generic;
	char attr[1024] __attribute__((aligned(NLMSG_ALIGNTO)));
};

/* A request with one string attribute. */
static int send_request(int fd, uint16_t family, uint8_t command, uint16_t attr, const char *value)
{
	struct request request;
	struct nlattr head;
	size_t size = strlen(value) + 1;

	memset(&request, 0, sizeof(request));
	if (NLA_HDRLEN + size > sizeof(request.attr)) {
		errno = EMSGSIZE;
		return -1;
	}
	head.nla_len = (uint16_t)(NLA_HDRLEN + size);
	head.nla_type = attr;
	memcpy(request.attr, &head, sizeof(head));
	memcpy(request.attr + NLA_HDRLEN, value, size);
	request.netlink.nlmsg_len =
		(uint32_t)(NLMSG_HDRLEN + GENL_HDRLEN + NLA_ALIGN(head.nla_len));
	request.netlink.nlmsg_type = family;
	request.netlink.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	request.generic.cmd = command;
	request.generic.version = 1;
	return send(fd, &request, request.netlink.nlmsg_len, 0) < 0 ? -1 : 0;
}

static int receive_answer(int fd, char *buf, size_t size, size_t *len)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	if (poll(&wait, 1, TASKSTATS_MS) <= 0)
		return -1;
	return netlink_receive(fd, buf, size, len) == NETLINK_GOT ? 0 : -1;
}

static int find_family(int fd, uint16_t *family, struct err *err)
{
	char buf[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
	size_t len;
	int errnum = 0;

	if (send_request(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME,
			 TASKSTATS_GENL_NAME) < 0 ||
	    receive_answer(fd, buf, sizeof(buf), &len) < 0)
		return err_set(err, ERR_UNSUPPORTED, "cannot query taskstats");
	if (genl_family_decode(buf, len, family, &errnum) <= 0)
		return err_set(err, ERR_UNSUPPORTED, "this kernel has no taskstats");
	/* The acknowledgement that follows the answer. */
	(void)receive_answer(fd, buf, sizeof(buf), &len);
	return 0;
}

/* The kernel refuses CPUs that are not possible, so a fixed large range cannot be used. */
static int read_possible_cpus(char *cpus, size_t size)
{
	int fd = open(POSSIBLE_CPUS, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -1;
	got = read(fd, cpus, size - 1);
	close(fd);
	if (got <= 0)
		return -1;
	cpus[got] = '\0';
	cpus[strcspn(cpus, "\n")] = '\0';
	return 0;
}

static int subscribe_taskstats(int fd, uint16_t family, struct err *err)
{
	char buf[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
	char cpus[512];
	struct taskstats_msg record;
	size_t len, at;
	int errnum;

	if (read_possible_cpus(cpus, sizeof(cpus)) < 0)
		return err_set_errno(err, errno, "cannot read '%s'", POSSIBLE_CPUS);
	if (send_request(fd, family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus) <
	    0)
		return err_set_errno(err, errno, "cannot subscribe to taskstats");
	/* Records may overtake the answer. */
	do {
		if (receive_answer(fd, buf, sizeof(buf), &len) < 0)
			return err_set(err, ERR_UNSUPPORTED, "taskstats does not answer");
		at = 0;
	} while (taskstats_decode(buf, len, &at, &record) > 0);
	errnum = netlink_error_decode(buf, len);
	if (!errnum)
		return 0;
	if (errnum == EPERM)
		return err_set(err, ERR_UNSUPPORTED, "taskstats needs CAP_NET_ADMIN (run as root)");
	return err_set(err, ERR_UNSUPPORTED,
		       "taskstats refuses the subscription (in a container?)");
}

int taskstats_open(int64_t bytes, int *fd, struct err *err)
{
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	uint16_t family = 0;

	if (s < 0)
		return err_set_errno(err, errno, "no generic netlink");
	set_buffer(s, bytes);
	if (bind(s, (struct sockaddr *)&address, sizeof(address)) < 0) {
		err_set_errno(err, errno, "cannot bind to generic netlink");
		goto failed;
	}
	if (find_family(s, &family, err) < 0 || subscribe_taskstats(s, family, err) < 0)
		goto failed;
	*fd = s;
	return 0;

failed:
	close(s);
	return -1;
}
