import FeatureKit
import Testing

@Suite struct EmblemTests {
  @Test(arguments: [
    ("Rooftop & Sill", "RS"), ("the last row", "TR"), ("Film", "F"), ("9to5 News", "9N"), ("Élan vital", "ÉV"), ("Кино", "К"),
    ("映画 の友", "映の"), ("“Quoted”", "Q"), ("🎬", "🎬"), (" — ", "—"), ("", ""), ("ßeta", "S"),
  ])
  func aNameHasInitials(name: String, initials: String) {
    #expect(Emblem(name: name, id: "c").initials == initials)
  }

  @Test func aClubKeepsItsColorAndClubsDiffer() {
    #expect(Emblem(name: "Film", id: "film").tint == Emblem(name: "Another name", id: "film").tint)
    // The same in every version: people know their clubs by it.
    #expect(["film", "radio", "garden", "c1", ""].map { Emblem(name: "", id: $0).tint } == [3, 4, 4, 1, 5])
    let tints = (0..<400).map { Emblem(name: "", id: "club-\($0)").tint }
    for tint in 0..<Emblem.tints { #expect((25...75).contains(tints.count { $0 == tint })) }
  }
}
