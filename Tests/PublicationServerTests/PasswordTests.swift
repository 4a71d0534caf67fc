import Testing

@testable import PublicationServer

@Suite struct PasswordTests {
  @Test func aPasswordMatchesItsOwnHashAlone() throws {
    let hash = try PasswordHash(of: "pässword", cost: .standard)
    #expect(hash.text.hasPrefix("scrypt$15$8$1$"))
    #expect(try hash.matches("pässword"))
    #expect(try PasswordHash(text: hash.text).matches("pässword"))
    for other in ["passwort", "pässword ", "", "p\u{61}\u{308}ssword"] { #expect(try hash.matches(other) == false) }
    #expect(try PasswordHash(of: "pässword", cost: .none).text != hash.text)
    #expect(try PasswordHash(of: "a", cost: .none) != PasswordHash(of: "a", cost: .none))
  }

  @Test func aHashOfNothingMatchesNothing() throws {
    let hash = try PasswordHash(ofNothing: .none)
    for password in ["", "x"] { #expect(try hash.matches(password) == false) }
  }

  /// RFC 7914, section 12, the third vector: its first 32 bytes.
  @Test func itIsScrypt() throws {
    let salt = "U29kaXVtQ2hsb3JpZGU"  // SodiumChloride
    let key = "cCO9yzr9c0hGHAbNgf046_2o-7qQT44-qbVD9lRdofI"
    #expect(try PasswordHash(text: "scrypt$14$8$1$\(salt)$\(key)").matches("pleaseletmein"))
  }

  @Test(arguments: ["", "plain", "scrypt$15$8$1$AAAA", "scrypt$99$8$1$AAAA$AAAA", "bcrypt$15$8$1$AAAA$AAAA", "scrypt$15$8$1$!$!"])
  func whatIsNoHash(text: String) {
    #expect(throws: PasswordHash.Unreadable.self) { try PasswordHash(text: text) }
  }
}
