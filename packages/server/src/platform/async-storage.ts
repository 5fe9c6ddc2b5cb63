/** Storage for a value that is passed along through asynchronous calls. */
export interface AsyncStorage<T> {
  run<R>(value: T, work: () => R): R
  getStore(): T | undefined
}

interface NodeProcess {
  getBuiltinModule?(name: 'node:async_hooks'): { AsyncLocalStorage: new <T>() => AsyncStorage<T> } | undefined
}

/** Creates an `AsyncStorage`. On platforms without `AsyncLocalStorage`, `getStore` always returns undefined. */
export function createAsyncStorage<T>(): AsyncStorage<T> {
  const { process } = globalThis as { process?: NodeProcess }
  const hooks = process?.getBuiltinModule?.('node:async_hooks')
  return hooks === undefined
    ? { run: (_value, work) => work(), getStore: () => undefined }
    : new hooks.AsyncLocalStorage<T>()
}
