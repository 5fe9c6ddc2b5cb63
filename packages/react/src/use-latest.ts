import { useCallback, useInsertionEffect, useRef } from 'react'

/** Returns a stable function that returns the value from the last render, so that callbacks can be written inline. */
export function useLatest<T>(value: T): () => T {
  const box = useRef(value)
  // Not set during a render, which React may discard. Insertion effects run before the effects that may read the value.
  useInsertionEffect(() => {
    box.current = value
  })
  return useCallback(() => box.current, [])
}
