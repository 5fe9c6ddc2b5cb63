import { useCallback, useInsertionEffect, useRef } from 'react'

/** The way to the latest value, which never changes: callbacks written inline are called as last rendered, and cause nothing. */
export function useLatest<T>(value: T): () => T {
  const box = useRef(value)
  // Not while rendering, which may be thrown away; and before any other effect, which may call it.
  useInsertionEffect(() => {
    box.current = value
  })
  return useCallback(() => box.current, [])
}
