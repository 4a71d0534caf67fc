import MenuFeature
import NavigationCore

/// The facts about the app's present place that decide a ``Navigation``: the rules of ``RedirectionRule`` read nothing else.
struct Surroundings {
  /// What is open.
  var tree: NavigationTree<Destination>
  /// Whether a reader is signed in, and what is theirs is open.
  var hasReader = false
  /// Whether the reader has what paywalls sell.
  var hasPremium = false
  /// Whether readers of this publication may add feeds.
  var canAddFeeds = false
  /// Why the publication does not serve this app; `nil` while it does.
  var notice: ServiceNotice?
  /// Whether back leads to an earlier step of the screen on top.
  var canStepBack = false
  /// What would be lost with the sheets that are open, in a sentence; `nil` when nothing would.
  var loss: String?
  /// What would be lost with the end of the app, sheets or not, in a sentence; `nil` when nothing would.
  var lossOnQuitting: String?
}

/// Where a ``Navigation`` leads from where the app is.
enum Redirection: Equatable {
  /// To the place of this navigation, which may be another than the requested one.
  case to(Navigation)
  /// Nowhere yet: it waits for the reader to sign in, and replaces an earlier one that waited.
  case afterSignIn
  /// Nowhere: it does not apply here.
  case nowhere

  /// Applies the rules to a navigation, one after the other, until one drops or delays it.
  static func of(
    _ navigation: Navigation, from source: AppCoordinator.Source, in surroundings: Surroundings, by rules: [RedirectionRule] = .all
  ) -> Redirection {
    var navigation = navigation
    for rule in rules {
      switch rule.apply(navigation, source, surroundings) {
      case nil: continue
      case .to(let other): navigation = other
      case let end?: return end
      }
    }
    return .to(navigation)
  }
}

/// One rule by which a ``Navigation`` is redirected.
struct RedirectionRule: Sendable {
  /// For tests, and for a reader of the list.
  let name: String
  /// - Returns: `nil` where the rule does not apply.
  let apply: @Sendable (Navigation, AppCoordinator.Source, Surroundings) -> Redirection?
}

extension [RedirectionRule] {
  /// All of them, in their order.
  static let all = [
    RedirectionRule(name: "owned") { navigation, _, here in
      // Readers who have what a paywall sells skip it.
      if case .paywall(_, let then?) = navigation, here.hasPremium { .to(then) } else { nil }
    },
    RedirectionRule(name: "curtain down") { navigation, source, here in
      // Behind the curtain there is nowhere to go yet.
      guard here.tree.isCurtainDown, navigation != .quit else { return nil }
      return source == .link ? .afterSignIn : .nowhere
    },
    RedirectionRule(name: "login needed") { navigation, source, here in
      guard !here.hasReader, navigation.needsReader else { return nil }
      // A navigation from a screen of the earlier reader is not performed for the next one.
      return source == .link ? .afterSignIn : .nowhere
    },
    RedirectionRule(name: "client too old") { navigation, _, here in
      guard case .tooOld? = here.notice else { return nil }
      // What is stored can be read; what the publication would have to do is explained instead.
      return switch navigation.opening?.place {
      case .paywall, .payment, .addFeed, .changePassword, .sessions: .to(.serviceNotice)
      default: nil
      }
    },
    RedirectionRule(name: "nothing to tell") { navigation, _, here in
      if navigation == .serviceNotice, here.notice == nil { .nowhere } else { nil }
    },
    RedirectionRule(name: "feeds not offered") { navigation, _, here in
      if case .addFeed = navigation, !here.canAddFeeds { .nowhere } else { nil }
    },
    RedirectionRule(name: "way back from the browser") { navigation, source, here in
      // The sheet continues by itself, and leaving it would cancel the payment.
      guard case .purchases(_?) = navigation, source == .link else { return nil }
      return here.tree.sheets.contains { if case .payment = $0.destination { true } else { false } } ? .nowhere : nil
    },
    RedirectionRule(name: "already open") { navigation, _, here in
      // A tab goes back to its first page, and a search or an address for a feed is filled in.
      switch navigation.opening {
      case .page(let place)? where place != .search && here.tree.visible?.destination == place: .nowhere
      case .sheet(let place)? where place != .addFeed && here.tree.visible?.destination == place: .nowhere
      default: nil
      }
    },
    RedirectionRule(name: "sheet in the way") { navigation, source, here in
      guard let opening = navigation.opening, !here.tree.sheets.isEmpty else { return nil }
      // A sheet has to be answered first, and its work continues meanwhile: only a link leads past it.
      if opening.closesSheets { return source == .link ? nil : .nowhere }
      // Pages about the app never cover a sheet that has to be answered.
      return opening.place?.needsReader == false && here.tree.sheets.contains { $0.destination.needsReader } ? .nowhere : nil
    },
    RedirectionRule(name: "nothing to close") { navigation, _, here in
      switch navigation {
      case .back: here.tree.canGoBack || here.canStepBack ? nil : .nowhere
      case .dismiss: here.tree.sheets.isEmpty ? .nowhere : nil
      default: nil
      }
    },
    RedirectionRule(name: "something that cannot be kept in the way") { navigation, _, here in
      let isSheetLost = here.loss != nil && navigation.closesSheets(of: here.tree)
      guard isSheetLost || navigation == .quit && here.lossOnQuitting != nil else { return nil }
      return .to(.confirm(navigation))
    },
  ]
}

extension Navigation {
  /// Whether it closes a sheet other than the question whether to leave.
  fileprivate func closesSheets(of tree: NavigationTree<Destination>) -> Bool {
    switch self {
    case .back: tree.sheets.last?.destination.isQuestion == false
    case .dismiss, .quit, .login: !tree.sheets.isEmpty
    default: opening?.closesSheets == true && !tree.sheets.isEmpty
    }
  }
}
