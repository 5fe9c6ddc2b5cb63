import { memoryEngine, type Engine, type SessionHost } from '@sdk/server'

/** The apps that know their callers by one auth: one, or for a moment two, where a development server puts a new one in its place. */
export interface AttachedApps {
  /** An app is there; returns the way to leave. */
  attach(host: SessionHost): () => void
  /** Is no app there? */
  isEmpty(): boolean
  /** What all processes share: that of the newest app, or of this process alone where there is none. */
  engine(): Engine
  /** Ends the sockets of these sessions in every app of this process. */
  endSessions(sessionIds: readonly string[]): void
  /** Hears what is told on a stream, in whichever process. */
  subscribe(stream: string, hear: (text: string) => void): void
  /** Tells all processes, this one too; never rejects. */
  publish(stream: string, text: string): Promise<void>
}

/** Makes an empty list. */
export function createAttachedApps(): AttachedApps {
  const apps = new Set<SessionHost>()
  const listeners: { readonly stream: string; hear(text: string): void }[] = []
  let own: Engine | undefined

  return {
    attach(host) {
      apps.add(host)
      const leave = listeners.map(({ stream, hear }) => subscribeApp(host, stream, hear))
      return () => {
        apps.delete(host)
        for (const end of leave) end()
      }
    },
    isEmpty: () => apps.size === 0,
    engine: () => [...apps].at(-1)?.engine ?? (own ??= memoryEngine()),
    endSessions(sessionIds) {
      for (const host of apps) host.end(sessionIds)
    },
    subscribe(stream, hear) {
      listeners.push({ stream, hear })
    },
    async publish(stream, text) {
      // Two apps of one process may share an engine.
      const byEngine = new Map(Array.from(apps, (host) => [host.engine, host]))
      await Promise.all(Array.from(byEngine.values(), (host) => publishTo(host, stream, text)))
    },
  }
}

function subscribeApp({ engine, log }: SessionHost, stream: string, onMessage: (text: string) => void): () => void {
  const subscription = engine.subscribe(stream, ({ data }) => onMessage(data))
  subscription.catch((error: unknown) => log.error('other processes are not heard', { error: String(error) }))
  return () =>
    void subscription.then(
      ({ end }) => end(),
      () => {}, // said above
    )
}

async function publishTo({ engine, log }: SessionHost, stream: string, text: string): Promise<void> {
  try {
    await engine.publish(stream, text)
  } catch (error) {
    log.warn('other processes learn later who has signed out', { error: String(error) })
  }
}
