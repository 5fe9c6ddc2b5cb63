import { useEffect, useRef } from 'react'

/** Moves the focus to an element by its id, once the next render has made it. */
export function useFocusNext(): (id: string) => void {
  const wanted = useRef<string | null>(null)
  useEffect(() => {
    if (wanted.current === null) return
    document.getElementById(wanted.current)?.focus()
    wanted.current = null
  })
  return (id) => {
    wanted.current = id
  }
}
