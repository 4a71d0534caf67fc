#if GTK
  import CListBaseline
  import Foundation
  import Gtk

  /// A list of 100,000 posts, against the same lazy model and the same rows in C. Needs a display.
  @MainActor enum ListBenchmark {
    static let goals = (model: 2.0, binding: 1.9, frame: 1.05)
    private static let count: UInt32 = 100_000

    fileprivate struct Post {
      let id: String
      let title: String
      let byline: String
      let date: String
    }

    static func run(rounds: Int) throws -> [Figure] {
      guard Toolkit.start() else { throw Mistake(description: "list needs a display; see matinee-bench --help.") }
      let made = baseline_posts_new(count)
      let posts = (0..<Int(count)).map { place in
        Post(
          id: String(cString: made[place].id), title: String(cString: made[place].title), byline: String(cString: made[place].byline),
          date: String(cString: made[place].date))
      }
      let ids = posts.map(\.id)
      var models: [[Double]] = [[], []]
      var stringList: [Double] = []
      for round in 0...rounds {
        let mine = seconds {
          for _ in 0..<times {
            let list = ListIDs<String>()
            let model = list.makeListModel()
            list.show(ids)
            baseline_ask(model, 20)
            baseline_release(model)
          }
        }
        let base = seconds {
          for _ in 0..<times {
            let model = baseline_model_new(made, count)
            baseline_ask(model, 20)
            baseline_release(model)
          }
        }
        guard round > 0 else { continue }
        models[0].append(mine / Double(times))
        models[1].append(base / Double(times))
        stringList.append(baseline_string_list_seconds(made, count))
      }

      let page = Page(posts)
      let window = Window(nil, title: "ours", width: 700, height: 700)
      window.child(page.list)
      window.present()
      page.list.show(ids)
      baseline_window_open("baseline", 700, 700, made, count)
      guard let ours = baseline_probe_new("ours"), let baseline = baseline_probe_new("baseline") else {
        throw Mistake(description: "the windows did not open.")
      }
      let probes = [ours, baseline]
      var (bindings, frames): ([[Double]], [[Double]]) = ([[], []], [[], []])
      for probe in probes { baseline_probe_settle(probe) }
      for round in 0...rounds {
        for (index, probe) in probes.enumerated() {
          let binding = baseline_probe_bind(probe, 20)
          let frame = baseline_probe_scroll(probe, 60, 180)
          guard round > 0 else { continue }
          bindings[index].append(binding)
          frames[index].append(frame)
        }
      }
      let rows = "\(page.list.rowCount) rows of ours, \(baseline_probe_rows(baseline)) in C were filled"
      window.destroy()
      let figure = { (what: String, times: [[Double]], goal: Double, remark: String?) in
        Figure(
          name: "list, \(what)", ours: times[0].median, baseline: times[1].median, against: "the same in C", goal: goal, remark: remark)
      }
      let strings = "GtkStringList \((stringList.median * 1e3).formatted(.number.precision(.fractionLength(1)))) ms"
      return [
        figure("making the model", models, goals.model, strings), figure("binding a row", bindings, goals.binding, rows),
        figure("a frame while scrolling", frames, goals.frame, nil),
      ]
    }

    private static let times = 200

    private static func seconds(_ work: () -> Void) -> Double {
      let start = baseline_seconds()
      work()
      return baseline_seconds() - start
    }
  }

  @MainActor private final class Page: SignalOwner {
    let scope = Scope()
    private(set) var list: ListView<String, Row>!
    private let posts: [String: ListBenchmark.Post]

    init(_ posts: [ListBenchmark.Post]) {
      self.posts = Dictionary(uniqueKeysWithValues: posts.map { ($0.id, $0) })
      list = ListView(
        self, row: { _ in Row() },
        bind: { page, row, id in
          if let post = page.posts[id] { row.show(post) }
        })
    }
  }

  @MainActor private final class Row: ListRow {
    let scope = Scope()
    let root: Widget
    private let title = Label(styles: ["heading"], lines: 2)
    private let byline = Label(styles: [.caption], lines: 1)
    private let date = Label(styles: [.caption], lines: 1)
    private let button = Button("Open", styles: [.flat])
    private var post: ListBenchmark.Post?

    init() {
      let text = Box(.vertical, spacing: 4, children: [title, byline, date])
      text.expandsHorizontally = true
      root = Box(.horizontal, spacing: 18, children: [text, button])
      button.onClicked(self) { print($0.post?.id ?? "") }
    }

    var accessibleName: String { post?.title ?? "" }

    func show(_ post: ListBenchmark.Post) {
      self.post = post
      title.text = post.title
      byline.text = post.byline
      date.text = post.date
    }

    func unbind() { post = nil }
  }
#endif
