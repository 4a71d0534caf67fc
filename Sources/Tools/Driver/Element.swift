/// One widget of the driven app as assistive technology sees it. Every property asks the app again; one that is gone reads as empty.
///
/// Belongs to the thread that drives.
public final class Element {
  /// What was read of it at one time.
  private struct Snapshot {
    var role = Role(number: 0)
    var name = ""
    var detail = ""
    var content: String?
    var states: UInt64 = 0
    var children: [Element] = []
  }

  /// The numbers of AT-SPI.
  private enum State: UInt64 {
    case checked = 4
    case focused = 12
    case pressed = 20
    case sensitive = 24
    case visible = 30
  }

  private let address: AccessibilityBus.Address
  private let bus: AccessibilityBus
  /// Set while a whole tree is looked through.
  private var cached: Snapshot?

  init(_ address: AccessibilityBus.Address, on bus: AccessibilityBus) { (self.address, self.bus) = (address, bus) }

  // MARK: Reading

  /// What kind of widget it is.
  public var role: Role { snapshot.role }

  /// The accessible name.
  public var name: String { snapshot.name }

  /// The accessible description; e.g. an error below an entry.
  public var detail: String { snapshot.detail }

  /// The text inside: what an entry holds or a label shows.
  public var content: String? { snapshot.content }

  /// The value of a progress bar or slider.
  public var value: Double? { bus.answer(.property("CurrentValue", of: address, "Value"))?.property?.number }

  /// Whether a person could use it now.
  public var isEnabled: Bool { has(.sensitive) }

  /// Whether it has not been hidden. Pages of a stack that are covered are not hidden; `showing` is no help, GTK 4.8 says it of
  /// windows only.
  public var isVisible: Bool { has(.visible) }

  /// Whether a toggle is down.
  public var isPressed: Bool {
    let snapshot = snapshot
    return [State.pressed, .checked].contains { snapshot.states & 1 << $0.rawValue != 0 }
  }

  private func has(_ state: State) -> Bool { snapshot.states & 1 << state.rawValue != 0 }

  /// What is directly inside it.
  public var children: [Element] { snapshot.children }

  private var snapshot: Snapshot { cached ?? Self.snapshots(of: [self])[0] }

  /// What is directly inside it and inside what `isEntered` picks of that, nearest first, read a level at a time.
  func descendants(entering isEntered: (Element) -> Bool, matching matches: (Element) -> Bool) -> [Element] {
    var found: [Element] = []
    var level = children
    while !level.isEmpty {
      for (element, snapshot) in zip(level, Self.snapshots(of: level)) { element.cached = snapshot }
      found += level.filter(matches)
      let next = level.filter(isEntered).flatMap(\.children)
      for element in level { element.cached = nil }
      level = next
    }
    return found
  }

  /// Reads several at a time, in two rounds: a text's length has to be known before the text is read.
  private static func snapshots(of elements: [Element]) -> [Snapshot] {
    guard let bus = elements.first?.bus else { return [] }
    let first = bus.answers(
      elements.flatMap { (element: Element) -> [AccessibilityBus.Call] in
        let address = element.address
        return [
          .init(to: address, "Accessible", "GetRole"), .property("Name", of: address), .property("Description", of: address),
          .init(to: address, "Accessible", "GetState"), .init(to: address, "Accessible", "GetChildren"),
          .property("CharacterCount", of: address, "Text"),
        ]
      })
    var snapshots: [Snapshot] = []
    var lengths: [(index: Int, count: Int)] = []
    for (index, element) in elements.enumerated() {
      let answers = Array(first[(index * 6)..<(index * 6 + 6)])
      var snapshot = Snapshot()
      snapshot.role = Role(number: answers[0]?[0]?.natural ?? 0)
      snapshot.name = answers[1]?.property?.text ?? ""
      snapshot.detail = answers[2]?.property?.text ?? ""
      // Two words, the lower one first.
      for word in (answers[3]?[0]?.parts ?? []).reversed() { snapshot.states = snapshot.states << 32 | UInt64(word.natural ?? 0) }
      snapshot.children = answers[4]?[0]?.addresses.map { Element($0, on: element.bus) } ?? []
      if let count = answers[5]?.property?.integer {
        snapshot.content = ""
        if count > 0 { lengths.append((index, count)) }
      }
      snapshots.append(snapshot)
    }
    let texts = bus.answers(
      lengths.map {
        .init(to: elements[$0.index].address, "Text", "GetText", arguments: [.integer(0), .integer(Int32(clamping: $0.count))])
      })
    for (length, text) in zip(lengths, texts) { snapshots[length.index].content = text?[0]?.text }
    return snapshots
  }

