/** A value that changes, and a way to hear of it: what `useSyncExternalStore` and other frameworks' stores take. */
export interface Store<T> {
  /** What it holds now. */
  get(): T
  /** Called after every change; returns the way to stop. */
  subscribe(listener: () => void): () => void
}

/** A store one can write to. */
export interface WritableStore<T> extends Store<T> {
  /** Sets some members, the others stay; a change that changes nothing tells nobody. */
  patch(change: Partial<T>): void
}

/** A list of functions to call with a value. */
export interface Listeners<T> {
  /** Returns the way to stop. */
  add(listener: (value: T) => void): () => void
  notify(value: T): void
}

/** Makes a store that holds an object; every change makes a new one. */
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

/** Makes an empty list of listeners. */
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
          // A listener that throws stops neither the others nor the caller. The page reports its error, as in DOM
          // events.
          queueMicrotask(() => {
            throw error
          })
        }
      }
    },
  }
}
