/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Calls `next` at once where the value is available, and later where it is a promise. An `await` would cost every
 * request a turn of the event loop.
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Is it a promise, or another object with a `then`? */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
