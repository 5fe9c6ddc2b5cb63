/** A word between the tabs of an origin. */
export interface TabChannel {
  /** Hears the other tabs from now on. */
  open(): void
  /** Tells the other tabs. */
  tell(): void
  close(): void
}

/** Makes a channel between the tabs; where the platform has none, nobody hears anything. */
export function createTabChannel(name: string, hear: () => void): TabChannel {
  let channel: BroadcastChannel | undefined
  return {
    open,
    tell() {
      open()
      // That something has changed, not what: who may know it asks the server.
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
