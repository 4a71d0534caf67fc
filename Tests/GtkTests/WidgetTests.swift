import CGtk
import XCTest

@testable import Gtk

final class WidgetTests: GtkTestCase {
  func testATooltipIsAskedForWhenItShows() {
    MainActor.assumeIsolated {
      let button = Button(icon: .heart, name: "React")
      // The toolkit's own would ask the X server where the pointer is each time that one is set.
      XCTAssertNil(gtk_widget_get_tooltip_text(button.widget))
      let tooltip = checked(g_object_new_with_properties(gtk_tooltip_get_type(), 0, nil, nil))
      defer { g_object_unref(tooltip) }
      @MainActor func shows() -> Bool {
        var (widget, arguments) = (GValue(), [GValue](repeating: GValue(), count: 5))
        g_value_init(&arguments[0], gtk_widget_get_type())
        g_value_set_object(&arguments[0], button.widget)
        for place in 1...2 { g_value_init(&arguments[place], GType(24)) }
        g_value_init(&arguments[3], GType(20))
        g_value_init(&arguments[4], gtk_tooltip_get_type())
        g_value_set_object(&arguments[4], tooltip)
        g_value_init(&widget, GType(20))
        g_signal_emitv(&arguments, g_signal_lookup("query-tooltip", gtk_widget_get_type()), 0, &widget)
        return g_value_get_boolean(&widget) != 0
      }
      XCTAssertTrue(shows())
      button.tooltip = "Love"
      XCTAssertEqual(button.tooltip, "Love")
      XCTAssertTrue(shows())
      button.tooltip = nil
      XCTAssertNil(button.tooltip)
      XCTAssertFalse(shows())
      XCTAssertEqual(gtk_widget_get_has_tooltip(button.widget), 0)
    }
  }

  func testClampKeepsLinesShortAndCentered() {
    MainActor.assumeIsolated {
      let text = Label(String(repeating: "word ", count: 400), wraps: true)
      let clamp = Clamp(maximumWidth: 500, text)
      let window = shown(ScrolledWindow(clamp), width: 1000)
      settle()
      XCTAssertEqual(text.width, 500)
      XCTAssertEqual(clamp.width, window.width)
      XCTAssertEqual(text.height, clamp.height)
      window.destroy()
      let narrow = shown(ScrolledWindow(Clamp(maximumWidth: 500, Label("short", wraps: true))), width: 300)
      XCTAssertLessThanOrEqual(narrow.width, 300)
      narrow.destroy()
    }
  }

  func testABoxFilledWhileItsPageIsCoveredGetsRoomForLinesThatWrap() {
    MainActor.assumeIsolated {
      let list = Box(.vertical)
      let stack = Stack()
      stack.add(Label("waiting"), name: "waiting")
      stack.add(Box(.vertical, children: [list]), name: "list")
      let sheet = Box(.vertical, children: [stack])
      sheet.vertical = .center
      let window = shown(Clamp(maximumWidth: 200, sheet), width: 600)
      settle()
      let text = Label(String(repeating: "word ", count: 30), wraps: true)
      text.expandsHorizontally = true
      list.replaceAll([Box(.horizontal, spacing: 8, children: [Image(.done), text])])
      stack.show("list")
      settle()
      XCTAssertGreaterThan(text.height, 60)
      XCTAssertGreaterThanOrEqual(list.height, text.height)
      window.destroy()
    }
  }

  func testTextIsPutIntoTheClipboard() throws {
    try MainActor.assumeIsolated {
      let window = shown(Label("Text"))
      window.copyToClipboard("https://example.org/ä?b=1")
      let content = try XCTUnwrap(gdk_clipboard_get_content(gtk_widget_get_clipboard(window.widget)))
      var value = GValue()
      g_value_init(&value, GType(16 << 2))  // G_TYPE_STRING, a macro that Swift does not see
      XCTAssertNotEqual(gdk_content_provider_get_value(content, &value, nil), 0)
      XCTAssertEqual(string(g_value_get_string(&value)), "https://example.org/ä?b=1")
      g_value_unset(&value)
      window.destroy()
    }
  }

