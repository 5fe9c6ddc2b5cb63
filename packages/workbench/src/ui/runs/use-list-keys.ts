import { useEffect, useRef } from 'react'

/** Calls the function of a key that is pressed anywhere on the page, but not while something is typed. */
export function useListKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTaken(event)) return
      const work = latest.current[event.key]
      if (work === undefined) return
      event.preventDefault()
      work()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

/** Does what has the focus want the key for itself? */
function isTaken({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false
  const takers = key === 'Enter' || key === ' ' ? ', a, button, summary' : ''
  return target.closest(`input, select, textarea, [contenteditable], [role=dialog], dialog${takers}`) !== null
}
