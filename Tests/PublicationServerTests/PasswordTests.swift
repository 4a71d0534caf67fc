import Testing

@testable import PublicationServer

@Suite struct PasswordTests {
  @Test func aPasswordMatchesItsOwnHashAlone() throws {
    let hash = try PasswordHash(of: "pässword", cost: .standard)
    #expect(hash.text.hasPrefix("scrypt-nfc$15$8$1$"))
    #expect(try hash.matches("pässword"))
    #expect(try PasswordHash(text: hash.text).matches("pässword"))
    for other in ["passwort", "pässword ", ""] { #expect(try hash.matches(other) == false) }
    #expect(try PasswordHash(of: "pässword", cost: .none).text != hash.text)
    #expect(try PasswordHash(of: "a", cost: .none) != PasswordHash(of: "a", cost: .none))
  }

  @Test func aHashOfNothingMatchesNothing() throws {
    let hash = PasswordHash(ofNothing: .none)
    for password in ["", "x"] { #expect(try hash.matches(password) == false) }
  }

  private static let composed = "p\u{E4}ssword"
  private static let decomposed = "p\u{61}\u{308}ssword"
  /// Of the decomposed form, by another program.
  private static let salted = "$1$1$1$AAECAwQFBgcICQoLDA0ODw$BaJCWOkiRXDwcA9o6P8jP5mUdAgEnZ3WxtZ9p9TcNKM"

  /// Swift takes the two forms for the same text.
  @Test func bothFormsOfAPasswordAreTheSame() throws {
    for password in [Self.composed, Self.decomposed] {
      let hash = try PasswordHash(of: password, cost: .none)
      for typed in [Self.composed, Self.decomposed] { #expect(try hash.matches(typed)) }
      #expect(try PasswordHash(text: hash.text).text == hash.text)
    }
  }

  /// As version 0.1.0 wrote it. Each try costs one hash, in whichever form it comes.
  @Test func anOldHashIsOfWhatWasTyped() throws {
    let old = try PasswordHash(text: "scrypt" + Self.salted)
    #expect(old.text == "scrypt" + Self.salted)
    #expect(try old.matches(Self.decomposed))
    #expect(try old.matches(Self.composed) == false)
    // What is in NFC is compared in no other form.
    let new = try PasswordHash(text: "scrypt-nfc" + Self.salted)
    for typed in [Self.composed, Self.decomposed] { #expect(try new.matches(typed) == false) }
  }

  /// RFC 7914, section 12, the third vector: its first 32 bytes.
  @Test func itIsScrypt() throws {
    let salt = "U29kaXVtQ2hsb3JpZGU"  // SodiumChloride
    let key = "cCO9yzr9c0hGHAbNgf046_2o-7qQT44-qbVD9lRdofI"
    #expect(try PasswordHash(text: "scrypt$14$8$1$\(salt)$\(key)").matches("pleaseletmein"))
  }

  @Test(arguments: ["", "plain", "scrypt$15$8$1$AAAA", "scrypt$99$8$1$AAAA$AAAA", "bcrypt$15$8$1$AAAA$AAAA", "scrypt$15$8$1$!$!"])
  func whatIsNoHash(text: String) {
    #expect(throws: PasswordHash.Failure.self) { try PasswordHash(text: text) }
  }
}
