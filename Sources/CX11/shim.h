#pragma once
#include <X11/Xlib.h>
#include <X11/Xatom.h>
#include <X11/XKBlib.h>
#include <X11/Xutil.h>
#include <X11/keysym.h>
#include <X11/extensions/XTest.h>
#include <X11/extensions/Xfixes.h>

/// The bits of a resource id that its client chooses; the others name the client (`resource_mask`, a private field at a
/// fixed place in a public structure).
static inline unsigned long blurt_x11_resource_mask(Display *display) {
  return ((_XPrivDisplay)display)->private4;
}
