/** Storage for a value that is passed along through asynchronous calls. */
export interface AsyncStorage<T> {
  run<R>(value: T, work: () => R): R
  getStore(): T | undefined
}

type RunIn = <R>(work: () => R) => R

interface AsyncHooks {
  readonly AsyncLocalStorage: (new <T>() => AsyncStorage<T>) & { snapshot?(): RunIn }
}

function findHooks(): AsyncHooks | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): AsyncHooks | undefined } }
  return process?.getBuiltinModule?.('node:async_hooks')
}

/** Creates an `AsyncStorage`. On platforms without `AsyncLocalStorage`, `getStore` always returns undefined. */
export function createAsyncStorage<T>(): AsyncStorage<T> {
  const hooks = findHooks()
  return hooks === undefined
    ? { run: (_value, work) => work(), getStore: () => undefined }
    : new hooks.AsyncLocalStorage<T>()
}

/**
 * Runs `work` without any value that its caller has stored, such as a transaction or a span. It runs in the context in
 * which this module was loaded.
 */
export const runDetached: RunIn = findHooks()?.AsyncLocalStorage.snapshot?.() ?? ((work) => work())
