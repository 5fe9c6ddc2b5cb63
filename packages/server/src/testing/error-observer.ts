import { isApiError } from '@sdk/protocol'
import type { RequestObserver } from '../observe/request-observer.ts'

/** Keeps the unexpected error of a handler, which callers never see, for tests. */
export class ErrorObserver implements RequestObserver {
  /** Undefined where nothing was thrown, or only what is an answer. */
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
