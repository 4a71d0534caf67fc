import Foundation
import XCTest

@testable import Gtk

final class LookTests: GtkTestCase {
  /// With MATINEE_PICTURES set to a folder, what was drawn is kept there to be looked at.
  func testEverythingIsDrawnInLightAndDarkAndReleased() {
    MainActor.assumeIsolated {
      Theme.install()
      settle()
      var pictures: [Data?] = []
      for scheme in [Theme.Scheme.light, .dark] {
        Theme.use(scheme)
        leavesNothing {
          let gallery = Gallery()
          let window = Window(nil, title: "Gallery", width: 900, height: 1000)
          window.titlebar(gallery.header)
          window.child(gallery.root)
          window.present()
          settle(0.5)
          pictures.append(window.png())
          gallery.showSheet()
          settle(0.2)
          pictures.append(window.png())
          window.destroy()
        }
      }
      Theme.use(.desktop)
      XCTAssertEqual(Set(pictures.compactMap { $0 }).count, 4)
      if let folder = ProcessInfo.processInfo.environment["MATINEE_PICTURES"] {
        for (number, picture) in pictures.enumerated() {
          try? picture?.write(to: URL(fileURLWithPath: "\(folder)/gallery-\(number).png"))
        }
      }
    }
  }
}

/// One of each kind, as screens put them together.
@MainActor private final class Gallery: View {
  let scope = Scope()
  var root: Widget { overlay }
  let header: HeaderBar

  private let overlay: Overlay
  private let host: SheetHost
  private let bar = MessageBar()
  private let tabs = TabBar(
    [
      .init(0, title: "Home", icon: .home), .init(1, title: "Fan clubs", icon: .people), .init(2, title: "Bookmarks", icon: .bookmark),
      .init(3, title: "Account", icon: .person),
    ], name: "Pages")

  init() {
    tabs.selected = 0
    header = HeaderBar(title: tabs.root)
    header.addStart(Button(icon: .back, name: "Back"))
    header.addEnd(Button(icon: .refresh, name: "Refresh"))
    header.addEnd(MenuButton(icon: .menu, name: "Menu", popover: Popover(Button("Sign out", styles: [.flat]))))
    let page = ScrolledWindow(
      Clamp(
        Box(
          .vertical, spacing: 12, margin: 18,
          children: [Self.card(), Label("Title", styles: [.title]), Self.article(), Self.form(), Self.offer(), Self.indicators()])))
    page.setStyle(.page)
    host = SheetHost(page)
    overlay = Overlay(host.root, above: [bar.root])
    bar.message = "The bookmark could not be kept: the publication did not answer."
    bar.actionLabel = "Try again"
    page.addShortcut("F5", self) { $0.bar.message = "Refreshed" }
  }

  func showSheet() {
    bar.message = nil
    host.present(
      Box(
        .vertical, spacing: 12,
        children: [
          Label("Premium, one year", styles: [.heading]),
          Box(.horizontal, spacing: 12, children: [Label("Total"), Label("59,00 €", styles: ["price"])]), Separator(),
          Button("Pay", styles: [.suggested, .pill]), Button("Cancel", styles: [.flat]),
        ]), name: "Payment")
  }

  private static func card() -> Widget {
    let react = Button(
      Box(.horizontal, spacing: 6, children: [Image(.heart), Label("12")]), name: "React, 12 reactions",
      styles: [.flat, "quiet", "reaction"])
    react.isOn = true
    let bookmark = Button(icon: .bookmark, name: "Bookmark", styles: [.flat, "quiet"])
    let badge = Label("Premium", styles: [.badge, "premium"])
    badge.vertical = .center
    let picture = Picture(Texture.decode(AbsenceTests.png), fit: .cover, description: "A red curtain")
    picture.setStyle("placeholder")
    let cover = RatioBox(ratio: 4, picture)
    cover.setStyle("cover")
    return Box(
      .vertical, styles: [.card],
      children: [
        cover,
        Box(
          .vertical, spacing: 8, margin: 18,
          children: [
            Label("An evening at the old cinema, and what we found behind the screen", styles: [.heading], wraps: true, lines: 2),
            Label("Velvet Row · 3 March 2026", styles: [.caption, .dim]),
            Label(
              "The projector had not run for forty years. When it did, the first picture was a street we all knew.", wraps: true, lines: 3),
            Box(.horizontal, spacing: 6, children: [react, bookmark, badge]),
          ]),
      ])
  }

  private static func article() -> Widget {
    let article = Label(styles: [.reading], wraps: true)
    article.setMarkup(
      Markup("An article's ") + Markup("text").bold + Markup(" with a ") + Markup("link").link(to: "https://example.org?a=1&b=2")
        + Markup(" and <raw> & other ") + Markup("signs").italic)
    return article
  }

  private static func form() -> Widget {
    let wrong = PasswordEntry(placeholder: "Password", name: "Password")
    wrong.isWrong = true
    return Box(
      .vertical, spacing: 8,
      children: [
        Entry(placeholder: "you@example.org", name: "Email"), wrong, Label("This password is not right.", styles: [.error, .caption]),
        Box(
          .horizontal, spacing: 12,
          children: [
            Button("Sign in", styles: [.suggested, .pill]), Button("Cancel", styles: [.pill]), Button("Delete", styles: [.destructive]),
          ]),
      ])
  }

  private static func offer() -> Widget {
    let offer = Button(
      Box(
        .horizontal, spacing: 12,
        children: [Label("Yearly"), Label("Save 20 %", styles: [.badge, "saving"]), Label("59,00 €", styles: ["price"])]),
      name: "Yearly, 59,00 €", styles: [.card])
    offer.isOn = true
    return offer
  }

  private static func indicators() -> Widget {
    let progress = ProgressBar(name: "Import")
    progress.fraction = 2
    progress.fraction = 0.4
    let stack = Stack(crossfades: true)
    stack.add(Spinner(name: "Loading"), name: "loading")
    stack.add(Label("Nothing here yet"), name: "empty")
    stack.show("empty")
    let slide = Slide(Label("More"), from: .bottom)
    slide.isRevealed = true
    return Box(.vertical, spacing: 6, children: [progress, stack, slide])
  }
}
