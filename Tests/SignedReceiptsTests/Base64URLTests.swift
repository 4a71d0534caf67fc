import SignedReceipts
import Testing

@Suite struct Base64URLTests {
  @Test(
    arguments: [
      ("", []), ("AA", [0]), ("_w", [255]), ("__8", [255, 255]), ("-_-_", [251, 255, 191]), ("Zm9vYmFy", Array("foobar".utf8)),
    ] as [(String, [UInt8])])
  func roundTrips(text: String, bytes: [UInt8]) {
    #expect(Base64URL.encode(bytes) == text)
    #expect(Base64URL.decode(text) == bytes)
  }

  @Test(arguments: ["A", "AA==", "AAA=", "A+", "A/", "A A", "AB", "AAB", "AAAAA", "Ä", "AA\n"])
  func oneTextForEachSequenceOfBytes(text: String) { #expect(Base64URL.decode(text) == nil) }

  @Test func everyByteAtEveryPlace() {
    for length in 0..<7 {
      for byte in 0...255 {
        let bytes = [UInt8](repeating: UInt8(byte), count: length)
        #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      }
    }
  }
}
