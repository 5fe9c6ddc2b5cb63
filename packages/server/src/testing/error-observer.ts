import { isApiError } from '@sdk/protocol'
import type { RequestObserver } from '../observe/request-observer.ts'

/** Records the unexpected error of a handler for tests, because responses do not contain it. */
export class ErrorObserver implements RequestObserver {
  /** The error; undefined if nothing or an `ApiError` was thrown. */
  error: unknown

  onError(error: unknown): void {
    if (!isApiError(error)) this.error = error
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
}
