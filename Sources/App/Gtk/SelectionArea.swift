import CGtk
import CGtkShims

/// A child whose labels are one text: a selection made with the mouse runs across all that ``Label/shareSelection(after:)``. It has a menu
/// to copy with, and no caret, since it cannot be edited.
@MainActor public final class SelectionArea: Widget, SignalOwner {
  /// Ends the area's own connections with the area.
  public let scope = Scope()
  /// Called when a selection may begin in it.
  public var onSelecting: (() -> Void)?
  /// Called when the keyboard belongs to the text as a whole: the mouse was pressed in it, or its menu has closed.
  public var onTurnedTo: (() -> Void)?
  /// Scrolls while the mouse drags a selection past its edge.
  public weak var scroller: ScrolledWindow?
  /// What the menu belongs to, around the scroller. Within a scroller that takes the arrow keys first, they would not move in the menu.
  public weak var page: Widget?
  private let copyAllName: String
  // Made when they are needed: a list has many areas.
  private lazy var menu = makeMenu()
  private lazy var copySelected = Button("Copy", styles: [.flat, "menu-item"])
  private var anchor: Position?
  private var end: Position?
  /// Where the mouse is in the scroller while it drags.
  private var pointer: (x: Double, y: Double)?
  private var isScrolling = false

  /// A place between two characters.
  private struct Position {
    /// Held, since a page may take it away meanwhile.
    var label: Object
    var byte: Int
  }

  /// - Parameters:
  ///   - child: the text, in the order in which it is read.
  ///   - copyAll: what the menu calls copying all of it.
  public init(_ child: Widget, copyAll name: String) {
    copyAllName = name
    super.init(made: UnsafeMutableRawPointer(matinee_selection_new(child.widget)))
    listen()
  }

  /// One text that can be selected and copied by itself. The keyboard goes to it as a whole.
  /// - Parameters:
  ///   - label: the text.
  ///   - copyAll: what the menu calls copying all of it.
  public convenience init(only label: Label, copyAll name: String) {
    label.shareSelection()
    self.init(label, copyAll: name)
    isFocusable = true
    setStyle("read-by-keyboard")
    label.connect("notify::label", .notify, owner: self, absent: ()) { [weak label] area, _ in
      guard let label else { return }
      area.setAccessibleName(label.text)
      // The selection was in another text, also where a list keeps the widget for reuse.
      area.clear()
      matinee_selection_set_range(label.widget, 0, 0)
    }
    // After the toolkit, which gives it to the row of a list around it.
    onTurnedTo = { [weak self] in MainLoop.after(seconds: 0) { self?.focus() } }
    takeKeys(of: self)
  }

  /// Copies, selects all and opens the menu by the usual keys.
  /// - Parameters:
  ///   - page: this, or what is around it.
  ///   - isInside: only while the keyboard is in the page; otherwise while the page is on screen.
  public func takeKeys(of page: Widget, inside isInside: Bool = true) {
    page.addShortcut("<Control>c", self, inside: isInside) { $0.copy() }
    page.addShortcut("<Control>a", self, inside: isInside) { $0.selectAll() }
    for key in Self.menuKeys {
      page.addShortcut(key, self, inside: isInside) { area in area.openMenu(at: area.middle) }
    }
  }

  /// In the middle of what is seen of it.
  private var middle: (x: Double, y: Double) {
    guard let scroller, let place = scroller.place(of: self) else { return (Double(width) / 2, Double(height) / 2) }
    return (Double(width) / 2, Double(scroller.height) / 3 - place.top)
  }

  private func makeMenu() -> Popover {
    let (copyAll, selectAll) = (Button(copyAllName, styles: [.flat, "menu-item"]), Button("Select all", styles: [.flat, "menu-item"]))
    let buttons = [copySelected, copyAll, selectAll]
    for button in buttons { button.contentAlignment = .start }
    let menu = Popover(Box(.vertical, spacing: 2, children: buttons))
    copySelected.onClicked(self) { area in area.close { area.copy() } }
    copyAll.onClicked(self) { area in area.close { area.copyToClipboard(area.text) } }
    selectAll.onClicked(self) { area in area.close { area.selectAll() } }
    menu.connect("closed", owner: self) { area in
      // After the toolkit, which gives it to the first button that it finds.
      MainLoop.after(seconds: 0) { [weak area] in area?.onTurnedTo?() }
    }
    return menu
  }

  private func close(_ body: () -> Void) {
    menu.close()
    body()
  }

  // MARK: What is selected

  /// All of the text.
  public var text: String { joined(labels.map { ($0, 0..<bytes(of: $0).count) }) }

  /// What is selected of it; empty for nothing.
  public var selectedText: String { joined(labels.compactMap { label in range(of: label).map { (label, $0) } }) }

  /// Puts what is selected into the clipboard; does nothing without a selection.
  public func copy() {
    let text = selectedText
    if !text.isEmpty { copyToClipboard(text) }
  }

