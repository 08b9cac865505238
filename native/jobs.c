/*
 * mplex-jobs: starts shell commands for the server (run-shell, if-shell, #(), hooks).
 *
 * A fork copies the page tables of who forks, and the server may hold a gigabyte of history: 10 ms for each 100 MB, in
 * which no key is echoed. This process holds nothing. The server starts it at the first job and speaks to it over its
 * standard input and output; it ends when its input does. Jobs that run then go on by themselves, as they would after
 * the server.
 *
 * Both ways a frame is `u32 length, u8 type, u32 job, body`, little-endian, where length counts what follows it:
 *
 *   in   START 1   strings ended by NUL: shell, command, directory, NAME=value …
 *        KILL 2    SIGTERM to the job's process group
 *   out  STARTED 1 u32 process
 *        FAILED 2  the reason as text; nothing more comes
 *        OUTPUT 3  bytes of standard output; standard error goes nowhere
 *        ENDED 4   i32 exit status, or minus the signal: once it has ended and its output is closed; comes last
 *
 * server/jobs/job-runner.ts is the other end. Everything works without this program. Built by scripts/build.mjs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum in_type { IN_START = 1, IN_KILL = 2 };
enum out_type { OUT_STARTED = 1, OUT_FAILED = 2, OUT_OUTPUT = 3, OUT_ENDED = 4 };

#define HEADER 9
#define FRAME_MAX (1u << 24)
#define READ_SIZE (64u * 1024)
#define UNSENT_MAX (1u << 20) /* above this nothing is read from jobs, which then wait */

struct job {
	uint32_t id;
	pid_t pid;
	int out;       /* -1 once closed */
	int status;    /* of wait(2) */
	int has_ended;
	struct job *next;
};

struct buffer {
	unsigned char *data;
	size_t start, length, capacity;
};

static struct job *jobs;
static struct buffer input, output;
static int child_pipe[2];

static void *checked(void *memory)
{
	if (memory == NULL)
		_exit(1);
	return memory;
}

/* Room for more bytes at the end. */
static unsigned char *room(struct buffer *buffer, size_t more)
{
	if (buffer->start > 0 && buffer->start + buffer->length + more > buffer->capacity) {
		memmove(buffer->data, buffer->data + buffer->start, buffer->length);
		buffer->start = 0;
	}
	if (buffer->length + more > buffer->capacity) {
		buffer->capacity = (buffer->length + more) * 2;
		buffer->data = checked(realloc(buffer->data, buffer->capacity));
	}
	return buffer->data + buffer->start + buffer->length;
}

static void drop(struct buffer *buffer, size_t count)
{
	buffer->start += count;
	buffer->length -= count;
	if (buffer->length == 0)
		buffer->start = 0;
}

