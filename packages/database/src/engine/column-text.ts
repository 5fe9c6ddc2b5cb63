/** Any text as PostgreSQL can keep it: it takes no NUL, so that is written in two others. */
export function toColumnText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what it is about
  return /[\0\u0001]/.test(text) ? text.replaceAll('\u0001', '\u0001b').replaceAll('\0', '\u0001a') : text
}

/** The text that was kept. */
export function fromColumnText(text: string): string {
  return text.includes('\u0001') ? text.replaceAll('\u0001a', '\0').replaceAll('\u0001b', '\u0001') : text
}
