import { act } from '@testing-library/react'
import { beforeEach, vi } from 'vitest'
import type { WorkbenchEvents } from '../../api.ts'

/** The event stream of the page, controlled by the test. */
export interface FakeEvents {
  /** Sends an event to all listeners. */
  emit<N extends keyof WorkbenchEvents>(name: N, event: WorkbenchEvents[N]): void
  /** Opens the stream, or makes it fail. */
  turn(to: 'open' | 'error'): void
}

/** Replaces the browser's `EventSource`, which happy-dom does not have, in every test of the file. */
export function startFakeEvents(): FakeEvents {
  let open: EventTarget[] = []
  class FakeEventSource extends EventTarget {
    constructor() {
      super()
      open.push(this)
    }

    close(): void {
      open = open.filter((one) => one !== this)
    }
  }
  beforeEach(() => {
    open = []
    vi.stubGlobal('EventSource', FakeEventSource)
  })
  return {
    emit(name, event) {
      const data = JSON.stringify(event)
      act(() => {
        for (const source of open) source.dispatchEvent(new MessageEvent(name, { data }))
      })
    },
    turn(to) {
      act(() => {
        for (const source of open) source.dispatchEvent(new Event(to))
      })
    },
  }
}
