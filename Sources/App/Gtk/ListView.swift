import CGtk
import CGtkShims

/// A row of a ``ListView``, which makes as many as fit on the screen, and reuses them.
@MainActor public protocol ListRow: View {
  /// What a screen reader calls the row; read each time the row was filled.
  var accessibleName: String { get }
  /// The row goes off screen: stop loading its picture.
  func unbind()
}

extension ListRow {
  /// Does nothing: most rows have nothing to let go.
  public func unbind() {}
}

/// A list of any length that makes rows only for what is on screen, and scrolls by itself.
///
/// ```swift
/// let list = ListView<String, PostRowView>(self, row: { _ in PostRowView() }, bind: { $1.show($0.viewModel.row($2)) })
/// list.show(state.ids)
/// list.update(changedID)
/// ```
@MainActor public final class ListView<ID: Hashable & Sendable, Row: ListRow>: Widget {
  private let list: Widget
  private let model: Object
  private let identifiers = ListIDs<ID>()
  private var rows: [UnsafeMutableRawPointer: Slot] = [:]
  private let bind: @MainActor (Row, ID) -> Void
  private var wasNearEnd = false
  private var countAtEnd = -1
  private var isLaidOut = false
  private var isReadyToJump = false
  private var pendingJump: Int?
  /// The row that the next layout brings into view.
  private var awaitedJump: ID?
  /// The row that gets the keyboard when it is there.
  private var awaitedRow: ID?
  /// The toolkit's widget of the row that had the keyboard when it was last laid out.
  private var focusedAtLayout: UnsafeMutablePointer<GtkWidget>?
  /// Nil when it may be on its way elsewhere.
  private var lastPosition: Double?
  private var lastWidth = 0
  /// The first row on screen before rows were added or removed, and its position: what the reader sees stays in place.
  private var anchor: (id: ID, top: Double)?
  /// What the layout that is under way has to leave where it was.
  private var scrollAnchor: ScrollAnchor?
  /// Where the rows lie is known of the last layout. The position may have been changed since.
  private var laidOutPosition = 0.0

  private enum ScrollAnchor {
    case row((id: ID, top: Double))
    case position(Double)
  }

  /// A row, and what it shows.
  private final class Slot {
    let row: Row
    var entry: ListIDs<ID>.Entry?
    var wasFilled = false
    init(_ row: Row) { self.row = row }
  }

