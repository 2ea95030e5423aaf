/* What the floor programs share: a clock, a Unix socket, lines, percentiles. */
#ifndef MEASURE_COMMON_H
#define MEASURE_COMMON_H
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static inline long long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static inline void fail(const char *what) {
    perror(what);
    exit(1);
}
static inline struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    return a;
}
static inline int try_connect(const char *path) {
    struct sockaddr_un a = address_of(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket");
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
    close(fd);
    return -1;
}
static inline int connect_to(const char *path) {
    int fd = try_connect(path);
    if (fd < 0) fail(path);
    return fd;
}
static inline void send_line(int fd, const char *line) {
    size_t left = strlen(line);
    while (left) {
        ssize_t n = send(fd, line, left, MSG_NOSIGNAL);
        if (n < 0) fail("send");
        line += n;
        left -= (size_t)n;
    }
}
/* One reader for a connection; a line is returned without its newline, and stands until the next call. */
typedef struct {
    int fd;
    size_t start, end;
    char bytes[1 << 16];
} reader_t;
static inline char *read_line(reader_t *r) {
    for (;;) {
        char *nl = memchr(r->bytes + r->start, '\n', r->end - r->start);
        if (nl) {
            char *line = r->bytes + r->start;
            *nl = 0;
            r->start = (size_t)(nl + 1 - r->bytes);
            return line;
        }
        memmove(r->bytes, r->bytes + r->start, r->end - r->start);
        r->end -= r->start;
        r->start = 0;
        if (r->end == sizeof r->bytes) return NULL;
        ssize_t n = read(r->fd, r->bytes + r->end, sizeof r->bytes - r->end);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return NULL;
        r->end += (size_t)n;
    }
}
static inline int compare_ns(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}
/* One JSON object: count, and minimum, median and 99th percentile in nanoseconds. */
static inline void print_percentiles(long long *ns, int count) {
    if (!count) {
        printf("{\"count\": 0}\n");
        return;
    }
    qsort(ns, (size_t)count, sizeof *ns, compare_ns);
    printf("{\"count\": %d, \"min\": %lld, \"p50\": %lld, \"p99\": %lld}\n", count, ns[0], ns[count / 2],
           ns[(long long)count * 99 / 100]);
}
#endif
