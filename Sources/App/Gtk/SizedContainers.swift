import CGtk
import CGtkShims

/// One child, centered and never wider than a limit, so that lines stay readable in a wide window.
@MainActor public final class Clamp: Widget {
  /// How wide the child becomes, in pixels.
  public var maximumWidth: Int { didSet { matinee_clamp_set_max_width(widget, Int32(maximumWidth)) } }

  /// - Parameter maximumWidth: in pixels.
  public init(maximumWidth: Int = 720, _ child: Widget? = nil) {
    self.maximumWidth = maximumWidth
    super.init(made: UnsafeMutableRawPointer(matinee_clamp_new(Int32(maximumWidth), 0)))
    self.child(child)
  }

  /// Puts a child in the place of the present one.
  public func child(_ child: Widget?) { matinee_clamp_set_child(widget, child?.widget) }
}

/// One child in a frame whose height follows from its width, such as a picture of 16 : 9.
@MainActor public final class RatioBox: Widget {
  /// - Parameters:
  ///   - ratio: width divided by height; must be above 0.
  ///   - maximumWidth: in pixels; nil for any.
  public init(ratio: Double, maximumWidth: Int? = nil, _ child: Widget) {
    super.init(made: UnsafeMutableRawPointer(matinee_clamp_new(Int32(maximumWidth ?? 0), max(ratio, 0.01))))
    clipsContent = true
    matinee_clamp_set_child(widget, child.widget)
  }

  /// Gives it another shape, such as that of a picture that has come.
  public func setShape(ratio: Double, maximumWidth: Int) { matinee_clamp_set_shape(widget, Int32(maximumWidth), max(ratio, 0.01)) }

  /// Called after it was given a place, and not while a list keeps it for reuse: time to load its content.
  @discardableResult public func onPlaced<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void)
    -> SignalConnection
  {
    connect("placed", owner: owner) { owner in
      // After the layout, in which no widget may change.
      MainLoop.after(seconds: 0) { [weak owner] in if let owner, !owner.scope.isClosed { body(owner) } }
    }
  }
}

/// Two children for the same place: the wide one where there is room for it, else the narrow one.
@MainActor public final class Either: Widget {
  /// - Parameters:
  ///   - wide: shown where its least width fits.
  ///   - narrow: shown otherwise; decides the least width.
  public init(wide: Widget, narrow: Widget) {
    super.init(made: UnsafeMutableRawPointer(matinee_either_new(wide.widget, narrow.widget)))
  }
}

/// Two children beside each other, or the second below the first where that would leave it too little room.
@MainActor public final class Wrap: Widget {
  /// - Parameters:
  ///   - first: takes what width the second leaves.
  ///   - second: as wide as it would like to be.
  ///   - least: how many pixels the first has to have beside the other; nil for as many as it would like.
  ///   - spacing: between the two, in pixels.
  ///   - shrinks: whether the second takes less than it would like to before it goes below.
  public init(_ first: Widget, _ second: Widget, least: Int? = nil, spacing: Int = 8, shrinks: Bool = false) {
    super.init(
      made: UnsafeMutableRawPointer(
        matinee_wrap_new(first.widget, second.widget, Int32(least ?? 0), Int32(spacing), shrinks ? 1 : 0)))
  }
}