  /// - Parameters:
  ///   - owner: held weakly; its scope ends the list's connections.
  ///   - row: makes an empty row.
  ///   - bind: fills a row. An owner that is gone fills nothing.
  public init<Owner: SignalOwner>(
    _ owner: Owner, styles: [Style] = [.plainList], row: @escaping @MainActor (Owner) -> Row,
    bind: @escaping @MainActor (Owner, Row, ID) -> Void
  ) {
    self.bind = { [weak owner] row, id in if let owner { bind(owner, row, id) } }
    let model = Object(made: identifiers.makeListModel())
    let factory = Object(made: UnsafeMutableRawPointer(gtk_signal_list_item_factory_new()))
    // The selection and the list view take over the references they are given.
    let selection = gtk_no_selection_new(OpaquePointer(g_object_ref(model.raw)))
    let list = Widget(made: UnsafeMutableRawPointer(gtk_list_view_new(selection, OpaquePointer(g_object_ref(factory.raw)))))
    self.model = model
    self.list = list
    super.init(made: UnsafeMutableRawPointer(gtk_scrolled_window_new()))
    gtk_list_view_set_single_click_activate(list.opaque, 1)
    gtk_scrolled_window_set_policy(opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_child(opaque, list.pointer())
    expandsVertically = true
    for style in styles { gtk_widget_add_css_class(list.pointer(), style.name) }
    Object(borrowed: UnsafeMutableRawPointer(adjustment)).connect("changed", .plain, in: owner.scope) { [weak self] in
      self?.prepareToJump()
      self?.holdAnchor()
    }
    Object(borrowed: UnsafeMutableRawPointer(adjustment)).connect("value-changed", .plain, in: owner.scope) { [weak self] in
      // A person scrolls before there was a layout.
      if let self { (lastPosition, lastWidth, anchor) = (position, width, nil) }
    }
    Object(borrowed: UnsafeMutableRawPointer(adjustment)).connect("notify::page-size", .notify, in: owner.scope) { [weak self] _ in
      self?.holdPosition()
    }
    onLayout(owner) { [weak self] _ in self?.laidOut() }
    for key in ["Home", "KP_Home"] { list.addShortcut(key, owner, inside: true) { [weak self] _ in self?.takeKeyboard(to: 0) } }
    for key in ["End", "KP_End"] {
      list.addShortcut(key, owner, inside: true) { [weak self] _ in if let self { takeKeyboard(to: identifiers.ids.count - 1) } }
    }
    factory.connect("setup", .object, in: owner.scope) { [weak self, weak owner] item in
      if let self, let owner { setUp(item.raw, row(owner)) }
    }
    factory.connect("bind", .object, in: owner.scope) { [weak self] item in self?.fill(item.raw) }
    factory.connect("unbind", .object, in: owner.scope) { [weak self] item in self?.empty(item.raw) }
    factory.connect("teardown", .object, in: owner.scope) { [weak self] item in self?.tearDown(item.raw) }
  }

  // MARK: What is shown

  /// Shows these, in this order. Rows of ids that stay are kept, and so is the reader's place.
  ///
  /// The same array again costs nothing, one that differs in one place a comparison of the two.
  /// - Parameter staysAtTop: whether a person at the very first row sees those that come above it; otherwise the row stays where it is.
  public func show(_ ids: [ID], staysAtTop: Bool = true) {
    let first = identifiers.ids.first
    let atTop = position <= 0
    let top = atTop ? nil : topRow(in: ids)
    let place = placeOfLeavingFocus(in: ids)
    let heir = place.flatMap { rowAfter($0, in: ids) }
    // Before the row goes: it would take the keyboard with it, out of the page. Where no row is left, the page finds it here.
    if place != nil, heir == nil { holdKeyboard() }
    guard identifiers.show(ids), first != nil, !ids.isEmpty else { return }
    // The toolkit would give the keyboard to the first button of another row, which the next Enter would press.
    if let heir { focusRow(heir) } else if place != nil { takeKeyboard(to: 0) }
    if let top {
      anchor = top
    } else if staysAtTop, atTop, ids.first != first {
      scroll(to: 0)
    }
  }

  /// The first row on screen that stays. Only looked for when ids differ: to walk the rows takes a while.
  private func topRow(in next: [ID]) -> (id: ID, top: Double)? {
    guard isMapped, !identifiers.isSame(next) else { return nil }
    let shown = identifiers.entries.values.compactMap { entry in filled(entry).flatMap { top(of: $0) }.map { (id: entry.id, top: $0) } }
    let onScreen = shown.filter { (0..<Double(height)).contains($0.top) }.sorted { $0.top < $1.top }
    let staying = Set(next)
    return onScreen.first { staying.contains($0.id) }
  }

  /// The place of the row that the keyboard is on, or in, when it goes.
  private func placeOfLeavingFocus(in next: [ID]) -> Int? {
    guard isMapped, hasFocus, !identifiers.isSame(next), let focused, !next.contains(focused.id) else { return nil }
    return identifiers.ids.firstIndex(of: focused.id)
  }

  /// The nearest row that stays, below first.
  private func rowAfter(_ place: Int, in next: [ID]) -> ID? {
    let staying = Set(next)
    let isHeir: (ID) -> Bool = { staying.contains($0) && self.row(for: $0) != nil }
    return identifiers.ids[place...].first(where: isHeir) ?? identifiers.ids[..<place].last(where: isHeir)
  }

  /// The one whose row the keyboard is on, or in.
  private var focused: ListIDs<ID>.Entry? {
    focusedItem.flatMap { item in rows.values.first { gtk_widget_get_parent($0.row.root.widget) == item }?.entry }
  }

  /// The toolkit's widget of that row, found from the keyboard outwards: in each layout, however long the list is.
  private var focusedItem: UnsafeMutablePointer<GtkWidget>? {
    guard hasFocus, var present = gtk_widget_get_root(widget).flatMap({ gtk_root_get_focus($0) }) else { return nil }
    while let parent = gtk_widget_get_parent(present) {
      if parent == list.widget { return present }
      present = parent
    }
    return nil
  }

  /// How far down a row is that has a place, or will be after the next layout.
  private func top(of row: Row) -> Double? {
    gtk_widget_get_parent(row.root.widget).flatMap(top(ofItem:)).map { $0 + laidOutPosition - position }
  }

  /// How far down the toolkit's widget around a row is as of the last layout; `nil` for one without a place.
  private func top(ofItem item: UnsafeMutablePointer<GtkWidget>) -> Double? {
    var y = 0.0
    guard gtk_widget_get_mapped(item) != 0, gtk_widget_get_height(item) > 0,
      gtk_widget_translate_coordinates(item, widget, 0, 0, nil, &y) != 0
    else { return nil }
    return y
  }

  /// Runs when the list's length has changed, before its position changes. The toolkit keeps a row in place when rows are added above it,
  /// but not if the list's height changes in the same frame, because a widget below it appears or goes.
  private func holdAnchor() {
    guard let anchor else { return holdTop() }
    scrollAnchor = .row(anchor)
    self.anchor = nil
  }

  /// A list that is scrolled to its top stays there at every size: the toolkit would keep its middle row in place.
  private func holdTop() {
    if scrollAnchor == nil, lastPosition == 0, lastWidth > 0, width != lastWidth { scrollAnchor = .position(0) }
  }

  /// Runs when the list's height has changed, before its position changes. The toolkit keeps a row at its share of the height, so rows
  /// would move when a widget below the list appears or goes. Another width changes the heights of rows, so there the position is not kept.
  private func holdPosition() {
    guard anchor == nil, width == lastWidth || lastPosition == 0, let place = lastPosition else {
      return (lastPosition, lastWidth) = (position, width)
    }
    scrollAnchor = .position(place)
  }

  /// Corrects a position that the layout moved; the frame is laid out once more before it is painted.
  private func laidOut() {
    laidOutPosition = position
    switch scrollAnchor {
    case .row(let anchor): if let top = row(for: anchor.id).flatMap(top) { position += top - anchor.top }
    case .position(let place): position = place
    case nil: break
    }
    scrollAnchor = nil
    awaitedJump = nil
    focusedAtLayout = focusedItem
  }

  /// What it shows, in order.
  public var ids: [ID] { identifiers.ids }

  /// The rows that are filled at present, by what they show. About 200 at a time.
  public var bound: [ID: Row] { identifiers.entries.compactMapValues { $0.row as? Row } }

  /// The row of an id, when it is filled at present.
  public func row(for id: ID) -> Row? { identifiers.entries[id].flatMap(filled) }

  private func filled(_ entry: ListIDs<ID>.Entry) -> Row? { entry.row.map { unsafeDowncast($0, to: Row.self) } }

  /// Fills the row of an id again if it is on screen: its entity has changed.
  public func update(_ id: ID) {
    guard let row = row(for: id) else { return }
    bind(row, id)
    name(row)
  }

  /// Fills the rows of these again that are on screen.
  public func update(_ ids: Set<ID>) {
    let live = identifiers.entries.keys
    for id in ids.count > live.count ? live.filter(ids.contains) : Array(ids) { update(id) }
  }

  /// How many rows exist, filled or not; for tests.
  public var rowCount: Int { rows.count }
  /// How many ids are remembered; for tests.
  var liveItems: Int { identifiers.entries.count }

  /// What a screen reader calls the list.
  public func setListName(_ name: String) {
    Accessible.set(list.opaque, GTK_ACCESSIBLE_PROPERTY_LABEL) { g_value_set_string(&$0, name) }
  }

  // MARK: Scrolling

  /// How far down it is scrolled, in pixels. A value out of range is brought into it.
  public var position: Double {
    get { gtk_adjustment_get_value(adjustment) }
    set { gtk_adjustment_set_value(adjustment, newValue) }
  }

  /// How much longer the list is than what is seen of it, in pixels.
  public var surplus: Double { gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment) }

