import AppCore
import Gtk

/// Shows notifications where the desktop has them.
@MainActor final class DesktopNotifier: Notifier {
  private let application: Application

  init(_ application: Application) { self.application = application }

  func show(_ notification: DesktopNotification) {
    application.notify(notification.id, title: notification.title, body: notification.body, opening: notification.link)
  }

  func withdraw(_ id: DesktopNotification.ID) { application.withdrawNotification(id) }
}
