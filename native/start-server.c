/* Starts a server with its pty host, and waits for it or makes the call ahead. */
#include "launcher.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS 10000
#define READY_FD 3
#define FDS_MAX 3 /* of a server, from READY_FD on */

/* What this program inherited above `last` is closed here, in microseconds: Node takes two milliseconds to look. */
static void close_above(int last)
{
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;
	if (directory == NULL)
		return;
	while ((entry = readdir(directory)) != NULL) {
		int fd = atoi(entry->d_name);
		if (fd > last && fd != dirfd(directory))
			close(fd);
	}
	closedir(directory);
}

/*
 * A process of its own session, without a terminal, in `/`, that has `fds`, FDS_MAX of them at most, as its descriptors
 * 3, 4, …, and no other.
 */
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
		close_above(2 + count);
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

/* What a path is to this process, for the server to open: protocol/descriptor-path.ts. */
static char *openable(const char *path)
{
	static const char *const places[] = { "/dev/fd/", "/proc/self/fd/" };
	char opened[64];
	const char *number = strcmp(path, "/dev/stdin") == 0 ? "0" : "";
	for (int i = 0; i < 2; i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			number = path + strlen(places[i]);
	if (number[0] == '\0' || strlen(number) > 7 || number[strspn(number, "0123456789")] != '\0')
		return absolute(path);
	snprintf(opened, sizeof opened, "/proc/%ld/fd/%s", (long)getpid(), number);
	return must(strdup(opened));
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
	char **argv = must(calloc((size_t)call->config_count * 2 + 13, sizeof *argv));
	char host_number[4], client_number[4];
	char *host_argv[] = { NULL, host, host_path, "--server-fd", "3", "--inherits-nothing", NULL };
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
	argv[++count] = "--inherits-nothing";
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
		argv[++count] = openable(call->configs[i]);
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

int start_and_connect(const struct call *call, const char *path)
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
