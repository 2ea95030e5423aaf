/* mouse-flood RATE SECONDS: a mouse, made through /dev/uinput, that moves RATE times a second. Prints its node, and is gone at
   its end. */
#include "common.h"
#include <dirent.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <sys/ioctl.h>
#include <sys/timerfd.h>

static void emit(int fd, int type, int code, int value) {
    struct input_event e = {.type = type, .code = code, .value = value};
    if (write(fd, &e, sizeof e) != sizeof e) fail("uinput");
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    long rate = atol(argv[1]), seconds = atol(argv[2]);
    if (rate < 1 || rate > 100000 || seconds < 1) return 2;
    int fd = open("/dev/uinput", O_WRONLY | O_CLOEXEC);
    if (fd < 0) fail("/dev/uinput");
    ioctl(fd, UI_SET_EVBIT, EV_KEY);
    ioctl(fd, UI_SET_EVBIT, EV_REL);
    for (int code = BTN_LEFT; code <= BTN_MIDDLE; code++) ioctl(fd, UI_SET_KEYBIT, code);
    ioctl(fd, UI_SET_RELBIT, REL_X);
    ioctl(fd, UI_SET_RELBIT, REL_Y);
    struct uinput_setup setup = {.id = {.bustype = BUS_USB, .vendor = 0x1209, .product = 9}, .name = "Fast mouse"};
    if (ioctl(fd, UI_DEV_SETUP, &setup) || ioctl(fd, UI_DEV_CREATE)) fail("uinput");
    char name[64], path[128];
    if (ioctl(fd, UI_GET_SYSNAME(sizeof name), name) < 0) fail("UI_GET_SYSNAME");
    snprintf(path, sizeof path, "/sys/devices/virtual/input/%s", name);
    DIR *folder = opendir(path);
    if (!folder) fail(path);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (!strncmp(entry->d_name, "event", 5)) printf("/dev/input/%s\n", entry->d_name);
    fflush(stdout);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    struct itimerspec every = {{0, 1000000000L / rate}, {0, 1000000000L / rate}};
    if (timerfd_settime(timer, 0, &every, NULL)) fail("timerfd");
    /* A timer that was late tells how many times it would have rung: as many reports are owed. */
    for (long long sent = 0; sent < (long long)rate * seconds;) {
        unsigned long long owed;
        if (read(timer, &owed, sizeof owed) != sizeof owed) fail("timerfd");
        for (; owed > 0; owed--, sent++) {
            emit(fd, EV_REL, REL_X, sent % 2 ? 1 : -1);
            emit(fd, EV_SYN, SYN_REPORT, 0);
        }
    }
    return 0;
}
