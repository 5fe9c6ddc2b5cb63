import { useEffect, useState } from 'react'

/** What an app says of itself at `/healthz` or `/readyz`. */
export interface Health {
  readonly isGood: boolean
  /** `ok`, `draining`, `failing`, or that nobody answers. */
  readonly status: string
  /** The checks that failed, by name. */
  readonly failed: readonly string[]
}

/** How often it is asked. */
const EVERY_MS = 5000

/** The health of the app at a path, asked again and again; null until it is known. */
export function useHealth(path: '/healthz' | '/readyz'): Health | null {
  const [health, setHealth] = useState<Health | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const ask = (): void => {
      if (document.hidden) return
      void readHealth(path, stop.signal).then((now) => {
        if (!stop.signal.aborted) setHealth(now)
      })
    }
    ask()
    const timer = setInterval(ask, EVERY_MS)
    return () => {
      clearInterval(timer)
      stop.abort()
    }
  }, [path])
  return health
}

// Not by the client of the app's routes: that makes an error of the 503 whose body tells what failed.
async function readHealth(path: string, signal: AbortSignal): Promise<Health> {
  try {
    const response = await fetch(new URL(path, location.href), { signal, credentials: 'omit' })
    const { status, failed } = (await response.json()) as { status?: string; failed?: readonly string[] }
    return { isGood: response.ok, status: status ?? `status ${response.status}`, failed: failed ?? [] }
  } catch {
    return { isGood: false, status: 'no answer', failed: [] }
  }
}
