import Gtk

/// A time of day, to the minute. A change only reports: the shown time is set from a state.
@MainActor final class TimeField: SignalOwner {
  let scope = Scope()
  let root: Box
  /// Called with the minutes since midnight.
  var onChanged: ((Int) -> Void)?
  private let hour: NumberField
  private let minute: NumberField

  /// - Parameter name: what begins or ends then, for screen readers.
  init(name: String) {
    hour = NumberField(0...23, digits: 2, name: "\(name), hour")
    minute = NumberField(0...59, step: 5, digits: 2, name: "\(name), minute")
    root = Box(.horizontal, spacing: 4, styles: ["time"], children: [hour, Label(":"), minute])
    for field in [hour, minute] { field.onChanged(self) { owner, _ in owner.onChanged?(owner.hour.value * 60 + owner.minute.value) } }
  }

  /// - Parameter minutes: since midnight.
  func show(_ minutes: Int) {
    hour.value = minutes / 60
    minute.value = minutes % 60
  }
}
