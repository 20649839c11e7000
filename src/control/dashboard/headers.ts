// What a browser may do with the dashboard's page: run our scripts, ask our routes, nothing else.

/**
 * @param place the dashboard's own address as the browser sees it, with a slash at the end
 * Scripts and styles are named by path, so that no other answer of this port can be run as one; a text becomes code
 * or markup nowhere, and no page may show this one in a frame.
 */
export function pageHeaders(place: URL): Record<string, string> {
  const at = (path: string): string => new URL(path, place).href;
  const policy = [
    "default-src 'none'",
    `script-src ${at('code/')} ${at('uplot.js')}`,
    `style-src ${at('style/')} ${at('uplot.css')}`,
    `img-src ${at('icon.svg')}`,
    `connect-src ${at('../control/')} ${at('open')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'x-frame-options': 'DENY',
    ...fileHeaders,
  };
}

/** For each file of the page. */
export const fileHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
