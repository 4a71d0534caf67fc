"""Stands in for the desktop's prompter: whoever wants the keyring's password gets "no". Prints "asked" and the kind of each question.

The protocol is gcr's, between org.gnome.keyring.SystemPrompter and the callback object of the keyring.
"""
import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PROMPTER = "org.gnome.keyring.internal.Prompter"


class Prompter(dbus.service.Object):
    def __init__(self, bus):
        self.bus = bus
        super().__init__(dbus.service.BusName("org.gnome.keyring.SystemPrompter", bus), "/org/gnome/keyring/Prompter")

    def call(self, method, sender, callback, *arguments):
        # After the answer to the keyring's own call.
        def now():
            target = self.bus.get_object(sender, callback, introspect=False)
            target.get_dbus_method(method, PROMPTER + ".Callback")(
                *arguments, reply_handler=lambda *_: None, error_handler=lambda *_: None)
        GLib.idle_add(now)

    def ready(self, sender, callback, reply, exchange):
        self.call("PromptReady", sender, callback, reply, dbus.Dictionary({}, signature="sv"), exchange)

    @dbus.service.method(PROMPTER, in_signature="o", sender_keyword="sender")
    def BeginPrompting(self, callback, sender=None):
        self.ready(sender, callback, "", "")

    @dbus.service.method(PROMPTER, in_signature="osa{sv}s", sender_keyword="sender")
    def PerformPrompt(self, callback, kind, properties, exchange, sender=None):
        print("asked", kind, flush=True)
        self.ready(sender, callback, "no", exchange)

    @dbus.service.method(PROMPTER, in_signature="o", sender_keyword="sender")
    def StopPrompting(self, callback, sender=None):
        self.call("PromptDone", sender, callback)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
prompter = Prompter(dbus.SessionBus())
GLib.MainLoop().run()