  func testRatioBoxFollowsItsWidth() {
    MainActor.assumeIsolated {
      let box = RatioBox(ratio: 2, Picture())
      let window = shown(Box(.vertical, children: [box]), width: 600)
      XCTAssertEqual(box.height, (box.width + 1) / 2)
      window.destroy()
    }
  }

  func testClicksReportAndChangeNothing() {
    MainActor.assumeIsolated {
      Theme.install()
      let probe = Probe()
      let heart = Button(icon: .heart, name: "React")
      heart.onClicked(probe) { $0.events.append("heart") }
      let tabs = TabBar([.init(1, title: "One", icon: .home), .init(2, title: "Two", icon: .person)], name: "Pages")
      tabs.selected = 1
      tabs.onSelected = { probe.events.append("tab \($0)") }
      let window = shown(
        Box(.vertical, children: [heart, tabs.root]))
      settle()
      let before = window.png()
      for _ in 0..<10 { heart.click() }
      tabs.click(2)
      settle()
      XCTAssertNotNil(before)
      XCTAssertEqual(window.png(), before)
      XCTAssertEqual(probe.events, Array(repeating: "heart", count: 10) + ["tab 2"])
      heart.isOn = true
      tabs.selected = 2
      settle()
      XCTAssertNotEqual(window.png(), before)
      heart.isSensitive = false
      heart.click()
      XCTAssertEqual(probe.events.count, 11)
      probe.scope.close()
      window.destroy()
    }
  }

