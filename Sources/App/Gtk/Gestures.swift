import CGtk
import CGtkShims

extension Widget {
  /// Calls `body` when a key is pressed while the keyboard is anywhere in the window and this widget is on screen, not
  /// beneath a sheet.
  /// - Parameters:
  ///   - key: such as `"F5"`, `"Escape"`, `"<Alt>Left"`, `"<Control>q"`.
  ///   - isInside: only while the keyboard is in this widget, and before what is around it takes the key.
  ///   - isFor: whether the key is for this widget now; otherwise the widget with the keyboard focus gets it.
  /// - Returns: nil when there is no such key.
  @discardableResult
  public final func addShortcut<Owner: SignalOwner>(
    _ key: String, _ owner: Owner, inside isInside: Bool = false, when isFor: @escaping @MainActor (Owner) -> Bool = { _ in true },
    _ body: @escaping @MainActor (Owner) -> Void
  ) -> SignalConnection? {
    guard let trigger = gtk_shortcut_trigger_parse_string(key) else { return nil }
    let handler = Handler<Void, Bool> { [weak self, weak owner] in
      guard let owner, self?.isReachable == true, isFor(owner) else { return false }
      body(owner)
      return true
    }
    let call: GtkShortcutFunc = { _, _, data in fire(data, (), as: Bool.self) ? 1 : 0 }
    let shortcut = checked(gtk_shortcut_new(trigger, gtk_callback_action_new(call, handler.retained, releaseData)))
    let controller = checked(gtk_shortcut_controller_new())
    gtk_shortcut_controller_set_scope(controller, isInside ? GTK_SHORTCUT_SCOPE_LOCAL : GTK_SHORTCUT_SCOPE_GLOBAL)
    gtk_shortcut_controller_add_shortcut(controller, shortcut)
    gtk_widget_add_controller(widget, controller)
    // The controller outlives the closure, and a closure that goes clears this one: the pointer is never stale.
    let connection = SignalConnection {
      if let widget = gtk_event_controller_get_widget(controller) { gtk_widget_remove_controller(widget, controller) }
    }
    handler.connection = connection
    owner.scope.record(connection)
    return connection
  }

  /// Calls `body` when a character is typed while the keyboard is in this widget and nothing there takes it.
  /// - Parameter body: returns whether it handled the key; otherwise the key is passed on.
  public final func onTyped<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, Character) -> Bool) {
    let keys = Object(made: UnsafeMutableRawPointer(gtk_event_controller_key_new()))
    gtk_widget_add_controller(widget, OpaquePointer(g_object_ref(keys.raw)))
    keys.connect("key-pressed", .key, owner: owner, absent: false) { owner, key in
      let commands = GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue
      guard key.modifiers & commands == 0, let scalar = Unicode.Scalar(gdk_keyval_to_unicode(key.value)) else { return false }
      let character = Character(scalar)
      return (character.isLetter || character.isNumber) && body(owner, character)
    }
  }

  /// The keys that open the menu of what the keyboard is on.
  static let menuKeys = ["Menu", "<Shift>F10"]

  /// Whether it is on screen and not beneath a sheet.
  private final var isReachable: Bool {
    guard isMapped else { return false }
    var ancestor: UnsafeMutablePointer<GtkWidget>? = widget
    while let present = ancestor {
      if gtk_widget_get_can_focus(present) == 0 { return false }
      ancestor = gtk_widget_get_parent(present)
    }
    return true
  }

  /// Listens to clicks on the widget.
  /// - Parameters:
  ///   - button: the mouse's; 0 for any.
  ///   - captures: whether it handles a click before the widgets within.
  /// - Returns: the gesture, which the widget owns.
  final func addClickGesture(button: Int = Int(GDK_BUTTON_PRIMARY), captures: Bool = false) -> Object {
    let gesture = Object(made: UnsafeMutableRawPointer(gtk_gesture_click_new()))
    gtk_gesture_single_set_button(gesture.opaque, guint(button))
    if captures { gtk_event_controller_set_propagation_phase(gesture.opaque, GTK_PHASE_CAPTURE) }
    gtk_widget_add_controller(widget, OpaquePointer(g_object_ref(gesture.raw)))
    return gesture
  }

  /// Adds a controller of the wheel's vertical turns, which has them before anything in the widget: in GTK 4.8 a scroller keeps the wheel to
  /// itself, also where it has nothing to scroll.
  final func addWheel() -> Object {
    let wheel = Object(made: UnsafeMutableRawPointer(gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)))
    gtk_event_controller_set_propagation_phase(wheel.opaque, GTK_PHASE_CAPTURE)
    gtk_widget_add_controller(widget, OpaquePointer(g_object_ref(wheel.raw)))
    return wheel
  }

  /// Calls `body` when the widget was clicked or tapped, but not on this part of it.
  final func onClick<Owner: SignalOwner>(beside part: Widget, _ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    let (widget, part) = (widget, part.widget)
    addClickGesture().connect("released", .press, owner: owner, absent: ()) { owner, press in
      let picked = gtk_widget_pick(widget, press.x, press.y, GTK_PICK_DEFAULT)
      guard let picked, picked == part || gtk_widget_is_ancestor(picked, part) != 0 else { return body(owner) }
    }
  }

  /// Calls `body` when the mouse's back button was pressed, anywhere in the widget.
  public final func onBackButton<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    addClickGesture(button: 8, captures: true).connect("pressed", .press, owner: owner, absent: ()) { owner, _ in body(owner) }
  }

  /// Calls `body` with the place of a secondary click in the widget, or of a long press on a touch screen. Offer a ``Button`` for the same:
  /// neither can be done by keyboard.
  public final func onSecondaryClick<Owner: SignalOwner>(
    _ owner: Owner, _ body: @escaping @MainActor (Owner, (x: Double, y: Double)) -> Void
  ) {
    addClickGesture(button: Int(GDK_BUTTON_SECONDARY)).connect("pressed", .press, owner: owner, absent: ()) { body($0, (x: $1.x, y: $1.y)) }
    let press = Object(made: UnsafeMutableRawPointer(gtk_gesture_long_press_new()))
    gtk_gesture_single_set_touch_only(press.opaque, 1)
    gtk_widget_add_controller(widget, OpaquePointer(g_object_ref(press.raw)))
    press.connect("pressed", .place, owner: owner, absent: ()) { body($0, $1) }
  }
}

/// Takes away what the toolkit listens with.
@MainActor func removeControllers(_ type: GType, of widget: UnsafeMutablePointer<GtkWidget>) {
  let controllers = gtk_widget_observe_controllers(widget)
  defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
  for place in (0..<g_list_model_get_n_items(controllers)).reversed() {
    guard let controller = g_list_model_get_object(controllers, place) else { continue }
    defer { g_object_unref(controller) }
    if matinee_is_a(controller, type) != 0 { gtk_widget_remove_controller(widget, OpaquePointer(controller)) }
  }
}
