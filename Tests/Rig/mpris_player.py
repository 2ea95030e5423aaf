#!/usr/bin/python3
"""A media player that only says whether it plays: MPRIS on the session bus.

    mpris_player.py NAME [Playing|Paused|Stopped]

Prints one line for its state at the start and for each change. Ends with its bus or on SIGTERM.
"""
import sys

from gi.repository import Gio, GLib

XML = """
<node>
  <interface name="org.mpris.MediaPlayer2">
    <property name="Identity" type="s" access="read"/>
  </interface>
  <interface name="org.mpris.MediaPlayer2.Player">
    <method name="Play"/><method name="Pause"/><method name="PlayPause"/><method name="Stop"/>
    <property name="PlaybackStatus" type="s" access="read"/>
    <property name="Metadata" type="a{sv}" access="read"/>
    <property name="CanPlay" type="b" access="read"/>
    <property name="CanPause" type="b" access="read"/>
    <property name="CanControl" type="b" access="read"/>
  </interface>
</node>
"""
PLAYER = "org.mpris.MediaPlayer2.Player"
name = sys.argv[1]
state = sys.argv[2] if len(sys.argv) > 2 else "Playing"


def go(connection, new):
    global state
    state = new
    print(state, flush=True)
    connection.emit_signal(
        None, "/org/mpris/MediaPlayer2", "org.freedesktop.DBus.Properties", "PropertiesChanged",
        GLib.Variant("(sa{sv}as)", (PLAYER, {"PlaybackStatus": GLib.Variant("s", state)}, [])))


def call(connection, sender, path, interface, method, arguments, invocation):
    following = {"Play": "Playing", "Pause": "Paused", "Stop": "Stopped"}.get(method) or (
        "Paused" if state == "Playing" else "Playing")
    go(connection, following)
    invocation.return_value(None)


def read(connection, sender, path, interface, field):
    return {
        "Identity": GLib.Variant("s", name), "PlaybackStatus": GLib.Variant("s", state),
        "Metadata": GLib.Variant("a{sv}", {"mpris:trackid": GLib.Variant("o", "/rig/track")}),
    }.get(field, GLib.Variant("b", True))


def acquired(connection, _):
    for interface in Gio.DBusNodeInfo.new_for_xml(XML).interfaces:
        connection.register_object("/org/mpris/MediaPlayer2", interface, call, read, None)


Gio.bus_own_name(
    Gio.BusType.SESSION, f"org.mpris.MediaPlayer2.{name}", Gio.BusNameOwnerFlags.NONE, acquired,
    lambda *_: print(state, flush=True), lambda *_: sys.exit(1))
GLib.MainLoop().run()