  /// Called when ``position`` has changed, by the reader or by the app.
  public func onScrolled<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    Object(borrowed: UnsafeMutableRawPointer(adjustment)).connect("value-changed", .plain, owner: owner, absent: ()) { owner, _ in
      // Also in the middle of a layout, where nothing may come or go.
      MainLoop.after(seconds: 0) { [weak owner] in if let owner, !owner.scope.isClosed { body(owner) } }
    }
  }

  /// Scrolls the list by the wheel over another widget, such as one that stands above it.
  /// - Parameter isTaken: whether the widget scrolls by itself at the moment.
  public func scrollsByWheel<Owner: SignalOwner>(
    over other: Widget, _ owner: Owner, unless isTaken: @escaping @MainActor (Owner) -> Bool
  ) {
    other.addWheel().connect("scroll", .scroll, owner: owner, absent: false) { [weak self] owner, turn in
      guard let self, turn.y != 0, !isTaken(owner) else { return false }
      adjustment.turn(turn.y, inPixels: turn.inPixels)
      return true
    }
  }

  /// Brings the row at a place into view; a list that was not drawn yet does so when it is.
  public func scroll(to place: Int) {
    guard isReadyToJump else { return pendingJump = place }
    guard place >= 0, place < identifiers.ids.count else { return }
    (lastPosition, anchor, awaitedJump) = (nil, nil, identifiers.ids[place])
    gtk_widget_activate_action_variant(list.pointer(), "list.scroll-to-item", g_variant_new_uint32(guint32(place)))
  }

  /// Whether any of the row of an id is on screen, or will be after the next layout.
  public func isInSight(_ id: ID) -> Bool {
    guard awaitedJump != id else { return true }
    return row(for: id).flatMap { gtk_widget_get_parent($0.root.widget) }.map(isInSight(item:)) ?? false
  }

  private func isInSight(item: UnsafeMutablePointer<GtkWidget>) -> Bool {
    guard let top = top(ofItem: item) else { return false }
    return top + Double(gtk_widget_get_height(item)) > 0 && top < Double(height)
  }

  /// Gives the keyboard to the first row on screen, and not to a button in it, which the next Enter would press.
  /// - Returns: false when no row is on screen, as before the first layout.
  @discardableResult public func focusRow() -> Bool {
    var row = isMapped ? gtk_widget_get_first_child(list.pointer()) : nil
    while let present = row {
      if let top = top(ofItem: present), top >= 0 { return gtk_widget_grab_focus(present) != 0 }
      row = gtk_widget_get_next_sibling(present)
    }
    return false
  }

  /// Gives the keyboard to the row of an id, which comes into view; to one that is not filled yet as soon as it is.
  public func focusRow(_ id: ID) {
    awaitedRow = id
    guard let row = row(for: id), let item = gtk_widget_get_parent(row.root.widget) else { return }
    awaitedRow = nil
    gtk_widget_grab_focus(item)
  }

  /// Moves the focus to a row, and scrolls to it. GTK itself scrolls only when the focus moves to another row.
  private func takeKeyboard(to place: Int) {
    guard identifiers.ids.indices.contains(place) else { return }
    scroll(to: place)
    focusRow(identifiers.ids[place])
  }

  /// Lets the keys that move in the list do so from another widget too, such as one that stands above it. From there the toolkit would move
  /// the focus to the nearest button of a row, or nowhere.
  public func takesKeys<Owner: SignalOwner>(from other: Widget, _ owner: Owner) {
    func add(_ keys: [String], _ body: @escaping @MainActor (ListView) -> Void) {
      for key in keys {
        other.addShortcut(key, owner, inside: true, when: { [weak self] _ in self?.ids.isEmpty == false && self?.isMapped == true }) {
          [weak self] _ in if let self { body(self) }
        }
      }
    }
    add(["Down", "KP_Down", "Page_Down", "KP_Page_Down"]) { $0.focusRow() }
    add(["Home", "KP_Home"]) { $0.takeKeyboard(to: 0) }
    add(["End", "KP_End"]) { $0.takeKeyboard(to: $0.ids.count - 1) }
  }

  /// Whether the keyboard is on the row at a place, of which nothing is on screen.
  private func hasHiddenKeyboard(at place: Int) -> Bool {
    guard let row = row(for: identifiers.ids[place]), let item = gtk_widget_get_parent(row.root.widget), gtk_widget_has_focus(item) != 0
    else { return false }
    // A key may have just moved it there: then the row comes into sight with the next layout.
    return item == focusedAtLayout && !isInSight(item: item)
  }

  /// Called when less than a page and a half is left below, also because what is there does not fill the window: time to load more.
  ///
  /// Once each time the end comes near, and again after ``show(_:)`` brought other ids; not again for a page that failed to load.
  public func onNearEnd<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    let adjustment = Object(borrowed: UnsafeMutableRawPointer(adjustment))
    for signal in ["value-changed", "changed"] {
      adjustment.connect(signal, .plain, owner: owner, absent: ()) { [weak self] owner, _ in
        guard self?.reachesEnd() == true else { return }
        // The end comes near in the middle of a layout, where no list may change.
        MainLoop.after(seconds: 0) { [weak owner] in if let owner, !owner.scope.isClosed { body(owner) } }
      }
    }
  }

  /// Called with the id of a row that was clicked, or chosen with Enter. A row that is out of sight comes into view first.
  @discardableResult
  public func onActivated<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, ID) -> Void) -> SignalConnection {
    list.connect("activate", .position, owner: owner, absent: ()) { [weak self] owner, place in
      guard let self, identifiers.ids.indices.contains(place) else { return }
      guard hasHiddenKeyboard(at: place) else { return body(owner, identifiers.ids[place]) }
      // The keyboard may be on its way to a row that is not filled yet.
      if let awaitedRow { body(owner, awaitedRow) } else { scroll(to: place) }
    }
  }

  /// Called with the row that the keyboard is on, or in, when a key asks for its menu.
  public func onMenuKey<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, Row) -> Void) {
    for key in Self.menuKeys {
      list.addShortcut(key, owner, inside: true) { [weak self] owner in if let self, let row = focused.flatMap(filled) { body(owner, row) }
      }
    }
  }

  /// Acts as if the row of an id had been clicked; for tests.
  /// - Returns: false when the list has no such id.
  @discardableResult public func activate(_ id: ID) -> Bool {
    guard let place = identifiers.ids.firstIndex(of: id) else { return false }
    return gtk_widget_activate_action_variant(list.pointer(), "list.activate-item", g_variant_new_uint32(guint32(place))) != 0
  }

  /// In GTK 4.8 a list that was never scrolled draws nothing after a jump to rows that it has not made yet: it is moved to where it is,
  /// once, after the layout that gave it its length. Jumps wait until then.
  private func prepareToJump() {
    guard !isLaidOut, !identifiers.ids.isEmpty else { return }
    isLaidOut = true
    MainLoop.after(seconds: 0) { [weak self] in
      guard let self else { return }
      if position == 0 { matinee_emit(adjustment, "value-changed") }
      isReadyToJump = true
      if let place = pendingJump { scroll(to: place) }
      pendingJump = nil
    }
  }

  private var adjustment: UnsafeMutablePointer<GtkAdjustment> { gtk_scrolled_window_get_vadjustment(opaque) }

  private func reachesEnd() -> Bool {
    let page = gtk_adjustment_get_page_size(adjustment)
    guard page > 0, !identifiers.ids.isEmpty else { return false }
    let isNear = gtk_adjustment_get_upper(adjustment) - position - page < page * 1.5
    let isNew = isNear && (!wasNearEnd || countAtEnd != identifiers.ids.count)
    wasNearEnd = isNear
    if isNew { countAtEnd = identifiers.ids.count }
    return isNew
  }

  // MARK: Rows

  private func setUp(_ item: UnsafeMutableRawPointer, _ row: Row) {
    rows[item] = Slot(row)
    gtk_list_item_set_child(OpaquePointer(item), row.root.widget)
  }

  private func fill(_ item: UnsafeMutableRawPointer) {
    guard let slot = rows[item], let object = gtk_list_item_get_item(OpaquePointer(item)) else { return }
    let entry = unsafeDowncast(ListEntry.behind(object), to: ListIDs<ID>.Entry.self)
    if !slot.wasFilled, let parent = gtk_widget_get_parent(slot.row.root.widget) {
      // GTK 4.8 selects the row that the pointer enters, which has no meaning here. When the layout after a jump hides the row beneath a
      // pointer that rests, another is entered, and selecting that frees what is being laid out: the list stays empty, if no worse.
      removeControllers(gtk_event_controller_motion_get_type(), of: parent)
    }
    slot.wasFilled = true
    slot.entry = entry
    entry.row = slot.row
    bind(slot.row, entry.id)
    name(slot.row)
    // Not in the middle of a layout.
    if awaitedRow == entry.id { MainLoop.after(seconds: 0) { [weak self] in if let id = self?.awaitedRow { self?.focusRow(id) } } }
  }

  private func empty(_ item: UnsafeMutableRawPointer) {
    guard let slot = rows[item], let entry = slot.entry else { return }
    if entry.row === slot.row { entry.row = nil }
    slot.entry = nil
    slot.row.unbind()
  }

  private func tearDown(_ item: UnsafeMutableRawPointer) { rows.removeValue(forKey: item)?.row.scope.close() }

  /// The row's name belongs on what the toolkit puts around the row.
  private func name(_ row: Row) {
    guard let parent = gtk_widget_get_parent(row.root.widget) else { return }
    Accessible.set(OpaquePointer(parent), GTK_ACCESSIBLE_PROPERTY_LABEL) { g_value_set_string(&$0, row.accessibleName) }
  }
}
