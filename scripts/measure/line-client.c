/* line-client SOCKET COUNT [REST]: presses and cancels COUNT times over one connection and prints how long the ack of an
   accepted press took. REST: milliseconds of rest before each press (0). */
#include "common.h"

static reader_t r;
static char *ask(const char *command, long number) {
    char line[128], id[48];
    snprintf(id, sizeof id, "\"id\":\"%ld\"", number);
    snprintf(line, sizeof line, "{\"cmd\":\"%s\",%s}\n", command, id);
    send_line(r.fd, line);
    char *answer;
    while ((answer = read_line(&r)))
        if (strstr(answer, id)) return answer;
    fprintf(stderr, "line-client: the connection ended\n");
    exit(1);
}
int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) return 2;
    int wanted = atoi(argv[2]), rest = argc > 3 ? atoi(argv[3]) : 0, count = 0;
    long number = 0;
    long long *took = calloc((size_t)wanted, sizeof *took);
    r.fd = connect_to(argv[1]);
    for (long tries = 0; count < wanted && tries < wanted * 20L; tries++) {
        if (rest) usleep((useconds_t)rest * 1000);
        long long began = now_ns();
        char *answer = ask("press", ++number);
        long long time = now_ns() - began;
        if (strstr(answer, "\"started\"")) took[count++] = time;
        else usleep(2000); /* the one before is still being ended */
        ask("cancel", ++number);
    }
    print_percentiles(took, count);
    return count == wanted ? 0 : 1;
}
