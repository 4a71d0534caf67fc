import FeatureKit

/// The version of the app, and what it is made of. Isolated to the main actor.
@MainActor public final class AboutViewModel: ScreenModel {
  /// A library that the app uses.
  public struct Library: Equatable, Sendable {
    /// The library's name, as its makers write it.
    public let name: String
    /// The version of the one that runs, as it says itself.
    public let version: String

    /// A library of that name, in the version that runs.
    public init(_ name: String, _ version: String) { (self.name, self.version) = (name, version) }
  }

  /// Everything the sheet shows.
  public struct State: Equatable, Sendable {
    /// The app's version, as `A.B.C (builds.ci.githash)`.
    public var version: String
    /// The license's name.
    public let license = "Apache License 2.0"
    /// Its identifier in the SPDX list.
    public let licenseID = "Apache-2.0"
    /// What the app is made of.
    public var libraries: [Library]
    /// The path of the folder with the data; `nil` where nothing is kept on a disk.
    public var dataFolder: String?
    /// The project's page on the web; `nil` where it has none.
    public var homepage: String?

    /// - Parameters:
    ///   - version: `A.B.C (builds.ci.githash)`.
    ///   - libraries: what the app is made of.
    ///   - dataFolder: the path of the folder with the data; `nil` where nothing is kept on a disk.
    ///   - homepage: the project's page on the web, where problems are reported at `/issues`; `nil` where it has none.
    public init(version: String, libraries: [Library] = [], dataFolder: String? = nil, homepage: String? = nil) {
      self.version = version
      self.libraries = libraries
      self.dataFolder = dataFolder
      self.homepage = homepage
    }
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Open a page in the browser.
    case openWeb(String)
    /// Open a folder, by its path.
    case openFolder(String)
    /// Close the sheet.
    case close
  }

  /// What the person did.
  public enum Input: Codable, Equatable, Sendable {
    /// The person wants to read the license.
    case licenseTapped
    /// The person wants to see the files.
    case folderTapped
    /// The person wants to see the project's page.
    case homepageTapped
    /// The person reports a problem.
    case reportTapped
    /// The person has read it.
    case closeTapped
  }

  /// The single source of truth.
  @ViewState public private(set) var state: State
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let output: @MainActor (Output) -> Void

  /// - Parameters:
  ///   - state: what there is to say.
  ///   - output: called with what the coordinator is to do.
  public init(_ state: State, output: @escaping @MainActor (Output) -> Void) {
    self.state = state
    self.output = output
  }

  /// Handles an input of the person.
  public func send(_ input: Input) {
    switch input {
    case .licenseTapped: output(.openWeb("https://www.apache.org/licenses/LICENSE-2.0"))
    case .folderTapped: if let folder = state.dataFolder { output(.openFolder(folder)) }
    case .homepageTapped: if let page = state.homepage { output(.openWeb(page)) }
    case .reportTapped: if let page = state.homepage { output(.openWeb(page + "/issues")) }
    case .closeTapped: output(.close)
    }
  }
}
