/* Frames to and from a server (protocol/call-codec.ts). */
#include "launcher.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FRAME_HEADER 5
#define SERVER_FRAME_MAX (1u << 24) /* protocol/message.ts */
#define HELLO_SECONDS 2

void *must(void *memory)
{
	if (memory == NULL) {
		fputs("mplex: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

void put(struct bytes *to, const void *from, size_t length)
{
	if (to->length + length > to->room) {
		to->room = (to->length + length) * 2 + 4096;
		to->at = must(realloc(to->at, to->room));
	}
	if (length > 0)
		memcpy(to->at + to->length, from, length);
	to->length += length;
}

void put_u8(struct bytes *to, unsigned value)
{
	unsigned char byte = value & 0xff;
	put(to, &byte, 1);
}

void put_u16(struct bytes *to, unsigned value)
{
	put_u8(to, value >> 8);
	put_u8(to, value);
}

void put_u32(struct bytes *to, uint32_t value)
{
	put_u16(to, value >> 16);
	put_u16(to, value & 0xffff);
}

void put_str(struct bytes *to, const char *text)
{
	size_t length = strlen(text);
	put_u32(to, (uint32_t)length);
	put(to, text, length);
}

uint32_t read_u32(const unsigned char *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

int write_all(int fd, const void *from, size_t length)
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

void put_frame(struct bytes *to, enum frame_type type, const struct bytes *body)
{
	put_u32(to, (uint32_t)(body->length + 1));
	put_u8(to, type);
	put(to, body->at, body->length);
}

/* A server that is gone is noticed when reading: what it said before is still to be read. */
void send_frame(int fd, enum frame_type type, const struct bytes *body)
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

/* 1: a frame, valid until the next call; 0: none is complete; -1: not a frame of ours. */
int next_frame(struct reader *reader, struct frame *frame)
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
ssize_t read_more(struct reader *reader)
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

void put_hello(struct bytes *body)
{
	put(body, "MPLX", 4);
	put_u16(body, PROTOCOL_MAJOR);
	put_u16(body, PROTOCOL_MINOR);
	put_u32(body, (uint32_t)getpid());
	put_str(body, MPLEX_VERSION);
}

void send_hello(int fd)
{
	struct bytes body = { 0 };
	put_hello(&body);
	send_frame(fd, FRAME_HELLO, &body);
	free(body.at);
}

/* Waits for the server's greeting. False for everything that Node has words for. */
int take_hello(struct reader *reader)
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
