import CAtspi

/// One widget of the driven app as assistive technology sees it. Every property asks the app anew; one that is gone reads as empty.
///
/// Belongs to the thread that drives.
public final class Element {
  let accessible: UnsafeMutablePointer<AtspiAccessible>

  /// Takes over the caller's reference.
  init(owning accessible: UnsafeMutablePointer<AtspiAccessible>) { self.accessible = accessible }

  deinit { g_object_unref(accessible) }

  /// What kind of widget it is.
  public var role: Role { Role(rawValue: atspi_accessible_get_role(accessible, nil)) }

  /// The accessible name.
  public var name: String { text(atspi_accessible_get_name(accessible, nil)) ?? "" }

  /// The accessible description; e.g. an error below an entry.
  public var detail: String { text(atspi_accessible_get_description(accessible, nil)) ?? "" }

  /// The text inside: what an entry holds or a label shows.
  public var content: String? {
    guard let interface = atspi_accessible_get_text_iface(accessible) else { return nil }
    defer { g_object_unref(interface) }
    // -1 for the end is not understood: the count is asked first.
    let count = atspi_text_get_character_count(interface, nil)
    return count <= 0 ? "" : text(atspi_text_get_text(interface, 0, count, nil))
  }

  /// The value of a progress bar or slider.
  public var value: Double? {
    guard let interface = atspi_accessible_get_value_iface(accessible) else { return nil }
    defer { g_object_unref(interface) }
    return atspi_value_get_current_value(interface, nil)
  }

  /// Whether a person could use it now.
  public var isEnabled: Bool { has(ATSPI_STATE_SENSITIVE) }

  /// Whether it has not been hidden. Pages of a stack that are covered are not hidden; `showing` is no help, GTK 4.8 says it of
  /// windows only.
  public var isVisible: Bool { has(ATSPI_STATE_VISIBLE) }

  /// Whether the keyboard goes to it.
  public var isFocused: Bool { has(ATSPI_STATE_FOCUSED) }

  /// Whether a toggle is down.
  public var isPressed: Bool { has(ATSPI_STATE_PRESSED) || has(ATSPI_STATE_CHECKED) }

  func has(_ state: AtspiStateType) -> Bool {
    guard let states = atspi_accessible_get_state_set(accessible) else { return false }
    defer { g_object_unref(states) }
    return atspi_state_set_contains(states, state) != 0
  }

  /// What is directly inside it.
  public var children: [Element] {
    let count = atspi_accessible_get_child_count(accessible, nil)
    guard count > 0 else { return [] }
    return (0..<count).compactMap { index in
      atspi_accessible_get_child_at_index(accessible, index, nil).map(Element.init(owning:))
    }
  }

  /// The widget around it.
  public var parent: Element? { atspi_accessible_get_parent(accessible, nil).map(Element.init(owning:)) }

  /// The nearest widget around it of that role.
  /// - Throws: `DriverError.refused` when there is none.
  public func ancestor(_ role: Role) throws -> Element {
    var place = parent
    while let found = place, found.role != role { place = found.parent }
    guard let place else { throw DriverError.refused("nothing around \(self) is a \(role)") }
    return place
  }

  /// The names of what can be done with it, in the order of the app.
  public var actions: [String] {
    guard let interface = atspi_accessible_get_action_iface(accessible) else { return [] }
    defer { g_object_unref(interface) }
    return (0..<max(0, atspi_action_get_n_actions(interface, nil))).map { text(atspi_action_get_action_name(interface, $0, nil)) ?? "" }
  }

  /// Does the action `name`. Chosen by name, never by position: invoking `link.open` of a plain label ends a GTK app.
  /// - Throws: `DriverError.refused` when there is no such action or the app declines.
  public func perform(_ name: String) throws {
    guard let interface = atspi_accessible_get_action_iface(accessible) else { throw DriverError.refused("\(self) has no actions") }
    defer { g_object_unref(interface) }
    guard let index = actions.firstIndex(of: name) else { throw DriverError.refused("\(self) has no action \(name), only \(actions)") }
    guard atspi_action_do_action(interface, gint(index), nil) != 0 else { throw DriverError.refused("\(name) of \(self)") }
  }

  /// Presses a button as a screen reader would.
  /// - Throws: `DriverError.refused` when it is no button, or cannot be pressed now.
  public func press() throws {
    guard isEnabled else { throw DriverError.refused("\(self) is not enabled") }
    let known = actions
    guard let action = ["click", "clicked", "activate"].first(where: known.contains) else {
      throw DriverError.refused("\(self) cannot be pressed; it can \(known)")
    }
    try perform(action)
  }

  /// Gives it the keyboard.
  /// - Throws: `DriverError.refused` when it takes none.
  public func focus() throws {
    guard let interface = atspi_accessible_get_component_iface(accessible) else { throw DriverError.refused("\(self) takes no focus") }
    defer { g_object_unref(interface) }
    guard atspi_component_grab_focus(interface, nil) != 0 else { throw DriverError.refused("focus for \(self)") }
  }

  /// Where it lies in its window, in pixels.
  public var frame: Frame? {
    guard let interface = atspi_accessible_get_component_iface(accessible) else { return nil }
    defer { g_object_unref(interface) }
    guard let rectangle = atspi_component_get_extents(interface, ATSPI_COORD_TYPE_WINDOW, nil) else { return nil }
    defer { g_free(rectangle) }
    let found = rectangle.pointee
    return Frame(x: Int(found.x), y: Int(found.y), width: Int(found.width), height: Int(found.height))
  }

  private func text(_ characters: UnsafeMutablePointer<gchar>?) -> String? {
    guard let characters else { return nil }
    defer { g_free(characters) }
    return String(cString: characters)
  }
}

/// A rectangle in pixels.
public struct Frame: Equatable, Sendable {
  /// Left edge.
  public var x: Int
  /// Upper edge.
  public var y: Int
  /// Width.
  public var width: Int
  /// Height.
  public var height: Int
}

extension Element: CustomStringConvertible {
  /// Role, name and what stands in it.
  public var description: String {
    var line = "\(role) \"\(name)\""
    if let content, !content.isEmpty, content != name { line += " holding \"\(content)\"" }
    if !detail.isEmpty { line += " (\(detail))" }
    if !isEnabled { line += " disabled" }
    if !isVisible { line += " hidden" }
    if isFocused { line += " focused" }
    return line
  }

  /// The tree from here down, a line an element.
  public func outline(depth: Int = 0, limit: Int = 14) -> String {
    let line = String(repeating: "  ", count: depth) + description
    guard depth < limit else { return line }
    // Long lists say little that is new after their first rows.
    let inside = role == .list ? Array(children.prefix(3)) : children
    return ([line] + inside.map { $0.outline(depth: depth + 1, limit: limit) }).joined(separator: "\n")
  }
}
