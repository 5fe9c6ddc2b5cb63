/** A call that another request can cancel. */
export interface CancellableCall {
  /** A signal that aborts when the call is cancelled. */
  readonly signal: AbortSignal
  /** Must be called when the call has ended. */
  end(this: void): void
}

/** The calls that other requests can cancel, in any process. */
export interface Cancellations {
  /** Registers a call. If a call with the same key is registered, it can no longer be cancelled. */
  open(this: void, key: string): CancellableCall
  /** Cancels the call with this key, if there is one in any process. */
  cancel(this: void, key: string): void
}
