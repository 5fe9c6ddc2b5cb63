/** Change notifications between the tabs of an origin. */
export interface TabBroadcast {
  /** Starts listening to the other tabs. */
  open(): void
  notify(): void
  close(): void
}

/** Creates a channel between the tabs; it does nothing where the platform has no `BroadcastChannel`. */
export function createBroadcastChannel(name: string, onChange: () => void): TabBroadcast {
  let channel: BroadcastChannel | undefined
  return {
    open,
    notify() {
      open()
      // Only that something has changed: the other tabs ask the server for details.
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
    // In Node it would keep the process from ending.
    ;(channel as { unref?(): void }).unref?.()
  }
}
