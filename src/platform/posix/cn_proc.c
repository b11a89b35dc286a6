#include "platform/posix/cn_proc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "platform/posix/netlink_decode.h"
#include "platform/posix/netlink_socket.h"
#include "util/array.h"

#define ANSWER_MS 500

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

/* Only what we read wakes us up: threads that name themselves and changes of user do not. */
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

	/* Without it there is more to read and no other difference. */
	(void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Does this datagram bring the answer to our request: with its errno. */
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
 * In a namespace of its own the kernel takes the subscription and stays silent, so the answer is the only proof.
 * Events that come before it belong to processes that nobody follows yet.
 */
static int wait_answer(int fd, uint32_t ack, struct err *err)
{
	char buf[4096] __attribute__((aligned(NLMSG_ALIGNTO)));
	int64_t end = now_ms() + ANSWER_MS;
	int64_t left;
	int errnum = 0;

	while ((left = end - now_ms()) > 0) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		size_t len;

		if (poll(&wait, 1, (int)left) <= 0)
			continue;
		while (netlink_receive(fd, buf, sizeof(buf), &len) == NETLINK_GOT) {
			if (!find_answer(buf, len, ack, &errnum))
				continue;
			if (!errnum)
				return 0;
			return err_set_errno(err, errnum, "the proc connector refuses");
		}
	}
	return err_set(err, ERR_UNSUPPORTED,
		       "the proc connector does not answer (in a container?)");
}

static int subscribe(int fd, int64_t bytes, struct err *err)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	uint32_t ack = (uint32_t)now_ms() ^ (uint32_t)getpid() << 16;

	netlink_set_buffer(fd, bytes);
	set_filter(fd);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		if (errno == EPERM)
			return err_set(err, ERR_UNSUPPORTED,
				       "the proc connector needs CAP_NET_ADMIN (run as root)");
		return err_set_errno(err, errno, "cannot bind to the proc connector");
	}
	if (send_op(fd, PROC_CN_MCAST_LISTEN, ack) < 0)
		return err_set_errno(err, errno, "cannot subscribe to the proc connector");
	return wait_answer(fd, ack, err);
}

int cn_proc_open(int64_t bytes, int *fd, struct err *err)
{
	int s = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);

	if (s < 0)
		return err_set_errno(err, errno, "no proc connector");
	if (subscribe(s, bytes, err) < 0) {
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
	/* Older kernels count listeners and never notice that one is gone. */
	(void)send_op(fd, PROC_CN_MCAST_IGNORE, 0);
	close(fd);
}
