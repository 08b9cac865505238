/*
 * mplex-launcher: the command line without Node. It makes one-shot calls itself and starts Node only for what needs it.
 *
 *   a server listens              ship the call, pass its output on, exit with its code; at "hand over" become the
 *                                 attached client (Node), which attaches with the token on a connection of its own
 *   none, the command starts one  start server and pty host at once; with a terminal make the call on a connection that
 *                                 the server is given, and become the client meanwhile; else wait for the server and
 *                                 make the call
 *   -C and a server listens       pass its lines and the server's on until one of them ends
 *   anything else                 become Node: own words, usage, versions, -CC, and every error whose words
 *                                 are not here, so that there is one place that says them
 *
 * The frames are those of protocol/call-codec.ts, the rules of the socket those of client/connect.ts, the flags those of
 * client/cli.ts. Everything works without this program; test/client/launcher.test.ts compares both ways.
 *
 * Built by scripts/build.mjs, which defines MPLEX_VERSION, NODE_PATH, PROTOCOL_MAJOR and PROTOCOL_MINOR.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum frame_type {
	FRAME_HELLO = 0,
	FRAME_COMMAND = 1,
	FRAME_STDIN = 2,
	FRAME_STDOUT = 3,
	FRAME_STDERR = 4,
	FRAME_EXIT = 5,
	FRAME_HANDOVER = 6,
	FRAME_STDIN_END = 7,
	FRAME_WANT_STDIN = 8
};

#define FRAME_HEADER 5
#define SERVER_FRAME_MAX (1u << 24) /* protocol/message.ts */
#define SOCKET_PATH_MAX 107         /* client/connect.ts */
#define STDIN_CHUNK (64u * 1024)
#define SENT_AT_ONCE (64u * 1024)
#define UNREAD_MAX (1u << 20) /* of a control client; the server waits then */
#define EXIT_PROTOCOL 3 /* client/mplex.ts */
#define HELLO_SECONDS 2
#define START_MS 10000
#define READY_FD 3
#define FDS_MAX 3

struct call {
	char **full_argv; /* of this program, for Node */
	char **argv;      /* the command, NULL at the end */
	const char *socket_name;
	const char *socket_path;
	char **configs;
	int config_count;
	int no_start, colors256, utf8, verbose, as_tmux, control;
};

static char dist[PATH_MAX]; /* where this program and the bundles are */

/* ---- bytes ---- */

struct bytes {
	unsigned char *at;
	size_t length, room;
};

