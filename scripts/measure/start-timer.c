/* start-timer SOCKET COUNT PROGRAM [ARGUMENT...]: starts a daemon COUNT times and prints how long each took from spawn
   to the answer to its first line. Ends each with SIGTERM. */
#define _GNU_SOURCE
#include "common.h"
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;
int main(int argc, char **argv) {
    if (argc < 4) return 2;
    int count = atoi(argv[2]);
    long long *took = calloc((size_t)count, sizeof *took);
    for (int i = 0; i < count; i++) {
        pid_t pid;
        int status, fd;
        unlink(argv[1]);
        long long began = now_ns();
        if (posix_spawn(&pid, argv[3], NULL, NULL, argv + 3, environ)) fail(argv[3]);
        while ((fd = try_connect(argv[1])) < 0) {
            if (waitpid(pid, &status, WNOHANG) == pid || now_ns() - began > 10000000000LL) {
                fprintf(stderr, "start-timer: %s did not come up\n", argv[3]);
                return 1;
            }
            usleep(100);
        }
        static reader_t r;
        r.fd = fd;
        r.start = r.end = 0;
        send_line(fd, "{\"cmd\":\"status\",\"id\":\"1\"}\n");
        if (!read_line(&r)) return 1;
        took[i] = now_ns() - began;
        close(fd);
        kill(pid, SIGTERM);
        waitpid(pid, &status, 0);
    }
    print_percentiles(took, count);
    return 0;
}
