/// Which build this is. The changing half is generated into this target alone, so that a commit rebuilds only this leaf.
public enum Build {
  /// Who the app is, everywhere: application id, bus name, secret schema, program name, and the names of its files under `data/`.
  public static let identity = "app.matinee.Matinee"

  /// The release, `A.B.C`. The one place where it is written.
  public static let release = "0.1.0"

  /// The whole version: `A.B.C (builds.ci.githash)`, where `builds` counts the commits, `ci` is the number of the CI run (0 on
  /// a developer's machine) and the hash is `unknown` when the sources are not in a git checkout.
  public static var version: String { "\(release) (\(GeneratedBuildInfo.build))" }
}
