import Foundation
import TestSupport

/// The code that a page of a documentation catalogue shows: what is compiled is what people read.
enum Listing {
  static let catalogue = Checkout.root.appending(path: "Sources/Cores/PurchaseService/PurchaseService.docc")

  /// The Swift listings of a page, in order.
  static func all(on page: String) throws -> [String] {
    let text = try String(contentsOf: catalogue.appending(path: page + ".md"), encoding: .utf8)
    return text.matches(of: /(?s)```swift\n(.*?)```/).map { String($0.output.1) }
  }
}
