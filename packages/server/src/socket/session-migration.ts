import { errorFields } from '../log/log.ts'
import { NodeMessenger, type SessionReply, type SessionSnapshot, type SessionRequest } from './node-messaging.ts'
import type { SessionDependencies } from './session-dependencies.ts'

interface SessionMigrationOptions extends Pick<SessionDependencies, 'engine' | 'ids' | 'log' | 'now'> {
  /** How long the new location of a moved session is remembered, in ms. */
  readonly ttlMs: number
  /**
   * Returns a promise that settles when this process has resumed the session or after a timeout, or undefined if the
   * session is not being resumed.
   */
  settled(id: string): Promise<unknown> | undefined
  /**
   * Releases a session. Later messages to its client are passed to `forward`. Returns null if the session is not in
   * this process.
   */
  release(request: SessionRequest, forward: (json: string) => void): Promise<SessionSnapshot> | null
  /** Sends a message to the client of a session. Returns false if the session is not in this process. */
  send(id: string, json: string): boolean
}

interface MovedSession {
  to: string
  readonly since: number
}

/** The maximum number of moved sessions to remember. */
const MAX_MOVED = 10_000

/** How long a client may keep referring to this process after its session has moved, in ms. */
const REDIRECT_WINDOW_MS = 15_000

/** The maximum number of messages buffered for a session that has not arrived yet. */
const MAX_EARLY_MESSAGES = 256

/** The maximum number of redirects to follow when fetching a session. */
const MAX_HOPS = 4

/** The migration of sessions between processes. Each session moves to the process that its client has connected to. */
export class SessionMigration {
  readonly #options: SessionMigrationOptions
  readonly #messenger: NodeMessenger
  readonly #handoffs: ReturnType<typeof createHandoffStore>
  /** The sessions that moved from this process to another one, oldest first. */
  readonly #moved = new Map<string, MovedSession>()
  /** Messages to the clients of sessions that have been requested but have not arrived yet. */
  readonly #early = new Map<string, string[]>()
  /** A promise that resolves when all sessions are stored for other processes. Null until this process closes. */
  #saving: Promise<void> | null = null

  constructor(options: SessionMigrationOptions) {
    this.#options = options
    this.#handoffs = createHandoffStore(options)
    this.#messenger = new NodeMessenger({
      ...options,
      onSessionRequest: (by, request) => this.#onSessionRequest(by, request),
      onClientMessage: (id, json) => this.#onClientMessage(id, json),
      onSessionMoved: (id, to) => this.#redirect(id, to),
    })
  }

  /** Subscribes to requests from other processes. Resolves when the subscription is active. */
  open(): Promise<unknown> {
    return this.#messenger.open()
  }

  /**
   * Fetches a session from the process that its client specified and follows redirects. Resolves with null if it is
   * lost.
   */
  async fetchSession(node: string, request: SessionRequest): Promise<SessionSnapshot | null> {
    const { id } = request
    const own = this.#options.ids.node
    this.#early.set(id, this.#early.get(id) ?? [])
    let at = node === own ? this.#moved.get(id)?.to : node
    for (let hops = 0; hops < MAX_HOPS && at !== undefined && at !== own; hops += 1) {
      const answer = await this.#find(at, at === node ? request : { ...request, isFollowed: true })
      if (answer === null || !('to' in answer)) return answer
      at = answer.to
    }
    return null
  }

  /** Returns the messages buffered for a session, and stops buffering for it. */
  takeEarly(id: string): readonly string[] {
    const early = this.#early.get(id) ?? []
    this.#early.delete(id)
    return early
  }

  /** Stores these sessions and the locations of recently moved ones for other processes. Then stops the messenger. */
  async close(sessions: ReadonlyMap<string, SessionSnapshot>): Promise<void> {
    const since = this.#options.now() - REDIRECT_WINDOW_MS
    const gone = [...this.#moved].filter(([id, away]) => away.since > since && !sessions.has(id))
    this.#saving = this.#handoffs.save([...sessions, ...gone.map(([id, { to }]) => [id, { to }] as const)])
    await this.#saving
    await this.#messenger.close()
  }

  /**
   * Reads the handoff, requests the session, and then reads the handoff again, because the process may have stopped in
   * the meantime.
   */
  async #find(node: string, request: SessionRequest): Promise<SessionReply> {
    const left = await this.#handoffs.take(node, request.id)
    return (
      left ?? (await this.#messenger.requestSession(node, request)) ?? (await this.#handoffs.take(node, request.id))
    )
  }

  async #onSessionRequest(by: string, request: SessionRequest): Promise<SessionReply> {
    const { id } = request
    // If this process is closing, its handoffs must be stored first, because the other process reads them next.
    await this.#saving
    await this.#options.settled(id)?.catch(() => undefined) // the caller of `find` receives the rejection
    const away: MovedSession = { to: by, since: this.#options.now() }
    const given = this.#options.release(
      request,
      (json) => void this.#messenger.send(away.to, { o: 'message', id, json }),
    )
    if (given === null) {
      const to = this.#moved.get(id)?.to
      return to === undefined || to === by ? null : { to }
    }
    this.#remember(id, away)
    const { before, ...handed } = await given
    for (const node of before) void this.#messenger.send(node, { o: 'moved', id, to: by })
    return { ...handed, before: [this.#options.ids.node, ...before].slice(0, MAX_HOPS) }
  }

  #remember(id: string, away: MovedSession): void {
    for (const [oldest, { since }] of this.#moved) {
      if (this.#moved.size < MAX_MOVED && since > away.since - this.#options.ttlMs) break
      this.#moved.delete(oldest)
    }
    this.#moved.delete(id)
    this.#moved.set(id, away)
  }

  /** Delivers a message from a process that held the session before, or forwards it if the session has moved on. */
  #onClientMessage(id: string, json: string): void {
    const early = this.#early.get(id)
    if (early !== undefined) return void (early.length < MAX_EARLY_MESSAGES && early.push(json))
    if (this.#options.send(id, json)) return
    const to = this.#moved.get(id)?.to
    if (to !== undefined) void this.#messenger.send(to, { o: 'message', id, json })
  }

  #redirect(id: string, to: string): void {
    const away = this.#moved.get(id)
    if (away !== undefined) away.to = to
  }
}

