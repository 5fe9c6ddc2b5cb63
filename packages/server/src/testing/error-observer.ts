import { isApiError } from '@sdk/protocol'
import type { RequestObserver } from '../observe/request-observer.ts'

/** Keeps the unexpected error of a handler, which callers never see, for tests. */
export interface ErrorObserver extends RequestObserver {
  /** Undefined where nothing was thrown, or only what is an answer. */
  readonly error: unknown
}

/** Creates an observer of one request. */
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
