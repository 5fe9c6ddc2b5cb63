/** Encodes a string for PostgreSQL. NUL is encoded as two other characters, since PostgreSQL cannot store it. */
export function toColumnText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the expression matches control characters
  return /[\0\u0001]/.test(text) ? text.replaceAll('\u0001', '\u0001b').replaceAll('\0', '\u0001a') : text
}

/** Decodes a stored string. */
export function fromColumnText(text: string): string {
  return text.includes('\u0001') ? text.replaceAll('\u0001a', '\0').replaceAll('\u0001b', '\u0001') : text
}
