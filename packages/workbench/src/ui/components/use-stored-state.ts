import { useState } from 'react'

/** A state that is kept in `localStorage`, under this name. Where that fails, it lasts as long as the page. */
export function useStoredState<T>(name: string, initial: T): [T, (next: T) => void] {
  const key = `workbench:${name}`
  const [value, setValue] = useState<T>(() => read(key, initial))
  return [
    value,
    (next) => {
      setValue(next)
      try {
        localStorage.setItem(key, JSON.stringify(next))
      } catch {
        // storage is full or forbidden
      }
    },
  ]
}

function read<T>(key: string, initial: T): T {
  try {
    const kept = localStorage.getItem(key)
    return kept === null ? initial : (JSON.parse(kept) as T)
  } catch {
    return initial
  }
}
