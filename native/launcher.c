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
 * The frames are those of protocol/call-codec.ts, the rules of the socket those of client/server-socket.ts, the flags
 * those of client/cli.ts. Everything works without this program; test/client/launcher.test.ts compares both ways.
 *
 * Built by scripts/build.mjs, which defines MPLEX_VERSION, NODE_PATH, PROTOCOL_MAJOR and PROTOCOL_MINOR.
 */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char dist[PATH_MAX];

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
		if (has_host(path))
			become_node(&call, NULL);
		print_absent(path, error);
	}
	if (fd < 0 && call.control)
		become_node(&call, NULL);
	if (fd < 0)
		fd = start_and_connect(&call, path);
	make_call(&call, fd);
}
