import { useInsertionEffect, useRef, type RefObject } from 'react'

/** The latest value in a box that never changes: callbacks written inline are called as last rendered, and cause nothing. */
export function useLatest<T>(value: T): RefObject<T> {
  const box = useRef(value)
  // Not while rendering, which may be thrown away; and before any other effect, which may call it.
  useInsertionEffect(() => {
    box.current = value
  })
  return box
}
