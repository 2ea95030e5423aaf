/* one-shot SOCKET: the least a client could do. Connects, writes a press, reads the ack, ends. */
#include "common.h"

int main(int argc, char **argv) {
    static reader_t r;
    if (argc != 2) return 2;
    r.fd = connect_to(argv[1]);
    send_line(r.fd, "{\"cmd\":\"press\",\"id\":\"1\"}\n");
    return read_line(&r) ? 0 : 1;
}
