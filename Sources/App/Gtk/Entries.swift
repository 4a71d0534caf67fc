import CGtk

/// A line that a person types.
@MainActor public class TextEntry: Widget {
  private var isSetting = false

  /// Its text. Setting it calls no handler: only what a person types is reported.
  public final var text: String {
    get { string(gtk_editable_get_text(opaque)) ?? "" }
    set {
      guard newValue != text else { return }
      isSetting = true
      gtk_editable_set_text(opaque, newValue.withoutNull)
      // The caret is put at the end, so that a person continues typing there.
      gtk_editable_set_position(opaque, -1)
      isSetting = false
    }
  }

  /// Whether it can be typed in. Better than `isSensitive` for a while: it keeps the keyboard, which GTK 4.8 takes from an insensitive
  /// entry without telling it.
  public final var isEditable: Bool {
    get { gtk_editable_get_editable(opaque) != 0 }
    set { if newValue != isEditable { gtk_editable_set_editable(opaque, newValue ? 1 : 0) } }
  }

  /// Puts the keyboard there with all of the text selected, so that what is typed next takes its place.
  public final func focusAll() {
    focus()
    gtk_editable_select_region(opaque, 0, -1)
  }

  /// Marks it as one that must be corrected.
  public final var isWrong: Bool {
    get { hasStyle(.error) }
    set { setStyle(.error, newValue) }
  }

  /// Called with the text after each change that a person made.
  @discardableResult
  public final func onChanged<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, String) -> Void) -> SignalConnection
  {
    let raw = raw
    return connect("changed", .plain, owner: owner, absent: ()) { [weak self] owner, _ in
      guard self?.isSetting != true else { return }
      body(owner, string(gtk_editable_get_text(OpaquePointer(raw))) ?? "")
    }
  }

  /// Called when Enter is pressed in it.
  @discardableResult
  public final func onSubmit<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) -> SignalConnection {
    connect("activate", owner: owner, body)
  }
}

/// A line of text.
@MainActor public final class Entry: TextEntry {
  /// - Parameters:
  ///   - placeholder: shown while it is empty.
  ///   - name: what belongs in it, for screen readers.
  public init(placeholder: String = "", name: String) {
    super.init(made: UnsafeMutableRawPointer(gtk_entry_new()))
    gtk_entry_set_placeholder_text(pointer(), placeholder)
    setAccessibleName(name)
  }

  /// An e-mail address: no spelling, the right on-screen keyboard.
  public func expectsEmail() { gtk_entry_set_input_purpose(pointer(), GTK_INPUT_PURPOSE_EMAIL) }
}

/// A line whose letters are not shown, with a button to look at them.
@MainActor public final class PasswordEntry: TextEntry {
  /// - Parameters:
  ///   - placeholder: shown while it is empty.
  ///   - name: what belongs in it, for screen readers.
  public init(placeholder: String = "", name: String) {
    super.init(made: UnsafeMutableRawPointer(gtk_password_entry_new()))
    gtk_password_entry_set_show_peek_icon(opaque, 1)
    setString("placeholder-text", placeholder)
    setAccessibleName(name)
  }
}
