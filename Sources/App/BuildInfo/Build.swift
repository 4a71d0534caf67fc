/// Which build this is. The changing half is generated into this target alone, so that a commit rebuilds only this leaf.
public enum Build {
  /// The release, `A.B.C`. The one place where it is written.
  public static let release = "0.2.0"

  /// The whole version: `A.B.C (builds.ci.githash)`, where `builds` counts the commits, `ci` is the number of the CI run (0 on
  /// a developer's machine) and the hash is `unknown` when the sources are not in a git checkout.
  public static var version: String { "\(release) (\(GeneratedBuildInfo.build))" }
}