static void *must(void *memory)
{
	if (memory == NULL) {
		fputs("mplex: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static void put(struct bytes *to, const void *from, size_t length)
{
	if (to->length + length > to->room) {
		to->room = (to->length + length) * 2 + 4096;
		to->at = must(realloc(to->at, to->room));
	}
	if (length > 0)
		memcpy(to->at + to->length, from, length);
	to->length += length;
}

static void put_u8(struct bytes *to, unsigned value)
{
	unsigned char byte = value & 0xff;
	put(to, &byte, 1);
}

static void put_u16(struct bytes *to, unsigned value)
{
	put_u8(to, value >> 8);
	put_u8(to, value);
}

static void put_u32(struct bytes *to, uint32_t value)
{
	put_u16(to, value >> 16);
	put_u16(to, value & 0xffff);
}

static void put_str(struct bytes *to, const char *text)
{
	size_t length = strlen(text);
	put_u32(to, (uint32_t)length);
	put(to, text, length);
}

static uint32_t read_u32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static int write_all(int fd, const void *from, size_t length)
{
	const char *at = from;
	while (length > 0) {
		ssize_t done = write(fd, at, length);
		if (done < 0) {
			struct pollfd wait = { fd, POLLOUT, 0 };
			if (errno == EAGAIN)
				poll(&wait, 1, -1); /* somebody else made it non-blocking */
			else if (errno != EINTR)
				return -1;
			continue;
		}
		at += done;
		length -= (size_t)done;
	}
	return 0;
}

static void put_frame(struct bytes *to, enum frame_type type, const struct bytes *body)
{
	put_u32(to, (uint32_t)(body->length + 1));
	put_u8(to, type);
	put(to, body->at, body->length);
}

/* A server that is gone is noticed when reading: what it said before is still to be read. */
static void send_frame(int fd, enum frame_type type, const struct bytes *body)
{
	struct bytes frame = { 0 };
	put_frame(&frame, type, body);
	for (size_t sent = 0; sent < frame.length;) {
		ssize_t done = send(fd, frame.at + sent, frame.length - sent, MSG_NOSIGNAL);
		if (done < 0 && errno != EINTR)
			break;
		if (done > 0)
			sent += (size_t)done;
	}
	free(frame.at);
}

/* ---- becoming Node ---- */

static void file_in_dist(char *to, const char *name)
{
	if (snprintf(to, PATH_MAX, "%s/%s", dist, name) >= PATH_MAX) {
		fputs("mplex: path too long\n", stderr);
		exit(1);
	}
}

/* Variables that change how Node starts travel under another name: protocol/node-environ.ts. */
static void hide_node_variables(void)
{
	static const char *const names[] = { "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char kept[64];
		const char *value = getenv(names[i]);
		if (value == NULL)
			continue;
		snprintf(kept, sizeof kept, "MPLEX_KEPT_%s", names[i]);
		setenv(kept, value, 1);
		unsetenv(names[i]);
	}
}

static void exec_node(char **argv)
{
	argv[0] = NODE_PATH;
	execv(NODE_PATH, argv);
	argv[0] = "node";
	execvp("node", argv);
}

/* Goes on as `node dist/mplex.js ARG...`. `launch` is client/launch.ts's word on what has happened already, or NULL. */
static void become_node(const struct call *call, const char *launch)
{
	char script[PATH_MAX];
	int count = 0;
	char **argv;
	while (call->full_argv[count] != NULL)
		count++;
	argv = must(calloc((size_t)count + 2, sizeof *argv));
	file_in_dist(script, "mplex.js");
	argv[1] = script;
	for (int i = 1; i < count; i++)
		argv[i + 1] = call->full_argv[i];
	if (call->as_tmux)
		setenv("MPLEX_CALLED_AS", "tmux", 1);
	if (launch != NULL)
		setenv("MPLEX_LAUNCH", launch, 1);
	hide_node_variables();
	exec_node(argv);
	fprintf(stderr, "mplex: can't run node: %s\n", strerror(errno));
	exit(127);
}

/* ---- the command line ---- */

static int takes_value(char flag)
{
	return strchr("cfLST", flag) != NULL;
}

/* False for what Node had better look at: mistakes, help, versions, -CC. */
static int parse_flags(struct call *call, int argc, char **argv)
{
	int at = 1;
	call->full_argv = argv;
	call->socket_name = "default";
	call->configs = must(calloc((size_t)argc + 1, sizeof *call->configs));
	for (; at < argc; at++) {
		const char *word = argv[at];
		if (strcmp(word, "--") == 0) {
			at++;
			break;
		}
		if (word[0] != '-' || word[1] == '\0')
			break;
		for (int i = 1; word[i] != '\0'; i++) {
			char flag = word[i];
			const char *value;
			if (flag == '2')
				call->colors256 = 1;
			else if (flag == 'N')
				call->no_start = 1;
			else if (flag == 'u')
				call->utf8 = 1;
			else if (flag == 'v')
				call->verbose = 1;
			else if (flag == 'C' && !call->control)
				call->control = 1;
			else if (flag != 'l' && flag != 'q' && flag != 'D' && !takes_value(flag))
				return 0;
			if (!takes_value(flag))
				continue;
			value = word[i + 1] != '\0' ? &word[i + 1] : argv[++at];
			if (value == NULL || flag == 'c')
				return 0;
			if (flag == 'L')
				call->socket_name = value;
			else if (flag == 'S')
				call->socket_path = value;
			else if (flag == 'f')
				call->configs[call->config_count++] = (char *)value;
			break;
		}
	}
	call->argv = argv + at;
	return 1;
}

static int is_own_word(const char *word)
{
	static const char *const words[] = { "ask", "flow", "mcp", "doctor", "upgrade-server", "install-shim", "help" };
	for (size_t i = 0; word != NULL && i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0)
			return 1;
	return 0;
}

/* new-session, attach-session, start-server or resurrect, an alias, or a beginning that no other command shares. */
static int is_starter(const char *name, size_t length)
{
	static const struct {
		const char *name;
		size_t shortest;
	} starters[] = { { "new-session", 5 }, { "attach-session", 1 }, { "start-server", 4 } };
	if ((length == 3 && strncmp(name, "new", 3) == 0) || (length == 9 && strncmp(name, "resurrect", 9) == 0))
		return 1;
	for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
		if (length >= starters[i].shortest && length <= strlen(starters[i].name) &&
		    strncmp(name, starters[i].name, length) == 0)
			return 1;
	/* "start" is one of the beginnings of start-server. */
	return 0;
}

static int starts_server(char **argv)
{
	int is_name = 1;
	if (argv[0] == NULL)
		return 1;
	for (; *argv != NULL; argv++) {
		size_t length = strlen(*argv);
		int ends = length > 0 && (*argv)[length - 1] == ';';
		if (is_name && is_starter(*argv, ends ? length - 1 : length))
			return 1;
		is_name = ends && !(length > 1 && (*argv)[length - 2] == '\\');
	}
	return 0;
}

/* ---- the socket ---- */

static const char *non_empty(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Whether $TMUX names a socket of mplex: client/connect.ts. */
static int is_ours(const char *value)
{
	size_t length = strcspn(value, ","), end = length, start;
	while (end > 0 && value[end - 1] != '/')
		end--;
	if (end < 2 || end == length)
		return 0;
	for (start = --end; start > 0 && value[start - 1] != '/'; start--)
		;
	if (end - start < 7 || strncmp(value + start, "mplex-", 6) != 0)
		return 0;
	return strspn(value + start + 6, "0123456789") == end - start - 6;
}

/* The value whose socket this pane belongs to, as client/connect.ts's socketOfPane has it; NULL without one. */
static const char *value_of_pane(int as_tmux)
{
	const char *mplex = non_empty("MPLEX"), *tmux = non_empty("TMUX");
	const char *ours = tmux != NULL && is_ours(tmux) ? tmux : NULL;
	const char *value = as_tmux ? (tmux == NULL ? NULL : ours != NULL ? ours : mplex) : mplex != NULL ? mplex : ours;
	return value != NULL && value[0] != ',' ? value : NULL;
}

/* -S, else the server that this pane belongs to, else -L in a directory that is ours alone. False: Node says why not. */
static int find_socket(const struct call *call, char *path, size_t room)
{
	char real[PATH_MAX], directory[PATH_MAX];
	const char *base = non_empty("MPLEX_TMPDIR"), *own = value_of_pane(call->as_tmux);
	struct stat stat;
	uid_t uid = getuid();
	if (call->socket_path != NULL)
		return snprintf(path, room, "%s", call->socket_path) < (int)room;
	if (call->socket_name[0] == '\0')
		return 0;
	if (strcmp(call->socket_name, "default") == 0 && own != NULL)
		return snprintf(path, room, "%.*s", (int)strcspn(own, ","), own) < (int)room;
	if (base == NULL)
		base = non_empty("TMUX_TMPDIR");
	if (realpath(base != NULL ? base : "/tmp", real) == NULL)
		return 0;
	if (snprintf(directory, sizeof directory, "%s/mplex-%lu", strcmp(real, "/") == 0 ? "" : real, (unsigned long)uid) >=
	    (int)sizeof directory)
		return 0;
	if (mkdir(directory, 0700) != 0 && errno != EEXIST)
		return 0;
	if (lstat(directory, &stat) != 0 || !S_ISDIR(stat.st_mode) || stat.st_uid != uid || (stat.st_mode & 077) != 0)
		return 0;
	return snprintf(path, room, "%s/%s", directory, call->socket_name) < (int)room;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
		int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* ---- frames from the server ---- */

struct reader {
	int fd;
	struct bytes bytes;
	size_t used;
};

struct frame {
	unsigned type;
	const unsigned char *body;
	size_t length;
};

/* 1: a frame, valid until the next call; 0: none is complete; -1: not a frame of ours. */
static int next_frame(struct reader *reader, struct frame *frame)
{
	const unsigned char *at = reader->bytes.at + reader->used;
	size_t there = reader->bytes.length - reader->used;
	uint32_t length;
	if (there < 4)
		return 0;
	length = read_u32(at);
	if (length < 1 || length > SERVER_FRAME_MAX)
		return -1;
	if (there < 4 + (size_t)length)
		return 0;
	frame->type = at[4];
	frame->body = at + FRAME_HEADER;
	frame->length = length - 1;
	reader->used += 4 + (size_t)length;
	return 1;
}

/* What read(2) says: bytes read, 0 at the end, -1. */
static ssize_t read_more(struct reader *reader)
{
	unsigned char chunk[64 * 1024];
	ssize_t count;
	do
		count = read(reader->fd, chunk, sizeof chunk);
	while (count < 0 && errno == EINTR);
	if (reader->used > 0) {
		reader->bytes.length -= reader->used;
		memmove(reader->bytes.at, reader->bytes.at + reader->used, reader->bytes.length);
		reader->used = 0;
	}
	if (count > 0)
		put(&reader->bytes, chunk, (size_t)count);
	return count;
}

static void put_hello(struct bytes *body)
{
	put(body, "MPLX", 4);
	put_u16(body, PROTOCOL_MAJOR);
	put_u16(body, PROTOCOL_MINOR);
	put_u32(body, (uint32_t)getpid());
	put_str(body, MPLEX_VERSION);
}

static void send_hello(int fd)
{
	struct bytes body = { 0 };
	put_hello(&body);
	send_frame(fd, FRAME_HELLO, &body);
	free(body.at);
}

/* Waits for the server's greeting. False for everything that Node has words for. */
static int take_hello(struct reader *reader)
{
	struct timeval limit = { HELLO_SECONDS, 0 };
	struct frame frame;
	int found;
	setsockopt(reader->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	while ((found = next_frame(reader, &frame)) == 0)
		if (read_more(reader) <= 0)
			return 0;
	limit.tv_sec = 0;
	setsockopt(reader->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	return found > 0 && frame.type == FRAME_HELLO && frame.length >= 8 && memcmp(frame.body, "MPLX", 4) == 0 &&
	       (frame.body[4] << 8 | frame.body[5]) == PROTOCOL_MAJOR;
}

/* ---- the call ---- */

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

static int has_terminal(void)
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

static void put_command(struct bytes *body, const struct call *call)
{
	char cwd[PATH_MAX];
	const char *pwd = getenv("PWD");
	put_u32(body, (uint32_t)getpid());
	put_u8(body, (unsigned)(call->no_start | call->colors256 << 1 | call->utf8 << 2 | call->as_tmux << 3 | call->control << 4));
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

static void make_call(const struct call *call, int fd)
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

/* ---- starting a server ---- */

/* A process of its own session, without a terminal, in `/`, that has `fds` as its descriptors 3, 4, …; FDS_MAX of them at most */
static void start_detached(char **argv, const int *fds, int count)
{
	pid_t child = fork();
	int status;
	if (child < 0) {
		fprintf(stderr, "can't start the server: %s\n", strerror(errno));
		exit(1);
	}
	if (child > 0) {
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		return;
	}
	setsid();
	if (fork() == 0) {
		sigset_t none;
		int kept[FDS_MAX], null = open("/dev/null", O_RDWR);
		/* Out of the way first: one of them may have the number of another. */
		for (int i = 0; i < count; i++)
			kept[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 16);
		for (int fd = 0; fd <= 2; fd++)
			dup2(null, fd);
		for (int i = 0; i < count; i++)
			dup2(kept[i], 3 + i);
		if (null > 2 + count)
			close(null);
		for (int i = 1; i < NSIG; i++)
			signal(i, SIG_DFL);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		hide_node_variables();
		if (chdir("/") == 0)
			exec_node(argv);
	}
	_exit(0);
}

/* An absolute path: the server runs in `/`. */
static char *absolute(const char *path)
{
	char cwd[PATH_MAX];
	char *result;
	size_t room;
	if (path[0] == '/' || getcwd(cwd, sizeof cwd) == NULL)
		return must(strdup(path));
	room = strlen(cwd) + strlen(path) + 2;
	result = must(malloc(room));
	snprintf(result, room, "%s/%s", cwd, path);
	return result;
}

/*
 * Starts server and pty host side by side, joined by a pair of sockets, instead of one after the other. Where a host's
 * socket is, left by a server that was lost, the server goes to see itself. Returns the descriptor on which the server
 * tells `ok` or why not. `client_fd` is a connection for the server, or -1; closed here.
 */
static int start_server(const struct call *call, const char *socket_path, int client_fd)
{
	char server[PATH_MAX], host[PATH_MAX], host_path[PATH_MAX + 8];
	char *path = absolute(socket_path);
	char **argv = must(calloc((size_t)call->config_count * 2 + 12, sizeof *argv));
	char host_number[4], client_number[4];
	char *host_argv[] = { NULL, host, host_path, "--server-fd", "3", NULL };
	int ready[2], pair[2], fds[FDS_MAX], fd_count = 0, count = 0, has_pair;
	snprintf(host_path, sizeof host_path, "%s.host", path);
	has_pair = access(host_path, F_OK) != 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
	if (pipe(ready) != 0) {
		fprintf(stderr, "can't start the server: %s\n", strerror(errno));
		exit(1);
	}
	file_in_dist(server, "mplexd.js");
	file_in_dist(host, "ptyhost.js");
	argv[++count] = server;
	argv[++count] = "--socket";
	argv[++count] = path;
	argv[++count] = "--ready-fd";
	argv[++count] = "3";
	fds[fd_count++] = ready[1];
	if (has_pair) {
		snprintf(host_number, sizeof host_number, "%d", READY_FD + fd_count);
		argv[++count] = "--host-fd";
		argv[++count] = host_number;
		fds[fd_count++] = pair[0];
	}
	if (client_fd >= 0) {
		snprintf(client_number, sizeof client_number, "%d", READY_FD + fd_count);
		argv[++count] = "--client-fd";
		argv[++count] = client_number;
		fds[fd_count++] = client_fd;
	}
	for (int i = 0; i < call->config_count; i++) {
		argv[++count] = "-f";
		argv[++count] = absolute(call->configs[i]);
	}
	fcntl(ready[0], F_SETFD, FD_CLOEXEC);
	fcntl(ready[1], F_SETFD, FD_CLOEXEC);
	if (has_pair) {
		fcntl(pair[0], F_SETFD, FD_CLOEXEC);
		fcntl(pair[1], F_SETFD, FD_CLOEXEC);
	}
	start_detached(argv, fds, fd_count);
	if (has_pair) {
		start_detached(host_argv, (int[]){ pair[1] }, 1);
		close(pair[0]);
		close(pair[1]);
	}
	close(ready[1]);
	if (client_fd >= 0)
		close(client_fd);
	free(argv);
	free(path);
	return ready[0];
}

/* Waits for the server's word; ends the program with it if it is not `ok`. 0 where it was killed before it had one. */
static int await_ready(int fd)
{
	char said[1024];
	size_t length = 0;
	for (;;) {
		struct pollfd wait = { fd, POLLIN, 0 };
		int found = poll(&wait, 1, START_MS);
		ssize_t count;
		if (found < 0 && errno == EINTR)
			continue;
		if (found == 0) {
			fputs("the server did not start in time\n", stderr);
			exit(1);
		}
		count = read(fd, said + length, sizeof said - 1 - length);
		if (count > 0)
			length += (size_t)count;
		said[length] = '\0';
		if (count > 0 && strchr(said, '\n') == NULL && length < sizeof said - 1)
			continue;
		said[strcspn(said, "\n")] = '\0';
		if (said[0] == '\0' || strcmp(said, "ok") == 0)
			break;
		fprintf(stderr, "%s\n", said);
		exit(1);
	}
	close(fd);
	return said[0] != '\0';
}

/* Sends what fits at once; false if not all did. */
static int send_now(int fd, const struct bytes *bytes)
{
	return send(fd, bytes->at, bytes->length, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)bytes->length;
}

/*
 * Makes the call on a connection whose other end the server is given: it finds the call there as soon as it is up, and
 * runs it while this process becomes the client. False where the call does not fit into the connection.
 */
static int call_ahead(const struct call *call, int pair[2])
{
	struct bytes frames = { 0 }, body = { 0 };
	int is_sent;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 0;
	fcntl(pair[0], F_SETFD, FD_CLOEXEC);
	fcntl(pair[1], F_SETFD, FD_CLOEXEC);
	put_hello(&body);
	put_frame(&frames, FRAME_HELLO, &body);
	body.length = 0;
	put_command(&body, call);
	put_frame(&frames, FRAME_COMMAND, &body);
	is_sent = frames.length <= SENT_AT_ONCE && send_now(pair[0], &frames);
	free(frames.at);
	free(body.at);
	if (!is_sent) {
		close(pair[0]);
		close(pair[1]);
	}
	return is_sent;
}

static int start_and_connect(const struct call *call, const char *path)
{
	char launch[48];
	int ready, fd, pair[2], is_called;
#if defined(__linux__) && !defined(__GLIBC__)
	become_node(call, NULL); /* which says that there is no pty for musl */
#endif
	if (call->verbose)
		become_node(call, NULL);
	is_called = has_terminal() && call_ahead(call, pair);
	ready = start_server(call, path, is_called ? pair[1] : -1);
	if (has_terminal()) {
		/* The client's start takes as long as the server's: side by side. */
		fcntl(ready, F_SETFD, 0);
		snprintf(launch, sizeof launch, "ready-fd=%d", ready);
		if (is_called) {
			fcntl(pair[0], F_SETFD, 0);
			snprintf(launch, sizeof launch, "ready-fd=%d,call-fd=%d", ready, pair[0]);
		}
		become_node(call, launch);
	}
	/* Nothing was asked of it yet: where it is gone, Node starts another. */
	fd = await_ready(ready) ? connect_to(path) : -1;
	if (fd < 0)
		become_node(call, NULL);
	return fd;
}

/* A pty host may hold what a lost server left: then any command brings a server back. Node finds out. */
static int has_host(const char *path)
{
	char host[SOCKET_PATH_MAX + 8];
	snprintf(host, sizeof host, "%s.host", path);
	return access(host, F_OK) == 0;
}

static void print_absent(const char *path, int error)
{
	if (error == ECONNREFUSED)
		fprintf(stderr, "no server running on %s\n", path);
	else
		fprintf(stderr, "error connecting to %s (No such file or directory)\n", path);
	exit(1);
}

/* What is closed of standard input, output and error is /dev/null: else a socket would be taken for it. Node does so too. */
static void open_standard_files(void)
{
	int fd;
	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct call call = { 0 };
	char path[SOCKET_PATH_MAX + 1];
	const char *called_as = getenv("MPLEX_CALLED_AS");
	int fd, error;
	open_standard_files();
	if (argc < 1 || realpath(strchr(argv[0], '/') != NULL ? argv[0] : "/proc/self/exe", dist) == NULL) {
		fputs("mplex: can't find its own files\n", stderr);
		return 1;
	}
	*strrchr(dist, '/') = '\0';
	call.as_tmux = called_as != NULL && strcmp(called_as, "tmux") == 0;
	unsetenv("MPLEX_CALLED_AS");
	unsetenv("MPLEX_LAUNCH");
	if (!parse_flags(&call, argc, argv) || is_own_word(call.argv[0]))
		become_node(&call, NULL);
	if (!find_socket(&call, path, sizeof path) || path[0] == '\0')
		become_node(&call, NULL);
	fd = connect_to(path);
	error = errno;
	if (fd < 0 && error != ENOENT && error != ECONNREFUSED)
		become_node(&call, NULL);
	if (fd < 0 && (call.no_start || !starts_server(call.argv))) {
		char host_path[PATH_MAX + 8];
		snprintf(host_path, sizeof host_path, "%s.host", path);
		/* A pty host may wait for a server to take over: Node looks. */
		if (access(host_path, F_OK) == 0)
			become_node(&call, NULL);
		print_absent(path, error);
	}
	if (fd < 0 && call.control)
		become_node(&call, NULL);
	if (fd < 0)
		fd = start_and_connect(&call, path);
	make_call(&call, fd);
}
