import { useState } from 'react'

// A function, since even accessing `localStorage` throws if storage is disabled.
const LOCAL = (): Storage => localStorage

/** Reads a JSON value from web storage, or returns undefined if nothing is stored or it cannot be read. */
export function readStored(key: string, storage: () => Storage = LOCAL): unknown {
  try {
    const text = storage().getItem(key)
    return text === null ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

/** Stores a value as JSON. Returns false if web storage is full or disabled. */
export function writeStored(key: string, value: unknown, storage: () => Storage = LOCAL): boolean {
  try {
    storage().setItem(key, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** Returns state that is stored in `localStorage`. If it cannot be stored, it lasts until the page is closed. */
export function useStoredState<T>(name: string, initial: T): [T, (next: T) => void] {
  const key = `workbench:${name}`
  const [value, setValue] = useState<T>(() => (readStored(key) ?? initial) as T)
  return [
    value,
    (next) => {
      setValue(next)
      writeStored(key, next)
    },
  ]
}
