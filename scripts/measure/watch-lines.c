/* watch-lines SOCKET: a bare watcher. Prints each line that the daemon tells, with the time of its arrival in nanoseconds
   of CLOCK_MONOTONIC before it. */
#include "common.h"

int main(int argc, char **argv) {
    static reader_t r;
    if (argc != 2) return 2;
    r.fd = connect_to(argv[1]);
    send_line(r.fd, "{\"cmd\":\"watch\",\"id\":\"w\"}\n");
    char *line;
    while ((line = read_line(&r))) {
        long long at = now_ns();
        printf("%lld %s\n", at, line);
        fflush(stdout);
    }
    return 0;
}
