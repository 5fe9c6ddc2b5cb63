import { isApiError } from '@sdk/protocol'
import type { CallWatch } from '../observe/call-observer.ts'

/** Hears what a handler threw and did not mean to: callers never do, but a test wants to know. */
export interface FaultWatch extends CallWatch {
  /** Undefined where nothing was thrown, or only what is an answer. */
  readonly fault: unknown
}

/** A watch over one call. */
export function createFaultWatch(): FaultWatch {
  let fault: unknown
  return {
    get fault() {
      return fault
    },
    threw(error) {
      if (!isApiError(error)) fault = error
    },
    nested() {
      return this
    },
    logged() {},
    gave() {},
    ended() {},
    routed() {},
    identified() {},
    received() {},
  }
}
