import { memoryEngine, type Engine, type SessionHost } from '@sdk/server'

/** The apps that know their callers by one auth: one, or for a moment two, where a development server puts a new one in its place. */
export interface AttachedApps {
  /** Adds an app; returns a function that removes it. */
  attach(host: SessionHost): () => void
  /** Is no app attached? */
  isEmpty(): boolean
  /** The engine of the newest app, or one of this process alone where there is none. */
  engine(): Engine
  /** Ends the sockets of these sessions in every app of this process. */
  endSessions(sessionIds: readonly string[]): void
  /** Calls back for each message that any process publishes on a stream. */
  subscribe(stream: string, onMessage: (text: string) => void): void
  /** Publishes to all processes, this one too; never rejects. */
  publish(stream: string, text: string): Promise<void>
}

/** Creates an empty list. */
export function createAttachedApps(): AttachedApps {
  const apps = new Set<SessionHost>()
  const listeners: { readonly stream: string; onMessage(text: string): void }[] = []
  let own: Engine | undefined

  return {
    attach(host) {
      apps.add(host)
      const leave = listeners.map(({ stream, onMessage }) => subscribeApp(host, stream, onMessage))
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
    subscribe(stream, onMessage) {
      listeners.push({ stream, onMessage })
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
      () => {}, // logged above
    )
}

async function publishTo({ engine, log }: SessionHost, stream: string, text: string): Promise<void> {
  try {
    await engine.publish(stream, text)
  } catch (error) {
    log.warn('other processes learn later who has signed out', { error: String(error) })
  }
}
