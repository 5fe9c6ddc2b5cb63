/** Does every app answer this path? Everything else may be a page. */
export function isSystemPath(target: string): boolean {
  return /^\/(?:(?:agent|api|ws)(?:\/|\?|$)|(?:healthz|readyz)(?:\?|$))/.test(target)
}
