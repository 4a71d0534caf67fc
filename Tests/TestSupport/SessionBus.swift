import Foundation

/// Session buses of tests, beside the desktop's own.
public enum SessionBus {
  /// Writes the configuration of a bus that has no service folder: on an ordinary one each start would wake what the machine has installed.
  /// - Parameter folder: for the file, and for the bus's socket.
  /// - Returns: the file.
  public static func writeConfiguration(in folder: URL) throws -> URL {
    let file = folder.appending(path: "session.conf")
    try Data(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:dir=\(folder.path)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
        </policy>
      </busconfig>
      """.utf8
    ).write(to: file)
    return file
  }
}
