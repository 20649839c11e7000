// The environment of a command that is told: an allowlist, so that no key of ours or of Claude's reaches it.

const NAMES = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  // A command of ours finds the worker by it.
  ...['XDG_STATE_HOME', 'XDG_CONFIG_HOME'],
  // For `notify-send` and the like: where the desktop of this user is.
  ...['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY'],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'NO_PROXY',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'CURL_CA_BUNDLE',
  ],
  // Windows does not start a program without some of these.
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'COMSPEC', 'PATHEXT', 'WINDIR', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
]);

export function commandEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (NAMES.has(entry[0].toUpperCase()) || entry[0].startsWith('LC_')),
    ),
  );
}