  /// Selects all of it.
  public func selectAll() {
    let labels = labels
    guard let first = labels.first, let last = labels.last else { return }
    onSelecting?()
    anchor = Position(label: Object(borrowed: first), byte: 0)
    end = Position(label: Object(borrowed: last), byte: bytes(of: last).count)
    show()
    offerToPaste()
  }

  /// Takes the selection away; nothing is selected then.
  public func clear() {
    (anchor, end) = (nil, nil)
    show()
  }

  private typealias Pointer = UnsafeMutableRawPointer

  /// Those that share, in reading order.
  private var labels: [Pointer] {
    var found: [Pointer] = []
    func collect(_ widget: UnsafeMutablePointer<GtkWidget>) {
      var child = gtk_widget_get_first_child(widget)
      while let present = child {
        if gtk_widget_get_mapped(present) != 0 {
          if matinee_selection_separator(present) != nil { found.append(Pointer(present)) } else { collect(present) }
        }
        child = gtk_widget_get_next_sibling(present)
      }
    }
    collect(widget)
    return found
  }

  private func asWidget(_ label: Pointer) -> UnsafeMutablePointer<GtkWidget> { label.assumingMemoryBound(to: GtkWidget.self) }

  private func bytes(of label: Pointer) -> String.UTF8View { (string(gtk_label_get_text(OpaquePointer(label))) ?? "").utf8 }

  private func range(of label: Pointer) -> Range<Int>? {
    var (start, end) = (gint(0), gint(0))
    guard matinee_selection_get_range(asWidget(label), &start, &end) != 0 else { return nil }
    return Int(start)..<Int(end)
  }

  private func joined(_ parts: [(label: Pointer, range: Range<Int>)]) -> String {
    var text = ""
    for (label, range) in parts {
      let bytes = bytes(of: label)
      let part = String(decoding: bytes.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
      if !text.isEmpty, !part.isEmpty { text += string(matinee_selection_separator(asWidget(label))) ?? "" }
      text += part
    }
    return text
  }

  /// Hands each label its part of the selection, and draws it.
  private func show() {
    let labels = labels
    var places = [anchor, end].compactMap { place in
      place.flatMap { place in labels.firstIndex(of: place.label.raw).map { (index: $0, byte: place.byte) } }
    }
    places.sort { ($0.index, $0.byte) < ($1.index, $1.byte) }
    for (index, label) in labels.enumerated() {
      var range = 0..<0
      if places.count == 2, (places[0].index...places[1].index).contains(index) {
        let from = index == places[0].index ? places[0].byte : 0
        let to = index == places[1].index ? places[1].byte : bytes(of: label).count
        range = from..<max(from, to)
      }
      matinee_selection_set_range(asWidget(label), gint(range.lowerBound), gint(range.upperBound))
    }
    gtk_widget_queue_draw(widget)
  }

  /// What is selected is what the middle button pastes.
  private func offerToPaste() {
    let text = selectedText
    if !text.isEmpty { Self.offer(text, in: gtk_widget_get_primary_clipboard(widget)) }
  }

  // MARK: The mouse

  /// The place in the text that is nearest to a point of the area.
  private func position(at point: (x: Double, y: Double)) -> Position? {
    var nearest: (label: Pointer, distance: Double, x: Double, y: Double)?
    for label in labels {
      var area = graphene_rect_t()
      guard gtk_widget_compute_bounds(asWidget(label), widget, &area) != 0 else { continue }
      let (x, y) = (point.x - Double(area.origin.x), point.y - Double(area.origin.y))
      let across = max(0, -x, x - Double(area.size.width))
      let down = max(0, -y, y - Double(area.size.height))
      // A press beside a line means that line, however far away.
      let distance = down * 10_000 + across
      if distance < nearest?.distance ?? .infinity { nearest = (label, distance, x, y) }
    }
    guard let nearest else { return nil }
    return Position(label: Object(borrowed: nearest.label), byte: byte(in: nearest.label, x: nearest.x, y: nearest.y))
  }

  private func byte(in label: Pointer, x: Double, y: Double) -> Int {
    let (opaque, layout) = (OpaquePointer(label), gtk_label_get_layout(OpaquePointer(label)))
    var (left, top, height, index, trailing) = (gint(0), gint(0), gint(0), gint(0), gint(0))
    gtk_label_get_layout_offsets(opaque, &left, &top)
    pango_layout_get_pixel_size(layout, nil, &height)
    if y < Double(top) { return 0 }
    if y >= Double(top + height) { return bytes(of: label).count }
    pango_layout_xy_to_index(
      layout, gint((x - Double(left)) * Double(PANGO_SCALE)), gint((y - Double(top)) * Double(PANGO_SCALE)), &index, &trailing)
    let text = gtk_label_get_text(opaque)
    return UnsafePointer(g_utf8_offset_to_pointer(text + Int(index), glong(trailing))) - text
  }

  private func listen() {
    // Before the drag: the toolkit calls the controller that was added last first, and a press selects nothing before a second one selects
    // a word.
    addClickGesture().connect("pressed", .press, owner: self, absent: ()) { area, press in
      if press.presses > 1 { area.select(at: (press.x, press.y), wholeLabel: press.presses > 2) }
    }
    let drag = Object(made: UnsafeMutableRawPointer(gtk_gesture_drag_new()))
    gtk_widget_add_controller(widget, OpaquePointer(g_object_ref(drag.raw)))
    let gesture = drag.opaque
    drag.connect("drag-begin", .place, owner: self, absent: ()) { area, place in area.dragBegan(gesture, place) }
    drag.connect("drag-update", .place, owner: self, absent: ()) { area, offset in
      var (x, y) = (0.0, 0.0)
      guard gtk_gesture_drag_get_start_point(gesture, &x, &y) != 0 else { return }
      area.dragged(gesture, to: (x + offset.x, y + offset.y), isFar: abs(offset.x) + abs(offset.y) > 4)
    }
    drag.connect("drag-end", .place, owner: self, absent: ()) { area, _ in area.release() }
    // Before a label, which would show a menu of its own beside a link.
    let other = addClickGesture(button: Int(GDK_BUTTON_SECONDARY), captures: true)
    let secondary = other.opaque
    other.connect("pressed", .press, owner: self, absent: ()) { area, press in
      gtk_gesture_set_state(secondary, GTK_EVENT_SEQUENCE_CLAIMED)
      area.openMenu(at: (press.x, press.y))
    }
  }

  private func dragBegan(_ gesture: OpaquePointer, _ place: (x: Double, y: Double)) {
    let device = gtk_event_controller_get_current_event_device(gesture)
    // A finger scrolls.
    guard device.map({ gdk_device_get_source($0) != GDK_SOURCE_TOUCHSCREEN }) ?? true else {
      gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_DENIED)
      return
    }
    press(at: place)
  }

