import CGtk

/// Asks for a file with the desktop's own dialog.
@MainActor public final class FileChooser {
  private var dialog: Object?
  private let scope = Scope()

  /// A chooser that is not shown yet.
  public init() {}

  /// Asks; does nothing while it asks already.
  /// - Parameters:
  ///   - title: what the dialog is called.
  ///   - button: the one that takes the file.
  ///   - widget: in the window that waits for the answer.
  ///   - chosen: given the path; `nil` when the person chose nothing, or something that is no file on this computer.
  public func open(title: String, button: String, over widget: Widget, chosen: @escaping @MainActor (String?) -> Void) {
    show(GTK_FILE_CHOOSER_ACTION_OPEN, title, button, over: widget, chosen: chosen)
  }

  /// Asks for the place of a new file. If a file is there already, the dialog asks whether to replace it.
  /// - Parameters:
  ///   - title: what the dialog is called.
  ///   - button: the one that takes the place.
  ///   - name: what the file is called unless the person says otherwise.
  ///   - widget: in the window that waits for the answer.
  ///   - chosen: given the path; `nil` when the person chose nothing, or a place that is not on this computer.
  public func save(title: String, button: String, name: String, over widget: Widget, chosen: @escaping @MainActor (String?) -> Void) {
    show(GTK_FILE_CHOOSER_ACTION_SAVE, title, button, name: name, over: widget, chosen: chosen)
  }

  private func show(
    _ action: GtkFileChooserAction, _ title: String, _ button: String, name: String? = nil, over widget: Widget,
    chosen: @escaping @MainActor (String?) -> Void
  ) {
    guard dialog == nil else { return }
    let window = gtk_widget_get_root(widget.widget).map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWindow.self) }
    let made = gtk_file_chooser_native_new(title, window, action, button, nil)
    let dialog = Object(made: UnsafeMutableRawPointer(made))
    self.dialog = dialog
    if let name { gtk_file_chooser_set_current_name(dialog.opaque, name) }
    gtk_native_dialog_set_modal(dialog.pointer(), 1)
    dialog.connect("response", .response, in: scope) { [weak self, weak dialog] response in
      var path: String?
      if let dialog, response == Int(GTK_RESPONSE_ACCEPT.rawValue), let file = gtk_file_chooser_get_file(dialog.opaque) {
        path = takenString(g_file_get_path(file))
        g_object_unref(UnsafeMutableRawPointer(file))
      }
      self?.close()
      chosen(path)
    }
    gtk_native_dialog_show(dialog.pointer())
  }

  /// Takes the dialog away; does nothing without one.
  public func close() {
    guard let dialog else { return }
    self.dialog = nil
    gtk_native_dialog_hide(dialog.pointer())
    gtk_native_dialog_destroy(dialog.pointer())
  }

  isolated deinit { close() }
}