  /// What is directly inside it with the names, read all at once: the rows of a list.
  public var namedChildren: [(name: String, element: Element)] {
    let children = children
    return zip(children, Self.snapshots(of: children)).map { ($1.name, $0) }
  }

  /// The widget around it.
  public var parent: Element? { bus.answer(.property("Parent", of: address))?.property?.address.map { Element($0, on: bus) } }

  /// The nearest widget around it of that role.
  /// - Throws: `DriverError.refused` when there is none.
  public func ancestor(_ role: Role) throws -> Element {
    var place = parent
    while let found = place, found.role != role { place = found.parent }
    guard let place else { throw DriverError.refused("nothing around \(self) is a \(role)") }
    return place
  }

  /// Where it lies in its window, in pixels.
  public var frame: Frame? {
    // 1 is the window, 0 the screen, which GTK 4 does not know.
    let numbers = bus.answer(.init(to: address, "Component", "GetExtents", arguments: [.natural(1)]))?[0]?.parts.compactMap(\.integer) ?? []
    return numbers.count == 4 ? Frame(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]) : nil
  }

  // MARK: Acting

  /// The names of what can be done with it, in the order of the app.
  public var actions: [String] {
    let count = bus.answer(.property("NActions", of: address, "Action"))?.property?.integer ?? 0
    return bus.answers((0..<max(0, count)).map { .init(to: address, "Action", "GetName", arguments: [.integer(Int32($0))]) }).map {
      $0?[0]?.text ?? ""
    }
  }

  /// Does the action `name`. Chosen by name, never by position: invoking `link.open` of a plain label ends a GTK app.
  /// - Throws: `DriverError.refused` when there is no such action or the app declines.
  public func perform(_ name: String) throws {
    let actions = actions
    guard let index = actions.firstIndex(of: name) else { throw DriverError.refused("\(self) has no action \(name), only \(actions)") }
    guard bus.answer(.init(to: address, "Action", "DoAction", arguments: [.integer(Int32(index))]))?[0]?.isTrue == true else {
      throw DriverError.refused("\(name) of \(self)")
    }
  }

  /// Presses a button as a screen reader would.
  /// - Throws: `DriverError.refused` when it is no button, or cannot be pressed now.
  public func press() throws {
    guard isEnabled else { throw DriverError.refused("\(self) is not enabled") }
    let actions = actions
    guard let action = ["click", "clicked", "activate"].first(where: actions.contains) else {
      throw DriverError.refused("\(self) cannot be pressed; it can \(actions)")
    }
    try perform(action)
  }

  /// Gives it the keyboard.
  /// - Throws: `DriverError.refused` when it takes none.
  public func focus() throws {
    guard bus.answer(.init(to: address, "Component", "GrabFocus"))?[0]?.isTrue == true else {
      throw DriverError.refused("focus for \(self)")
    }
  }
}

/// A rectangle in pixels.
public struct Frame: Equatable, Sendable {
  /// The left edge, in pixels from that of the window.
  public var x: Int
  /// The upper edge, in pixels from that of the window.
  public var y: Int
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int
}

extension Element: CustomStringConvertible {
  /// Role, name and what stands in it.
  public var description: String { Self.line(snapshot) }

  private static func line(_ snapshot: Snapshot) -> String {
    var line = "\(snapshot.role) \"\(snapshot.name)\""
    if let content = snapshot.content, !content.isEmpty, content != snapshot.name { line += " holding \"\(content)\"" }
    if !snapshot.detail.isEmpty { line += " (\(snapshot.detail))" }
    for (state, word) in [(State.sensitive, "disabled"), (.visible, "hidden")] where snapshot.states & 1 << state.rawValue == 0 {
      line += " \(word)"
    }
    if snapshot.states & 1 << State.focused.rawValue != 0 { line += " focused" }
    return line
  }

  /// The tree from here down, a line an element.
  public func outline(depth: Int = 0, limit: Int = 24) -> String { outline(snapshot, depth, limit) }

  private func outline(_ snapshot: Snapshot, _ depth: Int, _ limit: Int) -> String {
    let line = String(repeating: "  ", count: depth) + Self.line(snapshot)
    guard depth < limit else { return line }
    // Long lists say little that is new after their first rows.
    let inside = snapshot.role == .list ? Array(snapshot.children.prefix(3)) : snapshot.children
    return ([line] + zip(inside, Self.snapshots(of: inside)).map { $0.outline($1, depth + 1, limit) }).joined(separator: "\n")
  }
}