/** Limits on concurrent writes and on the total number of characters. A closing process has little time. */
const WRITE_BATCH = 512
const MAX_SIZE = 16 * 1_048_576

/** The last state of a session in a closed process, or the process that the session moved to. */
type Handoff = NonNullable<SessionReply>

type HandoffOptions = Pick<SessionMigrationOptions, 'engine' | 'ids' | 'log' | 'ttlMs'>

/**
 * Creates the store for the sessions of closed processes. Each session is stored in the engine under the name of its
 * process, because the client's session id identifies only that process. The methods never reject.
 */
function createHandoffStore({ engine: { kv }, ids, log, ttlMs }: HandoffOptions) {
  const keyOf = (of: string, id: string): string => `sdk:socket:left:${of}:${id}`
  const ttl = Math.max(1, ttlMs / 1000)

  return {
    /** Stores handoffs by session id. */
    async save(all: Iterable<readonly [id: string, left: Handoff]>): Promise<void> {
      let size = 0
      let batch: Promise<void>[] = []
      try {
        for (const [id, left] of all) {
          const text = JSON.stringify(left)
          if ((size += text.length) > MAX_SIZE) break
          batch.push(kv.set(keyOf(ids.node, id), text, { ttl }))
          if (batch.length < WRITE_BATCH) continue
          await Promise.all(batch)
          batch = []
        }
        await Promise.all(batch)
      } catch (error) {
        log.warn('could not store session handoffs', errorFields(error))
      }
    },
    /** Takes a session's handoff. Only one process receives it; later ones receive the session's new location. */
    async take(of: string, id: string): Promise<Handoff | null> {
      try {
        const text = await kv.get(keyOf(of, id))
        if (text === null) return null
        const left = JSON.parse(text) as Handoff
        if ('to' in left) return left
        // Store the new location for the next process that requests the session: the client might not know it yet.
        return (await kv.compareAndSet(keyOf(of, id), { from: text, to: JSON.stringify({ to: ids.node }) }))
          ? left
          : null
      } catch (error) {
        log.warn('could not read session handoff', errorFields(error))
        return null
      }
    },
  }
}
