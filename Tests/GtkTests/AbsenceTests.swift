import CGtk
import XCTest

@testable import Gtk

/// What of the wrapper has no answer: where input of a publication, a reader or a desktop makes the toolkit return NULL or refuse. A NULL
/// that no input can bring about is `CheckedTests`'.
final class AbsenceTests: GtkTestCase {
  func testBytesThatAreNoPicture() {
    XCTAssertNil(Texture.decode(Data()))
    XCTAssertNil(Texture.decode(Data("not a picture".utf8)))
    XCTAssertNil(Texture.decode(Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])))
    let png = Self.png
    XCTAssertNotNil(Texture.decode(png))
    XCTAssertNil(Texture.decode(png.prefix(png.count / 4)))
    XCTAssertNil(Texture.decode(png.prefix(20)))
  }

  func testPictureThatClaimsToBeHuge() {
    var bytes = Self.png
    // Width and height stand at 16 and 20; the check sum of that chunk at 29 is not looked at before the size.
    bytes.replaceSubrange(16..<24, with: [0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0xFF])
    XCTAssertNil(Texture.decode(bytes))
    XCTAssertNil(Texture.decode(Data("P6 60000 60000 255\n".utf8) + Data(repeating: 7, count: 4096)))
    // A drawing can be small and take for ever.
    let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"><rect width=\"8\" height=\"8\"/></svg>"
    for text in [drawing, "\u{FEFF} \n" + drawing, "<?xml version=\"1.0\"?>" + drawing] { XCTAssertNil(Texture.decode(Data(text.utf8))) }
    XCTAssertNil(Texture.decode(Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])))
    XCTAssertEqual(Texture.decode(Data(drawing.utf8), drawings: true)?.width, 8)
  }

  func testPictureIsScaledWhileItIsDecoded() {
    let header = Data("P6 400 100 255\n".utf8)
    let data = header + Data(repeating: 200, count: 400 * 100 * 3)
    let whole = Texture.decode(data)
    XCTAssertEqual(whole?.width, 400)
    let small = Texture.decode(data, covering: (100, 25))
    XCTAssertEqual(small?.width, 100)
    XCTAssertEqual(small?.height, 25)
    XCTAssertEqual(Texture.decode(data, covering: (1000, 1000))?.width, 400)
    XCTAssertEqual(Texture.decode(Data("P6 4000 1 255\n".utf8) + Data(repeating: 9, count: 12000), covering: (10, 10))?.height, 1)
    // All of a place that is taller than the picture is covered, and a picture without end is not kept for it.
    XCTAssertEqual(Texture.decode(data, covering: (50, 50))?.height, 50)
    XCTAssertEqual(Texture.decode(Data("P6 4000 1 255\n".utf8) + Data(repeating: 9, count: 12000), covering: (10, 10))?.width, 40)
  }

  func testTextureMadeAndReleasedElsewhere() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let data = Self.png
      Task.detached {
        var textures = (0..<20).map { _ in Texture.decode(data) }
        let stored = textures.last ?? nil
        textures.removeAll()
        await MainActor.run {
          let picture = Picture(stored, fit: .cover, description: "Square")
          picture.texture = stored
          picture.texture = nil
          probe.events.append("done")
        }
      }
      XCTAssertTrue(MainLoop.run(upTo: 10) { probe.events == ["done"] })
    }
  }

  func testBrandIsDrawnAtTheSizeAskedFor() {
    MainActor.assumeIsolated { XCTAssertEqual(Texture.brand(side: 96)?.width, 96) }
  }

  func testIconThatNoThemeHas() {
    MainActor.assumeIsolated {
      XCTAssertFalse(Icon("no-such-icon-anywhere").isAvailable)
      let icons: [Icon] = [
        .back, .refresh, .close, .heart, .bookmark, .lock, .unlocked, .home, .people, .person, .offline, .failed, .empty, .done, .menu,
        .information, .noPicture,
      ]
      XCTAssertEqual(icons.filter { !$0.isAvailable }.map(\.name), [])
      let window = shown(Image(Icon("no-such-icon-anywhere"), size: .small))
      settle()
      window.destroy()
    }
  }

  func testStackWithoutThatChild() {
    MainActor.assumeIsolated {
      let stack = Stack()
      XCTAssertNil(stack.visibleName)
      XCTAssertFalse(stack.show("none"))
      XCTAssertFalse(stack.remove(name: "none"))
      let page = Label("Page")
      XCTAssertTrue(stack.add(page, name: "page"))
      XCTAssertFalse(stack.add(Label("Other"), name: "page"))
      XCTAssertEqual(stack.visibleName, "page")
      XCTAssertFalse(stack.show("none"))
      XCTAssertEqual(stack.visibleName, "page")
      stack.remove(Label("Stranger"))
      stack.remove(page)
      stack.remove(page)
      XCTAssertNil(stack.visibleName)
    }
  }

  func testChildrenThatAreNotThere() {
    MainActor.assumeIsolated {
      let stranger = Label("Stranger")
      let box = Box()
      box.remove(stranger)
      box.removeAll()
      box.append(stranger)
      box.replaceAll([Label("Other")])
      let overlay = Overlay(Label("Below"))
      overlay.remove(stranger)
      let bar = HeaderBar()
      bar.remove(stranger)
      bar.addEnd(stranger)
      bar.remove(stranger)
      let clamp = Clamp(Label("Child"))
      clamp.child(nil)
      let scrolled = ScrolledWindow()
      scrolled.child(nil)
      XCTAssertEqual(scrolled.position, 0)
    }
  }

  func testTextsThatAreNotThere() {
    MainActor.assumeIsolated {
      XCTAssertNil(string(nil))
      XCTAssertNil(takenString(nil))
      let button = Button(icon: .heart, name: "React")
      XCTAssertEqual(button.label, "")
      button.tooltip = nil
      XCTAssertNil(button.tooltip)
      let window = Window(nil, title: "Title")
      window.child(nil)
      window.titlebar(nil)
      XCTAssertEqual(window.title, "Title")
      window.destroy()
    }
  }

  func testDrawingWhatIsNotShown() {
    MainActor.assumeIsolated {
      XCTAssertNil(Label("Nowhere").png())
      let window = Window(nil, title: "Title")
      XCTAssertNil(window.png())
      window.destroy()
      let empty = Box()
      empty.setMinimumSize(width: 10, height: 10)
      let shownWindow = shown(empty)
      XCTAssertNotNil(shownWindow.png(scale: 2))
      XCTAssertNil(shownWindow.png(scale: 0))
      shownWindow.destroy()
    }
  }

  func testAddressesThatAreNotOpened() {
    MainActor.assumeIsolated {
      for address in [
        "", "no address", "file:///etc/passwd", "javascript:alert(1)", "matinee://posts/1", "//example.org", "data:text/html,x",
      ] {
        XCTAssertFalse(Toolkit.open(address), address)
      }
    }
  }

  func testApplicationIDThatNoDesktopAccepts() {
    MainActor.assumeIsolated {
      for id in ["", "matinee", "no spaces.please", ".app"] {
        do throws(Application.Failure) {
          _ = try Application(id: id, instance: .own)
          XCTFail(id)
        } catch {
          XCTAssertEqual(error, .invalidID(id))
        }
      }
    }
  }

  func testStyleSheets() {
    MainActor.assumeIsolated {
      XCTAssertEqual(Theme.problems(in: Theme.styleSheet), [])
      XCTAssertFalse(Theme.styleSheet.isEmpty)
      let usual = Theme.styleSheet(isHighContrast: false)
      XCTAssertEqual(Theme.problems(in: usual), [])
      XCTAssertTrue(Theme.styleSheet(isHighContrast: true).hasPrefix(usual))
      XCTAssertGreaterThan(Theme.styleSheet(isHighContrast: true).count, usual.count + 100)
      for name in ["HighContrast", "HighContrastInverse", "Adwaita:hc", "Adwaita:hc-dark", "Default-hc"] {
        XCTAssertTrue(Theme.isHighContrast(theme: name), name)
      }
      for name in ["", "Adwaita", "Adwaita:dark", "hc", "Orchis", "Witch-craft"] { XCTAssertFalse(Theme.isHighContrast(theme: name), name) }
      XCTAssertEqual(Theme.problems(in: "label { colour: red; }").count, 1)
      XCTAssertTrue(Theme.install())
      XCTAssertTrue(Theme.install())
    }
  }

  /// A red square, 4 by 4.
  static let png = Data(
    base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR4nGP4z8AARwzEcQCukw/x0F8jngAAAABJRU5ErkJggg==")!
}
