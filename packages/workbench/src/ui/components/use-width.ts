import { useEffect, useRef, useState, type RefObject } from 'react'

/** Returns the current width of an element, rounded to whole pixels. */
export function useWidth<E extends Element>(fallback: number): [ref: RefObject<E | null>, width: number] {
  const ref = useRef<E>(null)
  const [width, setWidth] = useState(fallback)
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) => {
      const seen = Math.floor(entry?.contentRect.width ?? 0)
      if (seen > 0) setWidth(seen)
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
