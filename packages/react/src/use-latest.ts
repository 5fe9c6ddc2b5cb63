import { useCallback, useInsertionEffect, useRef } from 'react'

/** Returns a stable function that returns the value of the last render, so that callbacks may be written inline. */
export function useLatest<T>(value: T): () => T {
  const box = useRef(value)
  // Not set during a render, which React may discard. An insertion effect runs before other effects, which may read it.
  useInsertionEffect(() => {
    box.current = value
  })
  return useCallback(() => box.current, [])
}
