import CGtk
import CGtkShims
import Runtime

/// A text that cannot be edited.
@MainActor public final class Label: Widget {
  /// Which way a text is read, and so at which side its lines begin.
  public enum Direction: Sendable {
    /// By its first letter, but on the side on which the interface begins: what stands in a row with controls, prices and marks is on one
    /// side with them.
    case ofInterface
    /// By its first letter, and on the side of its own script: for texts that people wrote, in any language.
    case ofText
  }

  /// - Parameters:
  ///   - wraps: whether a long text takes several lines; otherwise it decides the least width.
  ///   - lines: the most lines, ending in an ellipsis; nil for any number.
  ///   - alignment: of the text within the label's width.
  ///   - direction: at which side ``Alignment/start`` is.
  public init(
    _ text: String = "", styles: [Style] = [], wraps: Bool = false, lines: Int? = nil, alignment: Alignment = .start,
    direction: Direction = .ofInterface
  ) {
    self.direction = direction
    longest = lines != nil ? 1_000 : !wraps ? 1_000_000 : direction == .ofText ? 20_000 : 4_000
    let text = text.drawable(most: longest)
    super.init(made: UnsafeMutableRawPointer(gtk_label_new(text)))
    for style in styles { setStyle(style) }
    if wraps {
      gtk_label_set_wrap(opaque, 1)
      gtk_label_set_wrap_mode(opaque, PANGO_WRAP_WORD_CHAR)
      // What people wrote is as wide as its place.
      if direction == .ofText { gtk_label_set_natural_wrap_mode(opaque, GTK_NATURAL_WRAP_NONE) }
    }
    if let lines {
      gtk_label_set_ellipsize(opaque, PANGO_ELLIPSIZE_END)
      gtk_label_set_lines(opaque, Int32(lines))
      if lines > 1 { gtk_label_set_wrap(opaque, 1) }
      // It would otherwise look, in a dozen layouts, for the width at which the text is just as high: half the time that a row takes.
      gtk_label_set_natural_wrap_mode(opaque, GTK_NATURAL_WRAP_NONE)
    }
    textAlignment = alignment
    gtk_label_set_xalign(opaque, alignment == .center ? 0.5 : alignment == .end ? 1 : 0)
    justify(alignment)
    if !text.isEmpty { turn() }
  }

  private var textAlignment: Alignment = .start
  private let direction: Direction
  /// How much of a text is shown, in Unicode scalars: more than there is room for.
  private let longest: Int
  private var hasCodes = false

  /// What is shown, without markup.
  public var text: String {
    get { string(gtk_label_get_text(opaque)) ?? "" }
    set {
      let newValue = newValue.drawable(most: longest)
      if newValue != text || gtk_label_get_use_markup(opaque) != 0 {
        hasCodes = false
        gtk_label_set_text(opaque, newValue.withoutNull)
        turn()
      }
    }
  }

  private static let drawsThinLines: Void = matinee_labels_draw_thin_lines()

  /// Shows text with emphasis and links.
  public func setMarkup(_ markup: Markup) {
    Self.drawsThinLines
    guard markup.source != string(gtk_label_get_label(opaque)) || gtk_label_get_use_markup(opaque) == 0 else { return }
    hasCodes = markup.hasCodes
    gtk_label_set_markup(opaque, markup.source)
    // A text that is too long is shown without its emphasis. It is no longer than its source.
    if markup.source.utf8.count > longest, case let (whole, cut) = (text, text.drawable(most: longest)), cut != whole {
      gtk_label_set_text(opaque, cut)
    }
    turn()
  }

  /// Adapts to what its text is: how it is broken, and which way it is read.
  private func turn() {
    if gtk_label_get_wrap(opaque) != 0 {
      // The toolkit measures a label that breaks within words as if it might break anywhere.
      gtk_label_set_wrap_mode(opaque, text.hasLongWord ? PANGO_WRAP_CHAR : hasCodes ? PANGO_WRAP_WORD : PANGO_WRAP_WORD_CHAR)
    }
    switch direction {
    case .ofText: turn(as: text)
    case .ofInterface:
      // The lines of a text have sides of their own where there may be several: other labels are moved as a whole.
      guard gtk_label_get_wrap(opaque) != 0 else { return }
      let ofText = matinee_text_direction(text)
      let isAgainst = ofText != GTK_TEXT_DIR_NONE && ofText != gtk_widget_get_default_direction()
      // Pango exchanges the sides for a paragraph that is read against the direction of its label: the lines of one text would end where
      // the text beside it begins.
      justify(isAgainst ? (textAlignment == .start ? .end : textAlignment == .end ? .start : textAlignment) : textAlignment)
    }
  }

  private func justify(_ alignment: Alignment) {
    gtk_label_set_justify(opaque, alignment == .center ? GTK_JUSTIFY_CENTER : alignment == .end ? GTK_JUSTIFY_RIGHT : GTK_JUSTIFY_LEFT)
  }

  /// Makes its text part of what can be selected in the ``SelectionArea`` around it.
  /// - Parameter separator: what stands between the text before it and its own when both are copied.
  public func shareSelection(after separator: String = "\n\n") {
    matinee_selection_share(widget, separator)
    // The label's own menu, which a key opens beside a link, would offer to cut and to paste.
    gtk_widget_action_set_enabled(widget, "menu.popup", 0)
  }

  /// Draws the text in one size, in pixels, at every text size of the desktop.
  public func setTextSize(pixels: Double) {
    let attributes = pango_attr_list_new()
    pango_attr_list_insert(attributes, pango_attr_size_new_absolute(gint(pixels * Double(PANGO_SCALE))))
    gtk_label_set_attributes(opaque, attributes)
    pango_attr_list_unref(attributes)
  }

  /// The width that it would like to have at most, in characters.
  public func setMaximumWidth(characters: Int) { gtk_label_set_max_width_chars(opaque, Int32(characters)) }

  /// The width that it takes at least, in characters, where it would wrap otherwise.
  public func setMinimumWidth(characters: Int) { gtk_label_set_width_chars(opaque, Int32(characters)) }

  /// How far below its upper edge the line is that a byte of its text stands in, in pixels.
  public func top(ofLineAt byte: Int) -> Double {
    var (place, y) = (PangoRectangle(), gint(0))
    pango_layout_index_to_pos(gtk_label_get_layout(opaque), gint(clamping: byte), &place)
    gtk_label_get_layout_offsets(opaque, nil, &y)
    return Double(y) + Double(place.y) / Double(PANGO_SCALE)
  }

  /// Called with the address of a link that was chosen; the toolkit itself opens nothing.
  @discardableResult
  public func onLink<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, String) -> Void) -> SignalConnection {
    connect("activate-link", .link, owner: owner, absent: true) { owner, address in
      body(owner, address)
      return true
    }
  }
}

extension String {
  /// C ends a text at its first NUL.
  var withoutNull: String { utf8.contains(0) ? replacingScalars { $0 == "\0" ? "\u{FFFD}" : nil } : self }
}
