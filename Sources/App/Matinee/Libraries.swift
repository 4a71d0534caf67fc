import CurlTransport
import DesktopServices
import FeedFormats
import Gtk
import MenuFeature
import SQLiteStorage
import SignedReceipts

/// The libraries that this program uses, with the versions that they say they have.
@MainActor func libraries() -> [AboutViewModel.Library] {
  let toolkit = Toolkit.versions
  return [
    .init("GTK", toolkit.gtk), .init("GLib", toolkit.glib),
    .init("libcurl", NetworkTransport.libraryVersion ?? "not installed"),
    .init("SQLite", Connection.libraryVersion), .init("OpenSSL", OpenSSLError.libraryVersion), .init("libxml2", FeedParser.libraryVersion),
    .init("libsecret", "\(SecretServiceTokenStore.libraryVersion) at the build"),
  ]
}
