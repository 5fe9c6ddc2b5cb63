import { memoryEngine, type Engine, type SessionHost } from '@sdk/server'

/** The apps that use an auth instance: usually one, but briefly two while a development server replaces an app. */
export class AttachedApps {
  readonly #apps = new Set<SessionHost>()
  readonly #listeners: { readonly stream: string; onMessage(text: string): void }[] = []
  #own: Engine | undefined

  /** Adds an app and returns a function that removes it. */
  attach(host: SessionHost): () => void {
    this.#apps.add(host)
    const leave = this.#listeners.map(({ stream, onMessage }) => subscribeApp(host, stream, onMessage))
    return () => {
      this.#apps.delete(host)
      for (const end of leave) end()
    }
  }

  isEmpty(): boolean {
    return this.#apps.size === 0
  }

  /** Returns the newest app's engine, or an in-memory engine if no app is attached. */
  engine(): Engine {
    return [...this.#apps].at(-1)?.engine ?? (this.#own ??= memoryEngine())
  }

  /** Closes these sessions' sockets in every app in this process. */
  endSessions(sessionIds: readonly string[]): void {
    for (const host of this.#apps) host.end(sessionIds)
  }

  /** Evaluates the access of these users to live data again, in every app in this process. */
  recheck(userIds: readonly string[]): void {
    for (const host of this.#apps) host.recheck?.(userIds)
  }

  /** Deletes the runs of a deleted user. Not awaited: the transaction that deletes the user may not have ended yet. */
  deleteRuns(userId: string): void {
    for (const { deleteRuns, log } of this.#apps) {
      deleteRuns?.(userId).catch((error: unknown) =>
        log.error('could not delete the runs of a deleted user', { userId, error: String(error) }),
      )
    }
  }

  /** Calls `onMessage` for each message that any process publishes to the stream. */
  subscribe(stream: string, onMessage: (text: string) => void): void {
    this.#listeners.push({ stream, onMessage })
  }

  /** Publishes a message to all processes, including this one. Never rejects. */
  async publish(stream: string, text: string): Promise<void> {
    // Two apps in one process may share an engine, which must receive the message only once.
    const byEngine = new Map(Array.from(this.#apps, (host) => [host.engine, host]))
    await Promise.all(Array.from(byEngine.values(), (host) => publishTo(host, stream, text)))
  }
}

function subscribeApp({ engine, log }: SessionHost, stream: string, onMessage: (text: string) => void): () => void {
  const subscription = engine.subscribe(stream, ({ data }) => onMessage(data))
  subscription.catch((error: unknown) => log.error('could not subscribe to auth changes', { error: String(error) }))
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
    log.warn('could not publish auth changes: sign-outs are delayed in other processes', { error: String(error) })
  }
}
