/** A value, or a promise that resolves with it. */
export type MaybePromise<T> = T | Promise<T>

/**
 * Calls `next` synchronously with a value, or after a promise resolves. An `await` would delay every request by a
 * microtask.
 */
export function andThen<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Returns whether a value is a promise, or another object with a `then` method. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
