import CGtk
import CGtkShims

/// What a widget is to a screen reader.
public enum AccessibleRole: Sendable {
  /// Something to be read out at once.
  case alert
  /// Something to press.
  case button
  /// A window within the window.
  case dialog
  /// Widgets that belong together.
  case group
  /// What stands above a part of a text; the level is 1 to 6.
  case heading(level: Int)
  /// A picture.
  case image
  /// A text.
  case label
  /// A list.
  case list
  /// A row of a list.
  case listItem
  /// Decoration, which assistive technology passes over.
  case presentation
  /// One of several pages to choose from.
  case tab
  /// The choice of pages.
  case tabList

  var native: GtkAccessibleRole {
    switch self {
    case .alert: GTK_ACCESSIBLE_ROLE_ALERT
    case .button: GTK_ACCESSIBLE_ROLE_BUTTON
    case .dialog: GTK_ACCESSIBLE_ROLE_DIALOG
    case .group: GTK_ACCESSIBLE_ROLE_GROUP
    case .heading: GTK_ACCESSIBLE_ROLE_HEADING
    case .image: GTK_ACCESSIBLE_ROLE_IMG
    case .label: GTK_ACCESSIBLE_ROLE_LABEL
    case .list: GTK_ACCESSIBLE_ROLE_LIST
    case .listItem: GTK_ACCESSIBLE_ROLE_LIST_ITEM
    case .presentation: GTK_ACCESSIBLE_ROLE_PRESENTATION
    case .tab: GTK_ACCESSIBLE_ROLE_TAB
    case .tabList: GTK_ACCESSIBLE_ROLE_TAB_LIST
    }
  }
}

extension Widget {
  /// Says what the widget is; only before it is shown, and before its name is set.
  public final func setAccessibleRole(_ role: AccessibleRole) {
    matinee_widget_set_role(widget, role.native)
    if case .heading(let level) = role { Accessible.set(opaque, GTK_ACCESSIBLE_PROPERTY_LEVEL) { g_value_set_int(&$0, gint(level)) } }
  }

  /// The name that a screen reader says, and that tests find the widget by.
  public final func setAccessibleName(_ name: String) {
    Accessible.set(opaque, GTK_ACCESSIBLE_PROPERTY_LABEL) { g_value_set_string(&$0, name) }
  }

  /// A sentence more than the name.
  public final func setAccessibleDescription(_ description: String) {
    Accessible.set(opaque, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION) { g_value_set_string(&$0, description) }
  }

  /// Whether a control that can be on and off is on.
  final func setAccessiblePressed(_ isPressed: Bool) {
    matinee_accessible_set_state(opaque, GTK_ACCESSIBLE_STATE_PRESSED, isPressed ? 1 : 0)
  }

  /// Whether screen readers skip it. GTK 4.8 reports `isVisible` by itself, but not that another page covers this one.
  public final func setAccessibleHidden(_ isHidden: Bool) {
    matinee_accessible_set_state(opaque, GTK_ACCESSIBLE_STATE_HIDDEN, isHidden ? 1 : 0)
  }

  /// Whether one of several is the chosen one.
  final func setAccessibleSelected(_ isSelected: Bool) {
    matinee_accessible_set_state(opaque, GTK_ACCESSIBLE_STATE_SELECTED, isSelected ? 1 : 0)
  }
}

enum Accessible {
  /// The variadic setters are not there for Swift: one property by value.
  static func set(_ accessible: OpaquePointer, _ property: GtkAccessibleProperty, _ assign: (inout GValue) -> Void) {
    var property = property
    var value = GValue()
    gtk_accessible_property_init_value(property, &value)
    assign(&value)
    gtk_accessible_update_property_value(accessible, 1, &property, &value)
    g_value_unset(&value)
  }
}
