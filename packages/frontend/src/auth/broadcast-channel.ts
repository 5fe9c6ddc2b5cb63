/** Lets the tabs of an origin tell each other that something has changed. */
export interface TabBroadcast {
  /** Hears the other tabs from now on. */
  open(): void
  /** Tells the other tabs. */
  notify(): void
  close(): void
}

/** Makes a channel between the tabs; where the platform has none, nobody hears anything. */
export function createBroadcastChannel(name: string, hear: () => void): TabBroadcast {
  let channel: BroadcastChannel | undefined
  return {
    open,
    notify() {
      open()
      // Only that something has changed: what, the other tabs ask the server.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- tabs of other origins cannot hear it
      channel?.postMessage('changed')
    },
    close() {
      channel?.close()
      channel = undefined
    },
  }

  function open(): void {
    if (channel || !globalThis.BroadcastChannel) return
    channel = new BroadcastChannel(name)
    channel.onmessage = hear
    // In Node it would keep the process from ending.
    ;(channel as { unref?(): void }).unref?.()
  }
}
