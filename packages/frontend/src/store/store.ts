/** A value with change notifications, compatible with `useSyncExternalStore` and stores of other frameworks. */
export interface Store<T> {
  /** Returns the current value. */
  get(): T
  /** Adds a listener for changes; returns a function that removes it. */
  subscribe(listener: () => void): () => void
}

/** A writable store. */
export interface WritableStore<T> extends Store<T> {
  /** Sets some members; listeners are notified only if one of them changed. */
  patch(change: Partial<T>): void
}

/** A set of listeners. */
export interface Listeners<T> {
  /** Adds a listener; returns a function that removes it. */
  add(listener: (value: T) => void): () => void
  notify(value: T): void
}

/** Creates a store of an object; every change creates a new object. */
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
      // Wrapped, so that a listener that is added twice is called twice and removed separately.
      const entry = (value: T): void => listener(value)
      entries.add(entry)
      return () => void entries.delete(entry)
    },
    notify(value) {
      // A copy: a listener that is added meanwhile receives only the next value.
      for (const entry of new Set(entries)) {
        try {
          if (entries.has(entry)) entry(value)
        } catch (error) {
          // An error stops neither the other listeners nor the caller: the platform reports it, as in DOM events.
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}