static uint32_t get_u32(const unsigned char *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_u32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static void send_frame(enum out_type type, uint32_t job, const void *body, size_t length)
{
	unsigned char *at = room(&output, HEADER + length);

	put_u32(at, (uint32_t)(HEADER - 4 + length));
	at[4] = (unsigned char)type;
	put_u32(at + 5, job);
	if (length > 0)
		memcpy(at + HEADER, body, length);
	output.length += HEADER + length;
}

static void send_number(enum out_type type, uint32_t job, uint32_t value)
{
	unsigned char body[4];

	put_u32(body, value);
	send_frame(type, job, body, sizeof body);
}

/* Writes what can be written now; ends with the server. */
static void flush_output(void)
{
	while (output.length > 0) {
		ssize_t count = write(STDOUT_FILENO, output.data + output.start, output.length);

		if (count < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (count < 0)
			_exit(0);
		drop(&output, (size_t)count);
	}
}

static void child_ended(int signal_number)
{
	int before = errno;
	ssize_t ignored = write(child_pipe[1], "", 1);

	(void)signal_number;
	(void)ignored; /* A full pipe wakes as well. */
	errno = before;
}

/* In the child: becomes the shell. */
static void become_shell(char **strings, int out, int null)
{
	char *argv[] = { strings[0], "-c", strings[1], NULL };
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	if (chdir(strings[2]) != 0 && chdir("/") != 0)
		_exit(127);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execve(strings[0], argv, strings + 3);
	{
		const char *reason = strerror(errno);
		ssize_t ignored = write(out, strings[0], strlen(strings[0]));

		ignored = write(out, ": ", 2);
		ignored = write(out, reason, strlen(reason));
		ignored = write(out, "\n", 1);
		(void)ignored;
	}
	_exit(127);
}

static void start_failed(uint32_t id)
{
	const char *reason = strerror(errno);

	send_frame(OUT_FAILED, id, reason, strlen(reason));
}

/* Puts the strings of a START into an array that NULL ends: shell, command, directory, environment. */
static char **split_strings(char *body, size_t length)
{
	size_t count = 0, at = 0;
	char **strings;

	for (size_t i = 0; i < length; i++)
		count += body[i] == '\0';
	if (count < 3)
		_exit(1);
	strings = checked(calloc(count + 1, sizeof *strings));
	for (size_t i = 0; i < count; i++) {
		strings[i] = body + at;
		at += strlen(body + at) + 1;
	}
	return strings;
}

static void start_job(uint32_t id, char *body, size_t length)
{
	int out[2] = { -1, -1 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char **strings = split_strings(body, length);
	pid_t pid = -1;

	if (null < 0 || pipe2(out, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		start_failed(id);
	if (pid == 0)
		become_shell(strings, out[1], null);
	if (null >= 0)
		close(null);
	if (out[1] >= 0)
		close(out[1]);
	free(strings);
	if (pid < 0) {
		if (out[0] >= 0)
			close(out[0]);
		return;
	}
	struct job *job = checked(calloc(1, sizeof *job));
	*job = (struct job){ .id = id, .pid = pid, .out = out[0], .next = jobs };
	fcntl(job->out, F_SETFL, O_NONBLOCK);
	jobs = job;
	send_number(OUT_STARTED, id, (uint32_t)pid);
}

static void kill_job(uint32_t id)
{
	/* It has a group of its own only once it has come that far. */
	for (struct job *job = jobs; job; job = job->next)
		if (job->id == id && !job->has_ended && kill(-job->pid, SIGTERM) != 0)
			kill(job->pid, SIGTERM);
}

static void take_frames(void)
{
	while (input.length >= HEADER) {
		unsigned char *at = input.data + input.start;
		uint32_t length = get_u32(at);

		if (length < HEADER - 4 || length > FRAME_MAX)
			_exit(1);
		if (input.length < length + 4)
			return;
		if (at[4] == IN_START && length > HEADER - 4 && at[length + 3] == '\0')
			start_job(get_u32(at + 5), (char *)at + HEADER, length + 4 - HEADER);
		else if (at[4] == IN_KILL)
			kill_job(get_u32(at + 5));
		drop(&input, length + 4);
	}
}

static void read_input(void)
{
	unsigned char *at = room(&input, READ_SIZE);
	ssize_t count = read(STDIN_FILENO, at, READ_SIZE);

	if (count < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (count <= 0)
		_exit(0);
	input.length += (size_t)count;
	take_frames();
}

/* What a job has written, at most `most` bytes; its pipe is closed at the end. */
static void read_job(struct job *job, size_t most)
{
	static unsigned char bytes[READ_SIZE];
	ssize_t count = read(job->out, bytes, most);

	if (count > 0) {
		send_frame(OUT_OUTPUT, job->id, bytes, (size_t)count);
	} else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
		close(job->out);
		job->out = -1;
	}
}

static void reap(void)
{
	char bytes[256];
	int status;
	pid_t pid;

	while (read(child_pipe[0], bytes, sizeof bytes) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (struct job *job = jobs; job; job = job->next)
			if (job->pid == pid && !job->has_ended) {
				job->has_ended = 1;
				job->status = status;
			}
}

/* Tells of the jobs that are over and forgets them. */
static void end_jobs(void)
{
	for (struct job **link = &jobs; *link;) {
		struct job *job = *link;

		if (!job->has_ended || job->out >= 0) {
			link = &job->next;
			continue;
		}
		int code = WIFSIGNALED(job->status) ? -WTERMSIG(job->status) : WEXITSTATUS(job->status);
		send_number(OUT_ENDED, job->id, (uint32_t)code);
		*link = job->next;
		free(job);
	}
}

static void one_turn(struct pollfd **fds, size_t *capacity)
{
	size_t count = 3, at, share;

	/* Only what is open: poll(2) takes no more of them than there may be open files, and jobs without output may be more. */
	for (struct job *job = jobs; job; job = job->next)
		count += job->out >= 0;
	if (count > *capacity) {
		*capacity = count * 2;
		*fds = checked(realloc(*fds, *capacity * sizeof **fds));
	}
	struct pollfd *poll_fds = *fds;
	poll_fds[0] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	poll_fds[1] = (struct pollfd){ .fd = child_pipe[0], .events = POLLIN };
	poll_fds[2] = (struct pollfd){ .fd = output.length > 0 ? STDOUT_FILENO : -1, .events = POLLOUT };
	at = 3;
	for (struct job *job = jobs; job; job = job->next)
		if (job->out >= 0)
			poll_fds[at++] = (struct pollfd){ .fd = output.length < UNSENT_MAX ? job->out : -1, .events = POLLIN };
	if (poll(poll_fds, (nfds_t)count, -1) < 0)
		return;
	share = UNSENT_MAX / count < READ_SIZE ? UNSENT_MAX / count : READ_SIZE;
	at = 3;
	for (struct job *job = jobs; job; job = job->next)
		if (job->out >= 0 && poll_fds[at++].revents != 0)
			read_job(job, share > 0 ? share : 1);
	if (poll_fds[1].revents != 0)
		reap();
	end_jobs();
	/* Last: it adds to the list of jobs, which the answers above belong to. */
	if (poll_fds[0].revents != 0)
		read_input();
	flush_output();
}

int main(void)
{
	struct pollfd *fds = NULL;
	size_t capacity = 0;
	struct sigaction action = { .sa_handler = child_ended, .sa_flags = SA_RESTART | SA_NOCLDSTOP };

	signal(SIGPIPE, SIG_IGN);
	if (pipe2(child_pipe, O_CLOEXEC | O_NONBLOCK) != 0 || sigaction(SIGCHLD, &action, NULL) != 0)
		return 1;
	fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) | O_NONBLOCK);
	for (;;)
		one_turn(&fds, &capacity);
}
