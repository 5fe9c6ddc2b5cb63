import { memoryEngine, type Engine, type SessionHost } from '@sdk/server'

/** The apps that know their callers by one auth: one, or for a moment two, where a development server puts a new one in its place. */
export interface Hosts {
  /** An app is there; returns the way to leave. */
  add(host: SessionHost): () => void
  /** Is no app there? */
  isEmpty(): boolean
  /** What all processes share: that of the newest app, or of this process alone where there is none. */
  engine(): Engine
  /** Ends the sockets of these sessions in every app of this process. */
  end(sessionIds: readonly string[]): void
  /** Hears what is told on a stream, in whichever process. */
  listen(stream: string, hear: (text: string) => void): void
  /** Tells all processes, this one too; never rejects. */
  tell(stream: string, text: string): Promise<void>
}

/** Makes an empty list. */
export function createHosts(): Hosts {
  const hosts = new Set<SessionHost>()
  const listeners: { readonly stream: string; hear(text: string): void }[] = []
  let own: Engine | undefined

  return {
    add(host) {
      hosts.add(host)
      const leave = listeners.map(({ stream, hear }) => subscribe(host, stream, hear))
      return () => {
        hosts.delete(host)
        for (const end of leave) end()
      }
    },
    isEmpty: () => hosts.size === 0,
    engine: () => [...hosts].at(-1)?.engine ?? (own ??= memoryEngine()),
    end(sessionIds) {
      for (const host of hosts) host.end(sessionIds)
    },
    listen(stream, hear) {
      listeners.push({ stream, hear })
    },
    async tell(stream, text) {
      // Two apps of one process may share an engine.
      const byEngine = new Map(Array.from(hosts, (host) => [host.engine, host]))
      await Promise.all(Array.from(byEngine.values(), (host) => publish(host, stream, text)))
    },
  }
}

function subscribe({ engine, log }: SessionHost, stream: string, hear: (text: string) => void): () => void {
  const subscription = engine.subscribe(stream, ({ data }) => hear(data))
  subscription.catch((error: unknown) => log.error('other processes are not heard', { error: String(error) }))
  return () =>
    void subscription.then(
      ({ end }) => end(),
      () => {}, // said above
    )
}

async function publish({ engine, log }: SessionHost, stream: string, text: string): Promise<void> {
  try {
    await engine.publish(stream, text)
  } catch (error) {
    log.warn('other processes learn later who has signed out', { error: String(error) })
  }
}
