import { type ReactNode, useEffect, useState } from 'react'
import { Pill } from '../components/pill.tsx'
import { useIsConnected } from '../data/use-events.ts'

/** The app's health: whether it is alive and ready for requests. */
export function HealthCard(): ReactNode {
  return (
    <section className="card" aria-labelledby="health">
      <h2 id="health">Health</h2>
      <ul className="health">
        <HealthLine path="/healthz" means="Process is running" />
        <HealthLine path="/readyz" means="Ready for requests" />
      </ul>
    </section>
  )
}

function HealthLine({ path, means }: { path: '/healthz' | '/readyz'; means: string }): ReactNode {
  const health = useHealth(path)
  return (
    <li>
      <span>
        {means} <span className="path quiet">{path}</span>
      </span>
      {health === null ? (
        <Pill tone="quiet">…</Pill>
      ) : (
        <Pill tone={health.isGood ? 'good' : 'bad'}>{health.status}</Pill>
      )}
      {health !== null && health.failed.length > 0 && <p className="fault">Failing: {health.failed.join(', ')}</p>}
    </li>
  )
}

/** The result of a request to `/healthz` or `/readyz`. */
interface Health {
  readonly isGood: boolean
  /** The status: `ok`, `draining`, `failing` or `no response`. */
  readonly status: string
  readonly failed: readonly string[]
}

const HEALTH_INTERVAL_MS = 5000
const HEALTH_TIMEOUT_MS = 4000

/** Polls one of the app's health endpoints. Returns null until the result is known. */
function useHealth(path: '/healthz' | '/readyz'): Health | null {
  const [health, setHealth] = useState<Health | null>(null)
  const isConnected = useIsConnected()
  useEffect(() => {
    const stop = new AbortController()
    const ask = (): void => {
      if (document.hidden) return
      void readHealth(path, stop.signal).then((now) => {
        if (!stop.signal.aborted) setHealth(now)
      })
    }
    ask()
    const timer = setInterval(ask, HEALTH_INTERVAL_MS)
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
      stop.abort()
    }
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- polls when the connection changes
  }, [path, isConnected])
  return health
}

// The client for the app's routes is not used, since it rejects a 503, whose body lists the failed checks.
async function readHealth(path: string, signal: AbortSignal): Promise<Health> {
  try {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(HEALTH_TIMEOUT_MS)])
    const response = await fetch(new URL(path, location.href), { signal: patience, credentials: 'omit' })
    const { status, failed } = (await response.json()) as { status?: string; failed?: readonly string[] }
    return { isGood: response.ok, status: status ?? `status ${response.status}`, failed: failed ?? [] }
  } catch {
    return { isGood: false, status: 'no response', failed: [] }
  }
}
