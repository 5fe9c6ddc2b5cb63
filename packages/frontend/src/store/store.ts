/** A value with change notifications, compatible with `useSyncExternalStore` and with stores in other frameworks. */
export interface Store<T> {
  /** Returns the current value. */
  get(): T
  /** Adds a listener for changes. Returns a function that removes it. */
  subscribe(listener: () => void): () => void
}

/** A writable store. */
export interface WritableStore<T> extends Store<T> {
  /** Sets the given members. Listeners are notified only if a member changed. */
  patch(change: Partial<T>): void
}

/** A set of listeners. */
export interface Listeners<T> {
  /** Adds a listener. Returns a function that removes it. */
  add(listener: (value: T) => void): () => void
  notify(value: T): void
}

/** Creates a store for an object. Every change creates a new object. */
export function createStore<T extends object>(value: T): WritableStore<T> {
  const listeners = createListeners<void>()
  return {
    get: () => value,
    subscribe: listeners.add,
    patch(change) {
      for (const name in change) {
        if (change[name] === value[name]) continue
        value = { ...value, ...change }
        return listeners.notify()
      }
    },
  }
}

/** Creates an empty set of listeners. */
export function createListeners<T>(): Listeners<T> {
  const entries = new Set<(value: T) => void>()
  return {
    add(listener) {
      // With a wrapper, a listener that is added twice is called twice, and each of the two can be removed separately.
      const entry = (value: T): void => listener(value)
      entries.add(entry)
      return () => void entries.delete(entry)
    },
    notify(value) {
      // Iterates over a copy, so that a listener added during the loop receives only later values.
      for (const entry of new Set(entries)) {
        try {
          if (entries.has(entry)) entry(value)
        } catch (error) {
          // An error must not stop the other listeners or the caller. The platform reports it, as with DOM events.
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}
