import CGtk

/// A list of a few rows, all of which exist.
@MainActor public final class ListBox: Widget {
  /// Empty.
  public init(styles: [Style] = []) {
    super.init(made: UnsafeMutableRawPointer(gtk_list_box_new()))
    gtk_list_box_set_selection_mode(opaque, GTK_SELECTION_NONE)
    for style in styles { setStyle(style) }
  }

  /// Adds a row at the end.
  /// - Parameters:
  ///   - name: what a screen reader calls the row.
  ///   - isActivatable: whether it can be clicked, or chosen with Enter.
  public func append(_ child: Widget, name: String, isActivatable: Bool = true) {
    let row = Widget(made: UnsafeMutableRawPointer(gtk_list_box_row_new()))
    gtk_list_box_row_set_child(row.pointer(), child.widget)
    gtk_list_box_row_set_activatable(row.pointer(), isActivatable ? 1 : 0)
    row.setAccessibleName(name)
    gtk_list_box_append(opaque, row.widget)
  }

  /// Takes all rows out.
  public func removeAll() { while let row = gtk_list_box_get_row_at_index(opaque, 0) { gtk_list_box_remove(opaque, widgetPointer(row)) } }

  /// Acts as if a row had been clicked; false when there is none at that place.
  @discardableResult public func activate(_ place: Int) -> Bool {
    guard let row = gtk_list_box_get_row_at_index(opaque, Int32(clamping: place)) else { return false }
    return gtk_widget_activate(widgetPointer(row)) != 0
  }

  /// Called with the place of a row that was clicked, or chosen with Enter.
  @discardableResult
  public func onActivated<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, Int) -> Void) -> Connection {
    connect("row-activated", .object, owner: owner, absent: ()) { owner, row in
      body(owner, Int(gtk_list_box_row_get_index(row.raw.assumingMemoryBound(to: GtkListBoxRow.self))))
    }
  }

  private func widgetPointer(_ row: UnsafeMutablePointer<GtkListBoxRow>) -> UnsafeMutablePointer<GtkWidget> {
    UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self)
  }
}
