/** A value with change notifications, as `useSyncExternalStore` and stores of other frameworks need it. */
export interface Store<T> {
  /** Returns the current value. */
  get(): T
  /** Adds a listener for changes; returns the function that removes it. */
  subscribe(listener: () => void): () => void
}

/** A writable store. */
export interface WritableStore<T> extends Store<T> {
  /** Sets some members; listeners are notified only if one of them changed. */
  patch(change: Partial<T>): void
}

/** A set of listeners. */
export interface Listeners<T> {
  /** Returns the function that removes the listener. */
  add(listener: (value: T) => void): () => void
  notify(value: T): void
}

/** Creates a store of an object; every change creates a new one. */
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
      // Wrapped, so that a listener that is added twice is called twice, and removed one by one.
      const entry = (value: T): void => listener(value)
      entries.add(entry)
      return () => void entries.delete(entry)
    },
    notify(value) {
      // A copy: a listener that is added meanwhile hears the next value.
      for (const entry of new Set(entries)) {
        try {
          if (entries.has(entry)) entry(value)
        } catch (error) {
          // A listener that throws stops neither the others nor the caller: the page reports its error, as in DOM events.
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}
