/* line-echo SOCKET: the least a daemon could do. Binds, and answers each line with an ack that has its id.
   One connection at a time. Ends on SIGTERM. */
#include "common.h"

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    unlink(argv[1]);
    struct sockaddr_un a = address_of(argv[1]);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&a, sizeof a) || listen(listener, 16)) fail("bind");
    static reader_t r;
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd < 0) fail("accept");
        r.fd = fd;
        r.start = r.end = 0;
        char *line;
        while ((line = read_line(&r))) {
            char *id = strstr(line, "\"id\":\"");
            char answer[256];
            int n = id ? (int)strcspn(id + 6, "\"") : 0;
            snprintf(answer, sizeof answer, "{\"ack\":{\"dictation\":1,\"id\":\"%.*s\",\"result\":\"started\"}}\n", n, id ? id + 6 : "");
            if (send(fd, answer, strlen(answer), MSG_NOSIGNAL) < 0) break;
        }
        close(fd);
    }
}
