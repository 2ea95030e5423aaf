/* motion-reader DEVICE: reads every event of a mouse until it is gone; prints how many reports there were, the
   milliseconds of CPU that they took, and the milliseconds that passed. What a program costs that asks for everything. */
#include "common.h"
#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>
#include <sys/resource.h>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    int fd = open(argv[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) fail(argv[1]);
    long long began = now_ns();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    long reports = 0;
    while (poll(&p, 1, -1) > 0) {
        struct input_event e[64];
        ssize_t n = read(fd, e, sizeof e);
        if (n <= 0) break;
        for (size_t i = 0; i < (size_t)n / sizeof *e; i++) reports += e[i].type == EV_SYN && e[i].code == SYN_REPORT;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld %ld %lld\n", reports, usage.ru_utime.tv_sec * 1000 + usage.ru_utime.tv_usec / 1000 +
                                     usage.ru_stime.tv_sec * 1000 + usage.ru_stime.tv_usec / 1000,
           (now_ns() - began) / 1000000);
    return 0;
}
