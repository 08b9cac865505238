/* Which socket a command line means, and the connection to it (client/server-socket.ts). */
#include "launcher.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char *non_empty(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Whether $TMUX names a socket of mplex: client/server-socket.ts. */
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

/* The value whose socket this pane belongs to, as client/server-socket.ts's socketOfPane has it; NULL without one. */
static const char *value_of_pane(int as_tmux)
{
	const char *mplex = non_empty("MPLEX"), *tmux = non_empty("TMUX");
	const char *ours = tmux != NULL && is_ours(tmux) ? tmux : NULL;
	const char *value = as_tmux ? (tmux == NULL ? NULL : ours != NULL ? ours : mplex) : mplex != NULL ? mplex : ours;
	return value != NULL && value[0] != ',' ? value : NULL;
}

/* -S, else the server that this pane belongs to, else -L in a directory that is ours alone. False: Node says why not. */
int find_socket(const struct call *call, char *path, size_t room)
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

int connect_to(const char *path)
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
