/* paste-floor TEXT | @FILE: the least a paste could be. Owns the clipboard, presses Ctrl+V with XTest into the window that
   has the focus, and serves the text, in one piece. Prints, in nanoseconds, the times of CLOCK_MONOTONIC of the press and of
   the text being served, and what a round trip to the server takes (the median of 51). */
#include "common.h"
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>

static int by_size(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

static long long round_trip(Display *d) {
    long long took[51];
    for (int i = 0; i < 51; i++) {
        long long began = now_ns();
        XSync(d, False);
        took[i] = now_ns() - began;
    }
    qsort(took, 51, sizeof took[0], by_size);
    return took[25];
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    char *served = argv[1];
    long size = (long)strlen(served);
    if (served[0] == '@') {
        FILE *file = fopen(served + 1, "rb");
        if (!file || fseek(file, 0, SEEK_END)) return 2;
        size = ftell(file);
        rewind(file);
        served = malloc((size_t)size + 1);
        if (!served || fread(served, 1, (size_t)size, file) != (size_t)size) return 2;
        fclose(file);
    }
    Display *d = XOpenDisplay(NULL);
    if (!d) {
        fprintf(stderr, "paste-floor: no display\n");
        return 1;
    }
    Window w = XCreateSimpleWindow(d, DefaultRootWindow(d), 0, 0, 1, 1, 0, 0, 0);
    Atom clipboard = XInternAtom(d, "CLIPBOARD", False), utf8 = XInternAtom(d, "UTF8_STRING", False);
    Atom targets = XInternAtom(d, "TARGETS", False), mime = XInternAtom(d, "text/plain;charset=utf-8", False);
    KeyCode control = XKeysymToKeycode(d, XK_Control_L), v = XKeysymToKeycode(d, XK_v);
    XSetSelectionOwner(d, clipboard, w, CurrentTime);
    long long trip = round_trip(d);
    long long pressed = now_ns();
    XTestFakeKeyEvent(d, control, True, 0);
    XTestFakeKeyEvent(d, v, True, 0);
    XTestFakeKeyEvent(d, v, False, 0);
    XTestFakeKeyEvent(d, control, False, 0);
    XFlush(d);
    for (;;) {
        XEvent e;
        XNextEvent(d, &e);
        if (e.type != SelectionRequest) continue;
        XSelectionRequestEvent *q = &e.xselectionrequest;
        XSelectionEvent answer = {.type = SelectionNotify, .requestor = q->requestor, .selection = q->selection,
                                  .target = q->target, .property = q->property, .time = q->time};
        int text = 0;
        if (q->target == targets) {
            Atom list[] = {targets, utf8, mime};
            XChangeProperty(d, q->requestor, q->property, XA_ATOM, 32, PropModeReplace, (unsigned char *)list, 3);
        } else if (q->target == utf8 || q->target == mime) {
            XChangeProperty(d, q->requestor, q->property, q->target, 8, PropModeReplace, (unsigned char *)served,
                            (int)size);
            text = 1;
        } else {
            answer.property = None;
        }
        XSendEvent(d, q->requestor, False, 0, (XEvent *)&answer);
        XSync(d, False);
        if (text) {
            printf("%lld %lld %lld\n", pressed, now_ns(), trip);
            return 0;
        }
    }
}
