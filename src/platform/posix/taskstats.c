#include "platform/posix/taskstats.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "platform/posix/netlink_decode.h"
#include "platform/posix/netlink_socket.h"

#define ANSWER_MS     1000
#define POSSIBLE_CPUS "/sys/devices/system/cpu/possible"

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

	if (poll(&wait, 1, ANSWER_MS) <= 0)
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
		return err_set(err, ERR_UNSUPPORTED, "cannot ask for taskstats");
	if (genl_family_decode(buf, len, family, &errnum) <= 0)
		return err_set(err, ERR_UNSUPPORTED, "this kernel has no taskstats");
	/* The acknowledgement that follows the answer. */
	(void)receive_answer(fd, buf, sizeof(buf), &len);
	return 0;
}

/* The kernel refuses CPUs that cannot be, so a generous range of our own will not do. */
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

static int subscribe(int fd, uint16_t family, struct err *err)
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
		return err_set_errno(err, errno, "cannot ask for taskstats");
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
	return err_set(err, ERR_UNSUPPORTED, "taskstats refuses (in a container?)");
}

int taskstats_open(int64_t bytes, int *fd, struct err *err)
{
	int s = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_GENERIC);
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	uint16_t family = 0;

	if (s < 0)
		return err_set_errno(err, errno, "no generic netlink");
	netlink_set_buffer(s, bytes);
	if (bind(s, (struct sockaddr *)&address, sizeof(address)) < 0) {
		err_set_errno(err, errno, "cannot bind to generic netlink");
		goto failed;
	}
	if (find_family(s, &family, err) < 0 || subscribe(s, family, err) < 0)
		goto failed;
	*fd = s;
	return 0;

failed:
	close(s);
	return -1;
}

void taskstats_close(int fd)
{
	/* The kernel drops a listener that is gone at the next record. */
	if (fd >= 0)
		close(fd);
}