  /// The mouse goes down: a selection may begin there, in pixels of the area.
  func press(at place: (x: Double, y: Double)) {
    clear()
    anchor = position(at: place)
    onSelecting?()
    onTurnedTo?()
  }

  private func dragged(_ gesture: OpaquePointer, to point: (x: Double, y: Double), isFar: Bool) {
    // A drag that begins on a link does not follow it.
    if isFar { gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED) }
    if isFar || pointer != nil { drag(to: point) }
  }

  /// The mouse goes there while it is down, in pixels of the area.
  func drag(to point: (x: Double, y: Double)) {
    if let place = scroller?.place(of: self) { pointer = (point.x, point.y + place.top) }
    extend(to: point)
    scrollAlong()
  }

  /// The mouse goes up.
  func release() {
    pointer = nil
    offerToPaste()
  }

  private func extend(to point: (x: Double, y: Double)) {
    end = position(at: point)
    show()
  }

  /// Continues while the mouse is held above or below the visible part.
  private func scrollAlong() {
    guard !isScrolling, let pointer, let scroller else { return }
    let distance = pointer.y < 0 ? pointer.y : max(0, pointer.y - Double(scroller.height))
    guard distance != 0 else { return }
    isScrolling = true
    scroller.position += max(-40, min(40, distance / 2))
    MainLoop.after(seconds: 0.03) { [weak self] in
      guard let self else { return }
      isScrolling = false
      guard let pointer = self.pointer, let place = scroller.place(of: self) else { return }
      extend(to: (pointer.x, pointer.y - place.top))
      scrollAlong()
    }
  }

  /// A word, or all of a label, as a second and third click do.
  private func select(at point: (x: Double, y: Double), wholeLabel: Bool) {
    guard let place = position(at: point) else { return }
    let word = wholeLabel ? 0..<bytes(of: place.label.raw).count : wordRange(in: place)
    (anchor, end) = (Position(label: place.label, byte: word.lowerBound), Position(label: place.label, byte: word.upperBound))
    show()
    offerToPaste()
  }

  private func wordRange(in place: Position) -> Range<Int> {
    let layout = gtk_label_get_layout(place.label.opaque)
    var count: gint = 0
    let (marks, text) = (pango_layout_get_log_attrs_readonly(layout, &count), gtk_label_get_text(place.label.opaque))
    guard count > 0 else { return 0..<0 }
    let at = min(Int(g_utf8_pointer_to_offset(text, text + place.byte)), Int(count) - 1)
    var (start, end) = (at, at)
    while start > 0, marks[start].is_word_start == 0 { start -= 1 }
    while end < count - 1, marks[end].is_word_end == 0 || end <= start { end += 1 }
    let bytes = [start, end].map { UnsafePointer(g_utf8_offset_to_pointer(text, glong($0))) - text }
    return bytes[0]..<max(bytes[0], bytes[1])
  }

  /// Opens the menu at a point of the area.
  public func openMenu(at point: (x: Double, y: Double)) {
    copySelected.isSensitive = !selectedText.isEmpty
    // Not within the scroller: that would scroll to the focused widget, and take the top of the text for the menu.
    menu.open(in: page ?? scroller ?? self, at: point, of: self)
  }
}
