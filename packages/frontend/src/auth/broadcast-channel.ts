/** A channel for change notifications between the tabs of an origin. */
export interface TabBroadcast {
  /** Starts listening to the other tabs. */
  open(): void
  notify(): void
  close(): void
}

/** Creates a channel between tabs. It does nothing if the platform has no `BroadcastChannel`. */
export function createBroadcastChannel(name: string, onChange: () => void): TabBroadcast {
  let channel: BroadcastChannel | undefined
  return {
    open,
    notify() {
      open()
      // The message has no content: the other tabs read the session from the server.
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- tabs of other origins do not receive it
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
    channel.onmessage = onChange
    // In Node.js, an open channel would keep the process alive.
    ;(channel as { unref?(): void }).unref?.()
  }
}
