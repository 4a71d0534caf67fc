import CGtk
import CGtkShims

@testable import Gtk

/// A widget as a person finds it: what is on screen of it, by text, name and place.
@MainActor struct Seen {
  let pointer: UnsafeMutablePointer<GtkWidget>

  init(_ widget: Widget) { pointer = widget.widget }
  private init(_ pointer: UnsafeMutablePointer<GtkWidget>) { self.pointer = pointer }

  private var opaque: OpaquePointer { OpaquePointer(pointer) }
  private var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(pointer) }
  private func isA(_ type: GType) -> Bool { matinee_is_a(pointer, type) != 0 }

  /// This and everything in it that is drawn, in reading order.
  var all: [Seen] {
    guard gtk_widget_get_mapped(pointer) != 0, gtk_widget_get_opacity(pointer) > 0 else { return [] }
    var found = [self]
    var child = gtk_widget_get_first_child(pointer)
    while let present = child {
      found += Seen(present).all
      child = gtk_widget_get_next_sibling(present)
    }
    return found
  }

  /// Whether a page fades into another, or something slides, in it.
  var isMoving: Bool {
    all.contains {
      ($0.isA(gtk_stack_get_type()) && gtk_stack_get_transition_running($0.opaque) != 0) || matinee_slide_is_moving($0.pointer) != 0
    }
  }

  // MARK: What it says

  /// The text of a label.
  var text: String? { rawText?.filter { !"\u{200E}\u{200F}\u{2068}\u{2069}".contains($0) } }
  /// With the marks that say which way it is read.
  private var rawText: String? { isA(gtk_label_get_type()) ? string(gtk_label_get_text(opaque)) : nil }
  /// Where the left edge of a part of its text is, in pixels.
  func place(of part: String) -> Double? {
    guard let rawText, let range = rawText.range(of: part) else { return nil }
    let (first, last) = (range.lowerBound, rawText.index(before: range.upperBound))
    return [first, last].map { index in
      var place = PangoRectangle()
      pango_layout_index_to_pos(gtk_label_get_layout(opaque), gint(rawText.utf8.distance(from: rawText.startIndex, to: index)), &place)
      return Double(min(place.x, place.x + place.width)) / Double(PANGO_SCALE)
    }.min()
  }
  /// The text of a label with its markup.
  var markup: String? { isA(gtk_label_get_type()) ? string(gtk_label_get_label(opaque)) : nil }
  /// All texts in it, but empty ones.
  var texts: [String] { all.compactMap(\.text).filter { !$0.isEmpty } }
  func says(_ text: String) -> Bool { texts.contains(text) }
  /// The names of all icons in it; those of the app's own are styles.
  var icons: [String] {
    all.filter { $0.isA(gtk_image_get_type()) }.compactMap { string(gtk_image_get_icon_name($0.opaque)) ?? $0.ownIcon }
  }
  private var ownIcon: String? { [Icon.lock, .heartOutline].map(\.name).first { hasStyle($0) } }
  func label(_ text: String) -> Seen? { all.first { $0.text == text } }
  /// Whether a spinner turns in it.
  var isSpinning: Bool { all.contains { $0.isA(gtk_spinner_get_type()) && gtk_spinner_get_spinning($0.opaque) != 0 } }
  var isSpinner: Bool { isA(gtk_spinner_get_type()) }
  /// How many pictures are loaded and drawn in it.
  var pictureCount: Int { all.count { $0.isA(gtk_picture_get_type()) && gtk_picture_get_paintable($0.opaque) != nil } }
  func hasStyle(_ name: String) -> Bool { gtk_widget_has_css_class(pointer, name) != 0 }

  // MARK: Controls

  /// The name of a button: its tooltip, or the text on it.
  private var buttonName: String? {
    guard isA(gtk_button_get_type()) else { return nil }
    return string(matinee_widget_tooltip(pointer)) ?? texts.joined(separator: " ")
  }
  var tooltip: String? { string(matinee_widget_tooltip(pointer)) }
  var buttonNames: [String] { all.compactMap(\.buttonName) }
  var isButton: Bool { isA(gtk_button_get_type()) }
  func button(_ name: String) -> Seen? { all.first { $0.buttonName == name } }
  var isSensitive: Bool { gtk_widget_is_sensitive(pointer) != 0 }
  /// Whether a button is drawn as on.
  var isOn: Bool { hasStyle("on") }
  /// Presses a button, when it can be pressed.
  func click() { if isSensitive { matinee_emit(raw, "clicked") } }
  /// The buttons of pages that open a menu, from above.
  var menus: [Seen] { all.filter { $0.isA(gtk_menu_button_get_type()) && $0.tooltip != "Main menu" } }
  /// The button of the window's own menu.
  var mainMenu: Seen? { all.first { $0.isA(gtk_menu_button_get_type()) && $0.tooltip == "Main menu" } }
  /// Opens the menu of one, as a click does.
  func openMenu() { gtk_menu_button_popup(opaque) }
  /// The menus and questions that are open: each is drawn apart from the window that it belongs to.
  var popovers: [Seen] { all.filter { $0.isA(gtk_popover_get_type()) } }
  /// Closes one, as Escape does.
  func closePopover() { gtk_popover_popdown(popover) }
  fileprivate var popover: UnsafeMutablePointer<GtkPopover> { cast() }
  /// The fields to type in, from above.
  var entries: [Seen] { all.filter { $0.isA(gtk_entry_get_type()) || $0.isA(gtk_password_entry_get_type()) } }
  var typed: String { string(gtk_editable_get_text(opaque)) ?? "" }

  /// Where in a field one types on.
  var cursor: Int { Int(gtk_editable_get_position(opaque)) }
  /// What is selected in a field, from where to where.
  var selection: Range<Int>? {
    var (start, end) = (gint(0), gint(0))
    return gtk_editable_get_selection_bounds(opaque, &start, &end) != 0 ? Int(start)..<Int(end) : nil
  }
  var isEditable: Bool { gtk_editable_get_editable(opaque) != 0 }
  /// Whether the keyboard can be put on it.
  var isFocusable: Bool { gtk_widget_get_focusable(pointer) != 0 }
  /// Whether it, or something in it, has the keyboard.
  var hasFocus: Bool { (gtk_widget_get_state_flags(pointer).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue) != 0 }

  /// Whether it has the keyboard itself, and nothing in it.
  var isFocus: Bool { gtk_widget_is_focus(pointer) != 0 }
  /// Moves the keyboard on in this window, as the Tab key does.
  /// - Returns: whether there was anywhere to go.
  @discardableResult func pressTab() -> Bool { gtk_widget_child_focus(pointer, GTK_DIR_TAB_FORWARD) != 0 }

  /// Types into a field, as a person does.
  func type(_ text: String) {
    var position: gint = 0
    gtk_editable_delete_text(opaque, 0, -1)
    gtk_editable_insert_text(opaque, text, gint(text.utf8.count), &position)
  }
  /// Presses Enter in a field.
  func pressEnter() { if let inner = gtk_editable_get_delegate(opaque) { matinee_emit(UnsafeMutableRawPointer(inner), "activate") } }
  /// The fields of numbers, from above.
  var numbers: [Seen] { all.filter { $0.isA(gtk_spin_button_get_type()) } }
  /// What was typed into one counts, as with Enter.
  func enter() { gtk_spin_button_update(opaque) }
  /// Presses an arrow key in one so many times: above zero up, else down.
  func step(_ times: Int) {
    for _ in 0..<abs(times) { gtk_spin_button_spin(opaque, times > 0 ? GTK_SPIN_STEP_FORWARD : GTK_SPIN_STEP_BACKWARD, 0) }
  }
  /// Puts the keyboard there.
  @discardableResult func focus() -> Bool { gtk_widget_grab_focus(pointer) != 0 }
  /// Follows the link of a label that stands at an offset of its text, as a click does; nothing is followed where there is none.
  func followLink(at offset: Int) {
    guard let address = link(at: offset) else { return }
    var values = [GValue](repeating: GValue(), count: 2)
    defer { for place in values.indices { g_value_unset(&values[place]) } }
    g_value_init(&values[0], gtk_label_get_type())
    g_value_set_object(&values[0], raw)
    g_value_init(&values[1], GType(16 << 2))
    g_value_set_string(&values[1], address)
    var answer = GValue()
    g_value_init(&answer, GType(5 << 2))
    g_signal_emitv(&values, g_signal_lookup("activate-link", gtk_label_get_type()), 0, &answer)
  }

  /// Where the link leads that stands at an offset of a label's text.
  private func link(at offset: Int) -> String? {
    var (seen, address, rest) = (0, String?.none, (markup ?? "")[...])
    while let first = rest.first, seen <= offset {
      if first == "<", let close = rest.firstIndex(of: ">") {
        let tag = rest[..<close]
        if tag.hasPrefix("<a href=") { address = tag.split(separator: "\"").dropFirst().first.map(String.init) }
        if tag == "</a" { address = nil }
        rest = rest[rest.index(after: close)...]
      } else {
        if seen == offset { break }
        let entity = first == "&" ? rest.prefix { $0 != ";" }.count : 0
        rest = rest.dropFirst(entity + 1)
        seen += 1
      }
    }
    return address?.replacing("&amp;", with: "&")
  }

  /// What the clipboard holds, if this program put it there.
  var copied: String? {
    guard let content = gdk_clipboard_get_content(gtk_widget_get_clipboard(pointer)) else { return nil }
    var value = GValue()
    g_value_init(&value, GType(16 << 2))
    defer { g_value_unset(&value) }
    return gdk_content_provider_get_value(content, &value, nil) != 0 ? string(g_value_get_string(&value)) : nil
  }
  /// Puts the caret of a label, if it has one, at its beginning.
  func collapseSelection() { gtk_label_select_region(opaque, 0, 0) }
  /// Whether a label is one that takes the keyboard for a caret.
  var isSelectableByItself: Bool { isA(gtk_label_get_type()) && gtk_label_get_selectable(opaque) != 0 }

  /// The field of several lines that is found first.
  var textArea: Seen? { all.first { $0.isA(gtk_text_view_get_type()) } }
  /// What stands in a field of several lines.
  var written: String {
    let buffer = gtk_text_view_get_buffer(cast())
    var (start, end) = (GtkTextIter(), GtkTextIter())
    gtk_text_buffer_get_bounds(buffer, &start, &end)
    return takenString(gtk_text_buffer_get_text(buffer, &start, &end, 0)) ?? ""
  }
  /// Writes into a field of several lines, in place of what stands there.
  func write(_ text: String) { gtk_text_buffer_set_text(gtk_text_view_get_buffer(cast()), text, -1) }
  /// Pastes into a field of several lines, where the caret is.
  func paste(_ text: String) {
    gdk_clipboard_set_text(gtk_widget_get_clipboard(pointer), text)
    gtk_widget_activate_action_variant(pointer, "clipboard.paste", nil)
  }
  /// Selects all of a field of several lines, as Ctrl+A does.
  func selectAll() { gtk_widget_activate_action_variant(pointer, "selection.select-all", nil) }
  /// What a field of several lines shows: how far down that begins, how high it is, and how far down the last line ends.
  var shownText: (top: Int, height: Int, end: Int) {
    var (visible, last, top, height) = (GdkRectangle(), GtkTextIter(), gint(0), gint(0))
    gtk_text_view_get_visible_rect(cast(), &visible)
    gtk_text_buffer_get_end_iter(gtk_text_view_get_buffer(cast()), &last)
    gtk_text_view_get_line_yrange(cast(), &last, &top, &height)
    return (Int(visible.y), Int(visible.height), Int(top + height))
  }
  /// All switches in it, from above.
  var switches: [Seen] { all.filter { $0.isA(gtk_switch_get_type()) } }
  /// Whether a switch is on.
  var isSwitchedOn: Bool { gtk_switch_get_active(opaque) != 0 }
  /// Flips a switch, as a click does.
  func flip() { gtk_switch_set_active(opaque, isSwitchedOn ? 0 : 1) }
  /// How far progress bars in it have come.
  var progress: [Double] { all.filter { $0.isA(gtk_progress_bar_get_type()) }.map { gtk_progress_bar_get_fraction($0.opaque) } }
  private func cast<Structure>() -> UnsafeMutablePointer<Structure> { raw.assumingMemoryBound(to: Structure.self) }

  /// Chooses a row, as a click or Enter does.
  func activate() { gtk_widget_activate(pointer) }

  /// What recognizes clicks on a row, to be had while the row is there.
  var clicks: Click? {
    let controllers = gtk_widget_observe_controllers(pointer)
    defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
    for place in 0..<g_list_model_get_n_items(controllers) {
      guard let controller = g_list_model_get_object(controllers, place) else { continue }
      defer { g_object_unref(controller) }
      if matinee_is_a(controller, gtk_gesture_click_get_type()) != 0 { return Click(controller) }
    }
    return nil
  }

  // MARK: Place

  /// Its place without what a spinner takes more in the middle of a turn: the corners of its square, in which it draws nothing.
  private func upright(in other: Seen) -> (x: Double, y: Double, width: Double, height: Double) {
    let turned = place(in: other)
    guard isA(gtk_spinner_get_type()) else { return turned }
    return (turned.x + (turned.width - width) / 2, turned.y + (turned.height - height) / 2, width, height)
  }

  /// What a style sheet calls it, and the place that it has in what it is in, for the report of a failure.
  var description: String {
    let parent = gtk_widget_get_parent(pointer).map { Seen($0) }
    return "\(string(gtk_widget_get_css_name(pointer)) ?? "") \(parent.map { "\(place(in: $0))" } ?? "")"
  }

  /// What it is in, up to a widget of that CSS name.
  func enclosing(_ cssName: String) -> Seen? {
    var parent = gtk_widget_get_parent(pointer)
    while let present = parent {
      if string(gtk_widget_get_css_name(present)) == cssName { return Seen(present) }
      parent = gtk_widget_get_parent(present)
    }
    return nil
  }
  /// The row of a list that has this text in it.
  func row(_ text: String) -> Seen? { label(text)?.enclosing("row") }

  /// Where it is drawn: left, top, width and height within another widget.
  func place(in other: Seen) -> (x: Double, y: Double, width: Double, height: Double) {
    var area = graphene_rect_t()
    _ = gtk_widget_compute_bounds(pointer, other.pointer, &area)
    return (Double(area.origin.x), Double(area.origin.y), Double(area.size.width), Double(area.size.height))
  }

  /// A point in it, as its gestures count from, within another widget.
  func point(_ x: Double, _ y: Double, in other: Seen) -> (x: Double, y: Double) {
    var (from, to) = (graphene_point_t(x: Float(x), y: Float(y)), graphene_point_t())
    _ = gtk_widget_compute_point(pointer, other.pointer, &from, &to)
    return (Double(to.x), Double(to.y))
  }

  /// Whether a click there goes to a widget of that style, or to something in one.
  func isHit(_ x: Double, _ y: Double, style: String) -> Bool {
    var hit = gtk_widget_pick(pointer, x, y, GTK_PICK_DEFAULT)
    while let present = hit {
      if gtk_widget_has_css_class(present, style) != 0 { return true }
      hit = gtk_widget_get_parent(present)
    }
    return false
  }

  /// A child of a box that got more room than there is in it, and so is drawn over what comes next.
  var childThatSticksOut: Seen? {
    guard isA(gtk_box_get_type()) else { return nil }
    var child = gtk_widget_get_first_child(pointer)
    while let present = child {
      let place = Seen(present).upright(in: self)
      let isInside = place.x > -2 && place.y > -2 && place.x + place.width < width + 2 && place.y + place.height < height + 2
      // A menu has a surface of its own.
      if gtk_widget_get_mapped(present) != 0, !isInside, !Seen(present).isA(gtk_popover_get_type()) { return Seen(present) }
      child = gtk_widget_get_next_sibling(present)
    }
    return nil
  }
  var width: Double { Double(gtk_widget_get_width(pointer)) }
  var height: Double { Double(gtk_widget_get_height(pointer)) }
  /// The height that it takes at least, when it is that wide.
  func leastHeight(width: Int) -> Int {
    var least: gint = 0
    gtk_widget_measure(pointer, GTK_ORIENTATION_VERTICAL, gint(width), &least, nil, nil, nil)
    return Int(least)
  }

  /// What in it takes the most height, for the report of a failure.
  func highest(width: Int) -> String {
    all.filter { $0.leastHeight(width: width) > 340 }.suffix(3)
      .map { "\($0.leastHeight(width: width)) \($0.description) \($0.texts)" }.joined(separator: "; ")
  }

  /// The width that it takes at least.
  var leastWidth: Int {
    var least: gint = 0
    gtk_widget_measure(pointer, GTK_ORIENTATION_HORIZONTAL, -1, &least, nil, nil, nil)
    return Int(least)
  }

  /// What in it takes the most, for the report of a failure.
  var widest: String {
    all.filter { $0.leastWidth > 348 }.suffix(3).map { "\($0.leastWidth) \($0.description) \($0.texts)" }.joined(separator: "; ")
  }

  /// What can be scrolled in it.
  var scroller: Seen? { all.first { $0.isA(gtk_scrolled_window_get_type()) } }
  /// The bar at the side of a scroller, as wide as it is under the pointer, drawn or not.
  var bar: Seen {
    let bar = gtk_scrolled_window_get_vscrollbar(opaque)
    gtk_widget_add_css_class(bar, "hovering")
    return Seen(bar)
  }

  /// Scrolls what can be scrolled in it to a share of its length, from 0 to 1.
  /// - Returns: the position in pixels.
  @discardableResult func scroll(to share: Double) -> Double {
    guard let scroller else { return 0 }
    let adjustment = gtk_scrolled_window_get_vadjustment(scroller.opaque)
    gtk_adjustment_set_value(adjustment, (gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)) * share)
    return gtk_adjustment_get_value(adjustment)
  }

  /// How far down it is scrolled, in pixels.
  var position: Double {
    guard let scroller else { return 0 }
    return gtk_adjustment_get_value(gtk_scrolled_window_get_vadjustment(scroller.opaque))
  }

  /// How much longer than the room for it is what can be scrolled in it, in pixels.
  var surplus: Double {
    guard let scroller else { return 0 }
    let adjustment = gtk_scrolled_window_get_vadjustment(scroller.opaque)
    return gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
  }

  /// Has it look the same wherever the display's pointer rests, of which a busy window hears late: what it is over already is hovered until
  /// GTK looks again, at any time.
  func ignorePointer() {
    gtk_widget_set_can_target(pointer, 0)
    for widget in all { gtk_widget_unset_state_flags(widget.pointer, GTK_STATE_FLAG_PRELIGHT) }
  }

  /// What it looks like now.
  var pixels: [UInt8]? {
    guard let texture = matinee_widget_render(pointer, 1) else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
    let (width, height) = (Int(gdk_texture_get_width(texture)), Int(gdk_texture_get_height(texture)))
    var bytes = [UInt8](repeating: 0, count: width * height * 4)
    gdk_texture_download(texture, &bytes, gsize(width * 4))
    return bytes
  }

  /// Writes the same into a PNG file.
  func draw(into file: String) {
    guard let texture = matinee_widget_render(pointer, 1) else { return }
    gdk_texture_save_to_png(texture, file)
    g_object_unref(UnsafeMutableRawPointer(texture))
  }

  /// The same by columns of pixels, from the left.
  var columns: [[UInt8]]? {
    guard let pixels else { return nil }
    let side = Int(width) * 4
    return (0..<Int(width)).map { x in stride(from: x * 4, to: pixels.count, by: side).flatMap { pixels[$0..<$0 + 4] } }
  }

  /// The room that a label has for its text, in pixels.
  var room: Double { width }
  /// Where the lines of a label begin and end within it, in pixels from its left edge.
  var lines: [(left: Double, right: Double)] {
    guard isA(gtk_label_get_type()) else { return [] }
    let iterator = pango_layout_get_iter(gtk_label_get_layout(opaque))
    defer { pango_layout_iter_free(iterator) }
    var x: gint = 0
    gtk_label_get_layout_offsets(opaque, &x, nil)
    var lines: [(left: Double, right: Double)] = []
    repeat {
      var place = PangoRectangle()
      pango_layout_iter_get_line_extents(iterator, nil, &place)
      let left = Double(x) + Double(place.x) / Double(PANGO_SCALE)
      lines.append((left, left + Double(place.width) / Double(PANGO_SCALE)))
    } while pango_layout_iter_next_line(iterator) != 0
    return lines
  }

  /// What stands in each line of a label.
  var lineTexts: [String] {
    let iterator = pango_layout_get_iter(gtk_label_get_layout(opaque))
    defer { pango_layout_iter_free(iterator) }
    let bytes = Array((text ?? "").utf8)
    var lines: [String] = []
    repeat {
      guard let line = pango_layout_iter_get_line_readonly(iterator)?.pointee else { break }
      lines.append(String(decoding: bytes[Int(line.start_index)..<Int(line.start_index + line.length)], as: UTF8.self))
    } while pango_layout_iter_next_line(iterator) != 0
    return lines
  }

  /// Whether screen readers are told that it is a heading.
  var isHeading: Bool { gtk_accessible_get_accessible_role(opaque) == GTK_ACCESSIBLE_ROLE_HEADING }

  /// What its text is set in.
  var fontFamily: String? {
    pango_context_get_font_description(gtk_widget_get_pango_context(pointer)).flatMap { string(pango_font_description_get_family($0)) }
  }
  /// Whether a label shows less than its text, with an ellipsis.
  var isCut: Bool { isA(gtk_label_get_type()) && pango_layout_is_ellipsized(gtk_label_get_layout(opaque)) != 0 }

  /// Presses a key for which a widget in it has a shortcut.
  /// - Returns: whether one took it.
  @discardableResult func press(_ key: String) -> Bool {
    guard let wanted = gtk_shortcut_trigger_parse_string(key) else { return false }
    defer { g_object_unref(UnsafeMutableRawPointer(wanted)) }
    // The innermost widget is asked first, as the toolkit does.
    return all.reversed().contains { $0.takes(wanted) }
  }

  /// The same where the keyboard is, and from there outwards.
  @discardableResult func pressAtFocus(_ key: String) -> Bool {
    guard let wanted = gtk_shortcut_trigger_parse_string(key) else { return false }
    defer { g_object_unref(UnsafeMutableRawPointer(wanted)) }
    var requested = gtk_widget_get_root(pointer).flatMap { gtk_root_get_focus($0) }
    while let widget = requested {
      if Seen(widget).takes(wanted) { return true }
      requested = gtk_widget_get_parent(widget)
    }
    return false
  }

  private func takes(_ trigger: OpaquePointer) -> Bool {
    let controllers = gtk_widget_observe_controllers(pointer)
    defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
    for place in 0..<g_list_model_get_n_items(controllers) {
      guard let controller = g_list_model_get_object(controllers, place) else { continue }
      defer { g_object_unref(controller) }
      guard matinee_is_a(controller, gtk_shortcut_controller_get_type()) != 0 else { continue }
      let shortcuts = OpaquePointer(controller)
      for index in 0..<g_list_model_get_n_items(shortcuts) {
        guard let shortcut = g_list_model_get_object(shortcuts, index) else { continue }
        defer { g_object_unref(shortcut) }
        guard let own = gtk_shortcut_get_trigger(OpaquePointer(shortcut)) else { continue }
        guard gtk_shortcut_trigger_equal(UnsafeRawPointer(own), UnsafeRawPointer(trigger)) != 0 else { continue }
        let arguments = gtk_shortcut_get_arguments(OpaquePointer(shortcut))
        guard let action = gtk_shortcut_get_action(OpaquePointer(shortcut)) else { continue }
        if gtk_shortcut_action_activate(action, GtkShortcutActionFlags(0), pointer, arguments) != 0 { return true }
      }
    }
    return false
  }
}

