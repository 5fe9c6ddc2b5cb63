/** The fault that a client requested: `refuse` and `flap` on every connection, `close-<code>` on the first. */
export function createFaults() {
  const known = new Set()
  return {
    /** Handles a new connection. Returns true if it was rejected. */
    arrived({ fault }, close) {
      if (fault === 'refuse') close(4401)
      return fault === 'refuse'
    },
    /** Called after the protocol's handshake. */
    opened({ client, fault = '' }, close) {
      const isNew = !known.has(client)
      known.add(client)
      const code = Number(/^close-(\d+)$/.exec(fault)?.[1])
      if (fault === 'flap') setTimeout(() => close(1006), 50)
      else if (isNew && code > 0) setTimeout(() => close(code), 50)
    },
  }
}
