import { isApiError } from '@sdk/protocol'
import type { RequestObserver } from '../observe/request-observer.ts'

/** An observer that records a handler's unexpected error for tests, because responses do not contain it. */
export class ErrorObserver implements RequestObserver {
  /** The recorded error. Undefined if nothing was thrown, or only an `ApiError` of a handler. */
  error: unknown

  onError(error: unknown): void {
    if (!isApiError(error)) this.error = error
    // A nested call rejects with the 500 that replaces the unexpected error.
    else if (error.code === 'INTERNAL_SERVER_ERROR') this.error = error.cause
  }

  onNestedRun(): this {
    return this
  }

  onLog(): void {}
  onChunk(): void {}
  onEnd(): void {}
  onRoute(): void {}
  onAuthenticated(): void {}
  onBody(): void {}
  onToolCall(): void {}
}
