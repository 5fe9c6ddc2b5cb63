import { isApiError } from '@sdk/protocol'
import type { RequestObserver } from '../observe/request-observer.ts'

/** Hears what a handler threw and did not mean to: callers never do, but a test wants to know. */
export interface ErrorObserver extends RequestObserver {
  /** Undefined where nothing was thrown, or only what is an answer. */
  readonly error: unknown
}

/** A watch over one call. */
export function createErrorObserver(): ErrorObserver {
  let fault: unknown
  return {
    get error() {
      return fault
    },
    onError(error) {
      if (!isApiError(error)) fault = error
    },
    onNestedRun() {
      return this
    },
    onLog() {},
    onChunk() {},
    onEnd() {},
    onRoute() {},
    onAuthenticated() {},
    onBody() {},
  }
}
