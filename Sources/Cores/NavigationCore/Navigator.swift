/// Carries out one change of a ``NavigationTree`` at a time: instantiate what becomes visible, call the screens' lifecycle methods,
/// present, track.
///
/// The app's coordinator owns one and is the only one to change it. Isolated to the main actor.
@MainActor public final class Navigator<Destination: Hashable & Sendable, Screen: ScreenLifecycle> {
  /// A node of this navigator's tree.
  public typealias Node = NavigationTree<Destination>.Node

  /// Everything that is open now.
  public private(set) var tree: NavigationTree<Destination>
  /// Called after each change that made another screen visible; the place is `nil` behind the curtain.
  public var onVisible: ((Destination?) -> Void)?

  private let presenter: any Presenter<Destination, Screen>
  private let instantiate: @MainActor (Destination) -> Screen
  private var screens: [Node.ID: Screen] = [:]

  /// - Parameters:
  ///   - root: the screen beneath everything, behind the curtain.
  ///   - presenter: draws; held strongly, and must not hold the navigator's owner.
  ///   - instantiate: makes a screen when its node becomes visible for the first time.
  public init(
    root: Destination, presenter: any Presenter<Destination, Screen>, instantiate: @escaping @MainActor (Destination) -> Screen
  ) {
    tree = NavigationTree(root: root)
    self.presenter = presenter
    self.instantiate = instantiate
  }

  /// Presents the curtain. The root's screen is made when it is seen for the first time, as each other one.
  public func start() {
    presenter.present(tree, screens: screens)
    onVisible?(nil)
  }

  /// The screen made for a node, if that has been visible.
  public func screen(_ node: Node) -> Screen? { screens[node.id] }

  /// Changes the tree and everything that follows from it. An equal tree has no effect.
  public func change(_ body: (inout NavigationTree<Destination>) -> Void) {
    let before = tree
    body(&tree)
    guard tree != before else { return }
    let open = Set(tree.nodes.map(\.id))
    let leaving = before.visible.flatMap { $0 == tree.visible ? nil : screens[$0.id] }
    leaving?.disappear()
    let gone = screens.filter { !open.contains($0.key) }
    screens = screens.filter { open.contains($0.key) }
    for (_, screen) in gone.sorted(by: { $0.key > $1.key }) { screen.closed() }
    if let visible = tree.visible, screens[visible.id] == nil { screens[visible.id] = instantiate(visible.destination) }
    presenter.present(tree, screens: screens)
    guard tree.visible != before.visible else { return }
    onVisible?(tree.visible?.destination)
    if let visible = tree.visible { screens[visible.id]?.appear() }
  }

  /// Shows a short message.
  public func show(message: String) { presenter.show(message: message) }
}
