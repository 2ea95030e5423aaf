/* spawn-timer SOCKET COUNT PROGRAM [ARGUMENT...]: runs a program COUNT times and prints how long each took from spawn to
   end. After each it sends a cancel to SOCKET, so that the next press finds nothing running. */
#define _GNU_SOURCE
#include "common.h"
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;
int main(int argc, char **argv) {
    if (argc < 4) return 2;
    int count = atoi(argv[2]), good = 0;
    long long *took = calloc((size_t)count, sizeof *took);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (int tries = 0; good < count && tries < 4 * count; tries++) {
        pid_t pid;
        int status;
        long long began = now_ns();
        if (posix_spawn(&pid, argv[3], &actions, NULL, argv + 3, environ)) fail(argv[3]);
        if (waitpid(pid, &status, 0) < 0) fail("waitpid");
        long long time = now_ns() - began;
        if (status == 0) took[good++] = time;
        static reader_t r;
        r.fd = connect_to(argv[1]);
        r.start = r.end = 0;
        send_line(r.fd, "{\"cmd\":\"cancel\",\"id\":\"r\"}\n");
        read_line(&r);
        close(r.fd);
        usleep(3000);
    }
    print_percentiles(took, good);
    return good == count ? 0 : 1;
}
