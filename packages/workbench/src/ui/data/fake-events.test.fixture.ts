import { act } from '@testing-library/react'
import { beforeEach, vi } from 'vitest'
import type { WorkbenchEvents } from '../../api.ts'

/** The stream of events of the page, told by the test. */
export interface FakeEvents {
  /** Tells an event to all who listen. */
  tell<N extends keyof WorkbenchEvents>(name: N, event: WorkbenchEvents[N]): void
  /** The stream is open, or broken off. */
  turn(to: 'open' | 'error'): void
}

/** Stands in for the browser's `EventSource` in every test of the file; happy-dom has none. */
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
    tell(name, event) {
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
