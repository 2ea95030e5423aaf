/* paste-floor TEXT: the least a paste could be. Owns the clipboard, presses Ctrl+V with XTest into the window that has the
   focus, and serves TEXT. Prints the times, in nanoseconds of CLOCK_MONOTONIC, of the press and of the text being served. */
#include "common.h"
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <X11/extensions/XTest.h>
#include <X11/keysym.h>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
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
    XSync(d, False);
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
            XChangeProperty(d, q->requestor, q->property, q->target, 8, PropModeReplace, (unsigned char *)argv[1],
                            (int)strlen(argv[1]));
            text = 1;
        } else {
            answer.property = None;
        }
        XSendEvent(d, q->requestor, False, 0, (XEvent *)&answer);
        XSync(d, False);
        if (text) {
            printf("%lld %lld\n", pressed, now_ns());
            return 0;
        }
    }
}
