import { useState } from 'react'

/**
 * Returns a value that is created again whenever the key changes. Unlike `useMemo`, it keeps the value when the component
 * is hot reloaded after an edit.
 */
export function useKeyed<T>(key: string, create: () => T): T {
  const createEntry = (): { key: string; value: T } => ({ key, value: create() })
  const [entry, setEntry] = useState(createEntry)
  if (entry.key === key) return entry.value
  const next = createEntry()
  setEntry(next)
  return next.value
}
