/** Returns the kind of client: `workbench`, `sdk run`, `browser`, `curl`, or the first word of its user agent. */
export function callerOf(rawHeaders: readonly string[]): string {
  let agent = ''
  let isBrowser = false
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase()
    const value = rawHeaders[at + 1] ?? ''
    if (name === 'x-sdk-caller' && /^[a-z][a-z -]{0,30}$/.test(value)) return value
    if (name === 'x-sdk-as') agent = 'sdk run'
    else if (name === 'sec-fetch-mode' || name === 'sec-websocket-key') isBrowser = true
    else if (name === 'user-agent' && agent === '') agent = value
  }
  if (agent === 'sdk run') return agent
  // Node's `fetch` also sends `Sec-Fetch-Mode`, but its user agent is `node`. Browsers omit it for WebSockets.
  if (isBrowser && agent.startsWith('Mozilla/')) return 'browser'
  return /^[^\s/]{1,100}/.exec(agent)?.[0] ?? 'unknown'
}

/** Returns a header's value from a list of alternating names and values, or null. `name` must be in lower case. */
export function headerIn(rawHeaders: readonly string[], name: string): string | null {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) return rawHeaders[at + 1] ?? null
  }
  return null
}