extension Seen {
  /// Selects all of a label as three clicks do, where its text can be selected with the mouse.
  /// - Returns: whether it can be.
  func selectByMouse() -> Bool {
    var parent = gtk_widget_get_parent(pointer)
    while let present = parent,
      string(g_type_name_from_instance(UnsafeMutableRawPointer(present).assumingMemoryBound(to: GTypeInstance.self))) != "MatineeSelection"
    {
      parent = gtk_widget_get_parent(present)
    }
    guard let area = parent.map(Seen.init) else { return false }
    let place = place(in: area)
    let (x, y) = (place.x + place.width / 2, place.y + place.height / 2)
    return area.emit("drag-begin", gtk_gesture_drag_get_type(), presses: nil, x: x, y: y)
      && area.emit("pressed", gtk_gesture_click_get_type(), presses: 3, x: x, y: y)
  }

  /// Clicks with the other mouse button on a place of this widget.
  @discardableResult func clickSecondary(_ x: Double, _ y: Double) -> Bool {
    emit("pressed", gtk_gesture_click_get_type(), presses: 1, x: x, y: y, isSecondary: true)
  }

  /// Where in what it belongs to an open menu points.
  var pointsTo: (x: Int, y: Int)? {
    var place = GdkRectangle()
    return gtk_popover_get_pointing_to(popover, &place) != 0 ? (Int(place.x), Int(place.y)) : nil
  }
  /// What it is directly in.
  var parent: Seen? { gtk_widget_get_parent(pointer).map { Seen($0) } }

