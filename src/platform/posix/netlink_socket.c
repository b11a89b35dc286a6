#include "platform/posix/netlink_socket.h"

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
#include "platform/posix/netlink_decode.h"
#include "util/array.h"
#include "util/text.h"

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
