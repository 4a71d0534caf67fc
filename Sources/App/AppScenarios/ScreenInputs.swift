import AccountFeature
import CommentsFeature
import FeatureKit
import Foundation

extension ScreenModel {
  /// What a scenario sees of the state.
  var stateValue: StateValue { StateValue(reflecting: state) }

  /// Calls `observer` at once and after each change.
  func observeValues(_ observer: @escaping @MainActor (StateValue) -> Void) { observe { observer(StateValue(reflecting: $0)) } }

  /// Sends the input of this name.
  /// - Parameter argument: what the input is about. Several values of one input are divided by spaces. Rows whose identifiers are new each
  ///   time are named by their place, from 0.
  /// - Returns: whether there is such an input, and the argument is one for it.
  func send(named name: String, _ argument: String) -> Bool {
    var argument = argument
    if let rows = (self as? any RowNaming)?.rowIDs, let place = Int(argument) {
      // A row that is not there cannot be pressed.
      guard rows.indices.contains(place) else { return true }
      argument = rows[place]
    }
    if let input: Input = ScenarioInput.decode(name, argument) {
      send(input)
      return true
    }
    guard let page = self as? any PostListScreen, let input: PostList.Input = ScenarioInput.decode(name, argument) else { return false }
    page.send(input)
    return true
  }
}

/// A screen with rows that a scenario names by their place.
@MainActor private protocol RowNaming { var rowIDs: [String] { get } }

extension PurchasesViewModel: RowNaming {
  fileprivate var rowIDs: [String] { state.rows.map(\.id.uuidString) }
}

extension SessionsViewModel: RowNaming {
  fileprivate var rowIDs: [String] { state.rows.map(\.id) }
}

extension CommentsViewModel: RowNaming {
  fileprivate var rowIDs: [String] { state.comments.ids }
}

/// The forms that an input may have as JSON: without values; with one text or number; with a choice such as `all`; with two texts; with a
/// choice that says what of, such as `fanClub ID`.
private enum ScenarioInput {
  static func decode<Input: Decodable>(_ name: String, _ argument: String) -> Input? {
    let texts = argument.split(separator: " ", maxSplits: 1).map(String.init)
    let values: [[String: Any]] = [
      [:], ["_0": argument], Int(argument).map { ["_0": $0] }, ["_0": [argument: [:]]],
      texts.count == 2 ? ["_0": texts[0], "_1": texts[1]] : nil, texts.count == 2 ? ["_0": [texts[0]: ["_0": texts[1]]]] : nil,
    ].compactMap(\.self)
    return values.lazy.compactMap { value in
      guard let json = try? JSONSerialization.data(withJSONObject: [name: value]) else { return nil }
      return try? JSONDecoder().decode(Input.self, from: json)
    }.first
  }
}