  /// Emits a signal of what listens to a mouse button on this widget.
  private func emit(_ signal: String, _ type: GType, presses: gint?, x: Double, y: Double, isSecondary: Bool = false) -> Bool {
    let controllers = gtk_widget_observe_controllers(pointer)
    defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
    for place in 0..<g_list_model_get_n_items(controllers) {
      guard let gesture = g_list_model_get_object(controllers, place) else { continue }
      defer { g_object_unref(gesture) }
      guard matinee_is_a(gesture, type) != 0, (gtk_gesture_single_get_button(OpaquePointer(gesture)) == 3) == isSecondary else { continue }
      var values = [GValue](repeating: GValue(), count: presses == nil ? 3 : 4)
      g_value_init(&values[0], type)
      g_value_set_object(&values[0], gesture)
      if let presses {
        g_value_init(&values[1], GType(6 << 2))
        g_value_set_int(&values[1], presses)
      }
      for (index, number) in zip(values.indices.suffix(2), [x, y]) {
        g_value_init(&values[index], GType(15 << 2))
        g_value_set_double(&values[index], number)
      }
      g_signal_emitv(&values, g_signal_lookup(signal, type), 0, nil)
      for index in values.indices { g_value_unset(&values[index]) }
      return true
    }
    return false
  }
}

/// The two halves of a click, with whatever happens between them.
@MainActor final class Click {
  private let gesture: UnsafeMutableRawPointer

  init(_ gesture: UnsafeMutableRawPointer) { self.gesture = g_object_ref(gesture) }
  isolated deinit { g_object_unref(gesture) }

  func press() { emit("pressed") }
  func release() { emit("released") }

  private func emit(_ signal: String) {
    let type = gtk_gesture_click_get_type()
    var values = [GValue](repeating: GValue(), count: 4)
    g_value_init(&values[0], type)
    g_value_set_object(&values[0], gesture)
    g_value_init(&values[1], GType(6 << 2))
    g_value_set_int(&values[1], 1)
    for place in 2...3 { g_value_init(&values[place], GType(15 << 2)) }
    g_signal_emitv(&values, g_signal_lookup(signal, type), 0, nil)
    for place in values.indices { g_value_unset(&values[place]) }
  }
}
