/* key-reader DEVICE: the least a hotkey could do. Prints the time, in nanoseconds of CLOCK_MONOTONIC, at which each key
   press has been read. */
#include "common.h"
#include <fcntl.h>
#include <linux/input.h>
#include <poll.h>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    int fd = open(argv[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) fail(argv[1]);
    puts("ready");
    fflush(stdout);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    while (poll(&p, 1, -1) > 0) {
        struct input_event e[64];
        ssize_t n = read(fd, e, sizeof e);
        long long at = now_ns();
        if (n <= 0) break;
        for (size_t i = 0; i < (size_t)n / sizeof *e; i++)
            if (e[i].type == EV_KEY && e[i].value == 1) printf("%lld\n", at);
        fflush(stdout);
    }
    return 0;
}
