/** What a client asked to suffer: `refuse` and `flap` every time, `close-<code>` the first time. */
export function createFaults() {
  const known = new Set()
  return {
    /** A connection came; true where that was its end. */
    arrived({ fault }, close) {
      if (fault === 'refuse') close(4401)
      return fault === 'refuse'
    },
    /** The protocol's handshake is done. */
    opened({ client, fault = '' }, close) {
      const isNew = !known.has(client)
      known.add(client)
      const code = Number(/^close-(\d+)$/.exec(fault)?.[1])
      if (fault === 'flap') setTimeout(() => close(1006), 50)
      else if (isNew && code > 0) setTimeout(() => close(code), 50)
    },
  }
}
