import CGtk
import CGtkShims

/// A whole number that a person types, or steps with the arrow keys and two buttons.
@MainActor public final class NumberField: Widget, SignalOwner {
  /// Ends the field's own connections with the field.
  public let scope = Scope()
  private let digits: Int
  private var isSetting = false

  /// - Parameters:
  ///   - range: what can be chosen; the arrow keys go on at the other end.
  ///   - step: of the arrow keys and the buttons; any number can be typed.
  ///   - digits: how many there are at least, with zeros in front.
  ///   - name: what it is, for screen readers.
  public init(_ range: ClosedRange<Int>, step: Int = 1, digits: Int = 1, name: String) {
    self.digits = digits
    super.init(
      made: UnsafeMutableRawPointer(gtk_spin_button_new_with_range(Double(range.lowerBound), Double(range.upperBound), Double(step))))
    gtk_spin_button_set_numeric(opaque, 1)
    gtk_spin_button_set_wrap(opaque, 1)
    gtk_editable_set_width_chars(opaque, gint(String(range.upperBound).count))
    gtk_editable_set_alignment(opaque, 0.5)
    setAccessibleName(name)
    connect("output", .question, owner: self, absent: false) { field, _ in
      field.write()
      return true
    }
    write()
    // Scrolling over the field moves the page, and not the number.
    removeControllers(gtk_event_controller_scroll_get_type(), of: widget)
  }

  /// The number. Setting it calls no handler: only what a person changes is reported.
  public var value: Int {
    get { Int(gtk_spin_button_get_value_as_int(opaque)) }
    set {
      guard newValue != value else { return }
      isSetting = true
      gtk_spin_button_set_value(opaque, Double(newValue))
      isSetting = false
    }
  }

  /// Called with the number after each change that a person made; typed text counts with Enter, or when the focus leaves.
  @discardableResult
  public func onChanged<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, Int) -> Void) -> SignalConnection {
    connect("value-changed", .plain, owner: owner, absent: ()) { [weak self] owner, _ in
      if let self, !isSetting { body(owner, value) }
    }
  }

  private func write() {
    let number = String(value)
    let text = String(repeating: "0", count: max(0, digits - number.count)) + number
    if string(gtk_editable_get_text(opaque)) != text { gtk_editable_set_text(opaque, text) }
  }
}