  func testASwitchShowsOnlyWhatItIsSetTo() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let control = Switch(name: "New posts")
      control.onToggled(probe) { $0.events.append("toggled") }
      let window = shown(Box(.vertical, children: [control]))
      settle()
      control.click()
      XCTAssertEqual(probe.events, ["toggled"])
      XCTAssertEqual(gtk_switch_get_active(control.opaque), 0, "a click changes nothing by itself")
      control.isOn = true
      XCTAssertEqual(gtk_switch_get_active(control.opaque), 1)
      XCTAssertEqual(probe.events, ["toggled"])
      probe.scope.close()
      window.destroy()
    }
  }

  func testATextAreaReportsOnlyTyping() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let area = TextArea(placeholder: "Write", name: "Words")
      area.onChanged(probe) { $0.events.append($1) }
      area.text = "set"
      XCTAssertEqual(area.text, "set")
      XCTAssertEqual(probe.events, [])
      let window = shown(Box(.vertical, children: [area]))
      settle()
      area.focusText()
      XCTAssertTrue(area.hasFocus)
      area.text = "nul\0within"
      XCTAssertEqual(area.text, "nul\u{FFFD}within")
      XCTAssertEqual(probe.events, [])
      probe.scope.close()
      window.destroy()
    }
  }

  func testWhatIsTooWideScrollsSidewaysAtItsOwnHeight() {
    MainActor.assumeIsolated {
      let code = Label(String(repeating: "wide ", count: 80) + "\none\ntwo\nthree")
      let scroller = WideScroller(code)
      let window = shown(Box(.vertical, children: [scroller]), width: 300)
      settle()
      XCTAssertLessThanOrEqual(scroller.width, 320)
      XCTAssertGreaterThan(code.width, scroller.width)
      XCTAssertGreaterThanOrEqual(scroller.height, code.height)
      window.destroy()
    }
  }

  func testEntriesReportOnlyTyping() {
    MainActor.assumeIsolated {
      let probe = Probe()
      for entry in [Entry(name: "Name"), PasswordEntry(name: "Password")] as [TextEntry] {
        entry.onChanged(probe) { $0.events.append($1) }
        entry.onSubmit(probe) { $0.events.append("submitted") }
        entry.text = "set"
        XCTAssertEqual(entry.text, "set")
        entry.type("typed")
        entry.isWrong = true
        XCTAssertTrue(entry.hasStyle(.error))
      }
      XCTAssertEqual(probe.events, ["", "typed", "", "typed"])
    }
  }

  func testAbsentOwnerIsNotCalled() {
    MainActor.assumeIsolated {
      let button = Button("Press")
      weak var gone: Probe?
      autoreleased {
        let probe = Probe()
        gone = probe
        button.onClicked(probe) { $0.events.append("clicked") }
      }
      XCTAssertNil(gone)
      button.click()
    }
  }

  func testConnectionsOfAClosedScopeEndAtOnce() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let button = Button("Press")
      probe.scope.close()
      button.onClicked(probe) { $0.events.append("clicked") }
      button.click()
      XCTAssertEqual(probe.events, [])
      XCTAssertEqual(probe.scope.count, 0)
    }
  }

  func testAClosureMayEndItsOwnScope() {
    MainActor.assumeIsolated {
      let signals = Diagnostics.liveSignals
      let probe = Probe()
      let button = Button("Press")
      button.onClicked(probe) {
        $0.events.append("clicked")
        $0.scope.close()
      }
      button.click()
      button.click()
      XCTAssertEqual(probe.events, ["clicked"])
      XCTAssertEqual(Diagnostics.liveSignals, signals)
    }
  }

  func testShortcutsEndWithTheirScope() {
    MainActor.assumeIsolated {
      let signals = Diagnostics.liveSignals
      let probe = Probe()
      let label = Label("Page")
      XCTAssertNotNil(label.addShortcut("F5", probe) { $0.events.append("F5") })
      XCTAssertNotNil(label.addShortcut("<Alt>Left", probe) { $0.events.append("back") })
      XCTAssertNil(label.addShortcut("no such key", probe) { _ in })
      let window = shown(label)
      XCTAssertEqual(probe.scope.count, 2)
      probe.scope.close()
      XCTAssertEqual(Diagnostics.liveSignals, signals)
      window.destroy()
    }
  }

  func testSpinnerRestsWhileItIsNotOnScreen() {
    MainActor.assumeIsolated {
      let spinner = Spinner(name: "Loading")
      let stack = Stack()
      stack.add(Box(.vertical, children: [spinner]), name: "loading")
      stack.add(Label("Rows"), name: "rows")
      XCTAssertFalse(spinner.isTurning)
      let window = shown(stack)
      XCTAssertTrue(spinner.isTurning)
      stack.show("rows")
      settle()
      XCTAssertFalse(spinner.isTurning)
      XCTAssertTrue(spinner.isSpinning)
      stack.show("loading")
      settle()
      XCTAssertTrue(spinner.isTurning)
      window.destroy()
    }
  }

  /// The next Enter would press it.
  func testAStackHandsTheKeyboardToNoButtonOfTheNextChild() {
    MainActor.assumeIsolated {
      let (again, remove) = (Button("Try again"), Button("Remove feed…"))
      let stack = Stack()
      stack.add(again, name: "status")
      stack.add(Box(.vertical, children: [remove]), name: "page")
      let window = shown(stack)
      again.focus()
      XCTAssertFalse(Stack.holdsKeyboard(in: window))
      stack.show("page")
      settle()
      XCTAssertFalse(remove.hasFocus)
      XCTAssertTrue(Stack.holdsKeyboard(in: window))
      remove.focus()
      XCTAssertFalse(Stack.holdsKeyboard(in: window))
      window.destroy()
    }
  }

  func testSheetGivesTheKeyboardBack() {
    MainActor.assumeIsolated {
      let first = Button("First")
      let unlock = Button("Unlock")
      let host = SheetHost(
        Box(.vertical, children: [first, unlock]))
      let window = shown(host.root)
      unlock.focus()
      let sheet = Button("Pay")
      host.present(sheet, name: "Payment")
      settle()
      XCTAssertTrue(sheet.hasFocus)
      host.present(Button("Cancel"), name: "Paywall")
      host.dismiss()
      settle()
      XCTAssertTrue(unlock.hasFocus)
      window.destroy()
    }
  }

  /// The toolkit's delay of a tooltip outlives the surface that it asks where the pointer is, when the machine is too busy for the pointer's
  /// way out to be heard of before.
  func testNoTooltipOutlivesWhatItIsFor() throws {
    try MainActor.assumeIsolated {
      @MainActor func wait(over widget: Widget) {
        XCTAssertTrue(
          MainLoop.run(upTo: 5) { gtk_widget_get_state_flags(widget.widget).rawValue & GTK_STATE_FLAG_PRELIGHT.rawValue != 0 })
      }
      @MainActor func letTheDelayPass() {
        usleep(700_000)
        MainLoop.run(upTo: 0.5)
      }
      let page = Box(.vertical)
      let window = shown(page)
      window.maximize()
      MainLoop.run(upTo: 5) { window.isMaximized && page.height > 0 }
      settle()
      let surface = try XCTUnwrap(gtk_native_get_surface(OpaquePointer(window.widget)))
      let seat = try XCTUnwrap(gdk_display_get_default_seat(gtk_widget_get_display(window.widget)))
      for isPageHidden in [false, true] {
        let choice = Button("Love")
        choice.setMinimumSize(width: 200, height: 200)
        choice.tooltip = "Love"
        let popover = Popover(choice)
        var (x, y) = (0.0, 0.0)
        gdk_surface_get_device_position(surface, try XCTUnwrap(gdk_seat_get_pointer(seat)), &x, &y, nil)
        popover.open(in: page, at: (x, y - 80), of: page)
        wait(over: choice)
        withExtendedLifetime(popover) {
          if isPageHidden { page.isVisible = false } else { popover.close() }
          MainLoop.run(upTo: 5) { gtk_widget_get_parent(popover.widget) == nil }
          letTheDelayPass()
        }
        page.isVisible = true
      }
      let button = Button("Pay")
      button.tooltip = "Pay"
      let other = shown(button)
      other.maximize()
      wait(over: button)
      other.destroy()
      letTheDelayPass()
      window.destroy()
    }
  }

  func testASheetThatWasAnsweredIsFreed() {
    MainActor.assumeIsolated {
      // Where the page has nothing that could take the keyboard from the sheet.
      leavesNothing {
        let host = SheetHost(Label("Page"))
        let window = shown(host.root)
        for _ in 0..<3 {
          host.present(Button("Pay"), name: "Payment")
          settle()
          host.dismiss()
          XCTAssertFalse(host.isPresenting)
        }
        window.destroy()
      }
    }
  }

  func testMessageBarAndSheetLeaveNothing() {
    MainActor.assumeIsolated {
      leavesNothing {
        let bar = MessageBar()
        let host = SheetHost(Label("Page"))
        let menu = MenuButton(icon: .menu, name: "Menu", popover: Popover(Button("Sign out")))
        let window = shown(Overlay(Box(.vertical, children: [host.root, menu]), above: [bar.root]))
        var events: [String] = []
        bar.onDismissed = { events.append("dismissed") }
        bar.message = "Something happened"
        host.present(Button("Pay"), name: "Payment")
        settle()
        XCTAssertTrue(host.isPresenting)
        XCTAssertTrue(bar.root.isMapped)
        bar.message = nil
        host.present(Button("Pay"), name: "Payment")
        host.dismiss()
        host.dismiss()
        menu.open()
        settle()
        menu.close()
        settle()
        XCTAssertFalse(bar.root.isMapped)
        window.destroy()
      }
    }
  }

  func testCloseRequestCanBeRefused() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let window = shown(Label("Page"))
      window.onCloseRequest(probe) { probe in
        probe.events.append("asked")
        return probe.events.count > 1
      }
      window.close()
      settle(0.05)
      XCTAssertTrue(window.isMapped)
      window.close()
      settle(0.05)
      XCTAssertFalse(window.isMapped)
      XCTAssertEqual(probe.events, ["asked", "asked"])
    }
  }
}
