/* A call: the command line goes to the server, its output and exit code come back. */
#include "launcher.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

extern char **environ;

#define STDIN_CHUNK (64u * 1024)
#define UNREAD_MAX (1u << 20) /* of a control client; the server waits then */
#define EXIT_PROTOCOL 3 /* client/mplex.ts */

static void put_terminal(struct bytes *body)
{
	struct winsize size = { 0 };
	char tty[PATH_MAX];
	const char *term = getenv("TERM");
	ssize_t length;
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	length = readlink("/proc/self/fd/0", tty, sizeof tty - 1);
	if (length < 0)
		length = snprintf(tty, sizeof tty, "/dev/tty-%ld", (long)getpid());
	tty[length] = '\0';
	put_u8(body, 1);
	put_u16(body, size.ws_col > 0 ? size.ws_col : 80);
	put_u16(body, size.ws_row > 0 ? size.ws_row : 24);
	put_str(body, tty);
	put_str(body, term != NULL ? term : "");
}

int has_terminal(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void put_list(struct bytes *body, char **words, int are_variables)
{
	uint32_t count = 0;
	for (char **word = words; *word != NULL; word++)
		count += !are_variables || strchr(*word, '=') != NULL;
	put_u32(body, count);
	for (char **word = words; *word != NULL; word++)
		if (!are_variables || strchr(*word, '=') != NULL)
			put_str(body, *word);
}

void put_command(struct bytes *body, const struct call *call)
{
	char cwd[PATH_MAX];
	const char *pwd = getenv("PWD");
	put_u32(body, (uint32_t)getpid());
	put_u8(body, (unsigned)(call->no_start | call->colors256 << 1 | call->utf8 << 2 | call->as_tmux << 3 |
	                        call->control << 4));
	put_str(body, getcwd(cwd, sizeof cwd) != NULL ? cwd : pwd != NULL ? pwd : "/");
	put_list(body, call->argv, 0);
	put_list(body, environ, 1);
	if (has_terminal())
		put_terminal(body);
	else
		put_u8(body, 0);
}

/* Sends what standard input has; false once it has ended. */
static int pump_stdin(int fd)
{
	static char chunk[STDIN_CHUNK];
	struct bytes body = { 0 };
	ssize_t count = read(STDIN_FILENO, chunk, sizeof chunk);
	if (count < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	if (count > 0)
		put(&body, chunk, (size_t)count);
	send_frame(fd, count > 0 ? FRAME_STDIN : FRAME_STDIN_END, &body);
	free(body.at);
	return count > 0;
}

static void hand_over(const struct call *call, const struct frame *frame)
{
	char launch[256];
	uint32_t length = frame->length >= 4 ? read_u32(frame->body) : 0;
	if (length == 0 || length > frame->length - 4 || length > 200) {
		fputs("message cut short\n", stderr);
		exit(EXIT_PROTOCOL);
	}
	snprintf(launch, sizeof launch, "token=%.*s", (int)length, (const char *)frame->body + 4);
	become_node(call, launch);
}

/* Once nobody reads (`list-keys | head -1`) the rest is dropped; the call goes on and its exit code is the server's. */
static void print(const struct frame *frame)
{
	static int is_unread;
	if (is_unread || write_all(STDOUT_FILENO, frame->body, frame->length) == 0)
		return;
	if (errno != EPIPE) {
		fprintf(stderr, "can't write: %s\n", strerror(errno));
		exit(1);
	}
	is_unread = 1;
}

/* What a control client has not read yet, and the code with which it ends then; -1 while it goes on. */
static struct {
	struct bytes bytes;
	size_t at;
	int code;
} unread = { .code = -1 };

/* Writes as much as the reader of a control client certainly takes at once; ends with a reader that is gone. */
static void write_unread(void)
{
	size_t length = unread.bytes.length - unread.at;
	ssize_t count = write(STDOUT_FILENO, unread.bytes.at + unread.at, length < PIPE_BUF ? length : PIPE_BUF);
	if (count < 0 && errno == EPIPE)
		exit(0);
	if (count < 0 && errno != EAGAIN && errno != EINTR) {
		fprintf(stderr, "can't write: %s\n", strerror(errno));
		exit(1);
	}
	if (count > 0)
		unread.at += (size_t)count;
	if (unread.at == unread.bytes.length)
		unread.at = unread.bytes.length = 0;
}

static void take_control_frame(const struct frame *frame, int *wants_stdin)
{
	if (frame->type == FRAME_STDOUT)
		put(&unread.bytes, frame->body, frame->length);
	else if (frame->type == FRAME_STDERR)
		write_all(STDERR_FILENO, frame->body, frame->length);
	else if (frame->type == FRAME_EXIT)
		unread.code = frame->length >= 4 ? frame->body[3] : 1;
	else if (frame->type == FRAME_WANT_STDIN)
		*wants_stdin = 1;
}

/*
 * Lines go to the server, its blocks and notices come back, neither waiting for the other: a client may write many
 * commands before it reads a reply. Returns when the server is gone without a word.
 */
static void run_control(struct reader *reader)
{
	int wants_stdin = 0, found = 0;
	struct frame frame;
	for (;;) {
		while (unread.code < 0 && unread.bytes.length < UNREAD_MAX && (found = next_frame(reader, &frame)) > 0)
			take_control_frame(&frame, &wants_stdin);
		if (found < 0)
			break;
		if (unread.code >= 0 && unread.bytes.length == 0)
			exit(unread.code);
		int is_over = unread.code >= 0, is_full = unread.bytes.length >= UNREAD_MAX;
		struct pollfd polls[3] = {
			{ is_over || is_full ? -1 : reader->fd, POLLIN, 0 },
			{ !is_over && wants_stdin ? STDIN_FILENO : -1, POLLIN, 0 },
			{ unread.bytes.length > 0 ? STDOUT_FILENO : -1, POLLOUT, 0 },
		};
		if (poll(polls, 3, -1) < 0)
			continue;
		if (polls[2].revents != 0)
			write_unread();
		if (polls[1].revents != 0)
			wants_stdin = pump_stdin(reader->fd);
		if (polls[0].revents != 0 && read_more(reader) <= 0)
			break;
	}
	write_all(STDOUT_FILENO, unread.bytes.at + unread.at, unread.bytes.length - unread.at);
}

static void take_frame(const struct call *call, const struct frame *frame, int *wants_stdin)
{
	switch (frame->type) {
	case FRAME_STDOUT:
		print(frame);
		break;
	case FRAME_STDERR:
		write_all(STDERR_FILENO, frame->body, frame->length);
		break;
	case FRAME_EXIT:
		exit(frame->length >= 4 ? frame->body[3] : 1);
	case FRAME_HANDOVER:
		hand_over(call, frame);
		break;
	case FRAME_WANT_STDIN:
		*wants_stdin = 1;
		break;
	default:
		break; /* for attached clients, or of a later minor version */
	}
}

void make_call(const struct call *call, int fd)
{
	struct reader reader = { .fd = fd };
	struct frame frame;
	struct bytes command = { 0 };
	int wants_stdin = 0, found = 0, is_small;
	signal(SIGPIPE, SIG_IGN);
	put_command(&command, call);
	is_small = command.length <= SENT_AT_ONCE;
	/*
	 * A command that certainly fits into the socket does not wait for the greeting: a server of another protocol takes
	 * nothing after a HELLO like ours, and one that never answers cannot hold us.
	 */
	send_hello(fd);
	if (is_small)
		send_frame(fd, FRAME_COMMAND, &command);
	if (!take_hello(&reader)) {
		close(fd);
		become_node(call, NULL);
	}
	if (!is_small)
		send_frame(fd, FRAME_COMMAND, &command);
	free(command.at);
	if (call->control)
		run_control(&reader);
	while (!call->control) {
		struct pollfd polls[2] = { { fd, POLLIN, 0 }, { STDIN_FILENO, POLLIN, 0 } };
		while ((found = next_frame(&reader, &frame)) > 0)
			take_frame(call, &frame, &wants_stdin);
		if (found < 0)
			break;
		if (wants_stdin && poll(polls, 2, -1) < 0)
			continue;
		if (wants_stdin && polls[1].revents != 0)
			wants_stdin = pump_stdin(fd);
		if ((!wants_stdin || polls[0].revents != 0) && read_more(&reader) <= 0)
			break;
	}
	fputs("server exited unexpectedly\n", stderr);
	exit(1);
}
