import { useEffect, useState } from 'react'

/** Returns the current `performance.now()` time, and re-renders every `everyMs` ms while `isOn` is true. */
export function useTick(isOn: boolean, everyMs: number = 200): number {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    if (!isOn) return undefined
    const timer = setInterval(() => setNow(performance.now()), everyMs)
    return () => clearInterval(timer)
  }, [isOn, everyMs])
  return now
}
