import Foundation
import XCTest

@testable import Gtk

final class LookTests: GtkTestCase {
  func testEverythingIsDrawnInLightAndDark() {
    MainActor.assumeIsolated {
      XCTAssertEqual(Theme.problems(in: Theme.styleSheet), [])
      Theme.install()
      for scheme in [Theme.Scheme.light, .dark] {
        Theme.use(scheme)
        let probe = Probe()
        let tabs = TabBar(
          [
            .init(0, title: "Home", icon: .home), .init(1, title: "Fan clubs", icon: .people),
            .init(2, title: "Bookmarks", icon: .bookmark),
            .init(3, title: "Account", icon: .person),
          ], name: "Pages")
        tabs.selected = 0
        let header = HeaderBar(title: tabs.root)
        header.addStart(Button(icon: .back, name: "Back"))
        header.addEnd(Button(icon: .refresh, name: "Refresh"))
        let react = Button(
          Box(.horizontal, spacing: 6) {
            Image(.heart); Label("12")
          }, name: "React", styles: [.flat, "quiet", "reaction"])
        react.isOn = true
        let bookmark = Button(
          Box(.horizontal, spacing: 6) {
            Image(.bookmark); Label("Bookmark")
          }, name: "Bookmark", styles: [.flat, "quiet"])
        let bookmarked = Button(icon: .bookmark, name: "Bookmark", styles: [.flat, "quiet"])
        bookmarked.isOn = true
        let badge = Label("Premium", styles: [.badge, "premium"])
        badge.horizontal = .start
        let save = Label("Save 20 %", styles: [.badge, "saving"])
        save.horizontal = .start
        let picture = Picture(fit: .cover)
        picture.setStyle("placeholder")
        let cover = RatioBox(ratio: 3, picture)
        cover.setStyle("cover")
        let card = Box(.vertical, styles: [.card]) {
          cover
          Box(.vertical, spacing: 8, margin: 18) {
            Label("An evening at the old cinema, and what we found behind the screen", styles: [.heading], wraps: true, lines: 2)
            Label("Velvet Row · 3 March 2026", styles: [.caption, .dim])
            Label(
              "The projector had not run for forty years. When it did, the first picture was a street we all knew, and nobody in it.",
              wraps: true, lines: 3)
            badge
            save
            Box(.horizontal, spacing: 6) {
              react; bookmark; bookmarked
            }
          }
        }
        let entry = Entry(placeholder: "you@example.org", name: "Email")
        let wrong = PasswordEntry(placeholder: "Password", name: "Password")
        wrong.isWrong = true
        let offer = Button(CenterBox(start: Label("Yearly"), end: Label("59,00 €", styles: ["price"])), name: "Yearly", styles: [.card])
        offer.isOn = true
        let bar = MessageBar()
        bar.message = "The bookmark could not be kept: the publication did not answer."
        bar.actionLabel = "Try again"
        let article = Label(styles: [.reading], wraps: true)
        article.setMarkup(
          Markup("An article's ") + Markup("text").bold + Markup(" with a ") + Markup("link").link(to: "https://example.org?a=1&b=2")
            + Markup(" and <raw> & other ") + Markup("signs").italic)
        let page = ScrolledWindow(
          Clamp(
            Box(.vertical, spacing: 12, margin: 18) {
              card
              Label("Title", styles: [.title])
              article
              entry
              wrong
              Label("This password is not right.", styles: [.error, .caption])
              Box(.horizontal, spacing: 12) {
                Button("Sign in", styles: [.suggested, .pill]); Button("Cancel", styles: [.pill]); Button("Delete", styles: [.destructive])
              }
              offer
            }))
        page.setStyle(.page)
        let window = Window(nil, title: "Gallery", width: 900, height: 980)
        window.titlebar(header)
        window.child(Overlay(page) { bar.root })
        window.present()
        MainLoop.run(upTo: 0.5)
        let data = window.png()
        XCTAssertNotNil(data)
        if let folder = ProcessInfo.processInfo.environment["MATINEE_PICTURES"] {
          try? data?.write(to: URL(fileURLWithPath: folder + "/gallery-\(scheme).png"))
        }
        probe.scope.close()
        window.destroy()
      }
      Theme.use(.desktop)
    }
  }
}
