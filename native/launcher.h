/* What the files of mplex-launcher share; launcher.c tells what it is. */
#ifndef MPLEX_LAUNCHER_H
#define MPLEX_LAUNCHER_H

#define _GNU_SOURCE
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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

#define SOCKET_PATH_MAX 107 /* client/server-socket.ts */
/* Bytes that a new connection certainly takes, whether its other end reads or not. */
#define SENT_AT_ONCE (64u * 1024)

/* A command line of mplex. */
struct call {
	char **full_argv; /* of this program, for Node */
	char **argv;      /* the command, NULL at the end */
	const char *socket_name;
	const char *socket_path;
	char **configs;
	int config_count;
	int no_start, colors256, utf8, verbose, as_tmux, control;
};

struct bytes {
	unsigned char *at;
	size_t length, room;
};

/* Frames of a server as they come in. */
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

/* Where this program and the bundles are. */
extern char dist[PATH_MAX];

/* frames.c: false, -1 or NULL are failures that the caller tells; without memory the program ends. */
void *must(void *memory);
void put(struct bytes *to, const void *from, size_t length);
void put_u8(struct bytes *to, unsigned value);
void put_u16(struct bytes *to, unsigned value);
void put_u32(struct bytes *to, uint32_t value);
void put_str(struct bytes *to, const char *text);
uint32_t read_u32(const unsigned char *at);
int write_all(int fd, const void *from, size_t length);
void put_frame(struct bytes *to, enum frame_type type, const struct bytes *body);
void send_frame(int fd, enum frame_type type, const struct bytes *body);
int next_frame(struct reader *reader, struct frame *frame);
ssize_t read_more(struct reader *reader);
void put_hello(struct bytes *body);
void send_hello(int fd);
int take_hello(struct reader *reader);

/* become-node.c: `become_node` ends the program if there is no Node. */
void file_in_dist(char *to, const char *name);
void hide_node_variables(void);
void exec_node(char **argv);
_Noreturn void become_node(const struct call *call, const char *launch);

/* command-line.c */
int parse_flags(struct call *call, int argc, char **argv);
int is_own_word(const char *word);
int starts_server(char **argv);

/* server-socket.c */
int find_socket(const struct call *call, char *path, size_t room);
int connect_to(const char *path);

/* call.c: `make_call` ends the program with the call's exit code. */
int has_terminal(void);
void put_command(struct bytes *body, const struct call *call);
_Noreturn void make_call(const struct call *call, int fd);

/* start-server.c: the connection to a server that was started. */
int start_and_connect(const struct call *call, const char *path);

#endif
