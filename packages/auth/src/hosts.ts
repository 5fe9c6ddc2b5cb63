import { memoryEngine, type Engine, type SessionHost } from '@sdk/server'

/** The apps that know their callers by one auth: one, or for a moment two, where a development server puts a new one in its place. */
export interface Hosts {
  /** An app is there; returns the way to leave. */
  add(host: SessionHost): () => void
  /** What all processes share: that of the newest app, or of this process alone where there is none. */
  engine(): Engine
  /** Ends the sockets of these sessions in every app of this process. */
  end(sessionIds: readonly string[]): void
}

/** Makes an empty list. */
export function createHosts(): Hosts {
  const hosts = new Set<SessionHost>()
  let own: Engine | undefined
  return {
    add(host) {
      hosts.add(host)
      return () => void hosts.delete(host)
    },
    engine: () => [...hosts].at(-1)?.engine ?? (own ??= memoryEngine()),
    end(sessionIds) {
      for (const host of hosts) host.end(sessionIds)
    },
  }
}
