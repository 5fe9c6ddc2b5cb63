import { useState } from 'react'

/**
 * Returns a value that is created again whenever the key changes. Unlike `useMemo`, it keeps the value when the component
 * is hot reloaded after an edit.
 */
export function useKeyed<T>(key: string, create: () => T): T {
  const [current, setCurrent] = useState(() => ({ key, value: create() }))
  if (current.key === key) return current.value
  const next = { key, value: create() }
  setCurrent(next)
  return next.value
}
