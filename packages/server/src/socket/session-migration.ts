import { errorFields } from '../log/log.ts'
import { NodeMessenger, type SessionReply, type SessionSnapshot, type SessionRequest } from './node-messaging.ts'
import type { SessionDependencies } from './session-dependencies.ts'

interface SessionMigrationOptions extends Pick<SessionDependencies, 'engine' | 'ids' | 'log' | 'now'> {
  /** For how long it is known where a session went, in ms. */
  readonly ttlMs: number
  /** Settles when a session that is on its way here has come, or it takes too long; undefined where there is none. */
  settled(id: string): Promise<unknown> | undefined
  /** Gives up a session, or null where it is not here; what is said to its client later goes to `forward`. */
  release(request: SessionRequest, forward: (json: string) => void): Promise<SessionSnapshot> | null
  /** Says something to the client of a session; false where it is not here. */
  send(id: string, json: string): boolean
}

interface MovedSession {
  to: string
  readonly since: number
}

/** Sessions that went elsewhere and are remembered at most. */
const MAX_MOVED = 10_000

/** A client that has not heard of its move within so long, in ms, tries another process. */
const REDIRECT_WINDOW_MS = 15_000

/** Messages that are held for a session on its way here, at most. */
const MAX_EARLY_MESSAGES = 256

/** So many times a session is followed to where it went. */
const MAX_HOPS = 4

/** Brings sessions from one process to another, after their clients. */
export class SessionMigration {
  readonly #options: SessionMigrationOptions
  readonly #messenger: NodeMessenger
  readonly #handoffs: ReturnType<typeof createHandoffStore>
  /** Where sessions of ours went; the oldest come first. */
  readonly #moved = new Map<string, MovedSession>()
  /** What came for sessions that another process is asked for, before they are here. */
  readonly #early = new Map<string, string[]>()
  /** Settles when all is left that we leave. */
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

  /** From now on others can ask us; settles when they are heard. */
  open(): Promise<unknown> {
    return this.#messenger.open()
  }

  /** Brings a session here from the process that its client names, or from where it went since; null where it is lost. */
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

  /** What came for a session before it was here; from now on it is told itself. */
  takeEarly(id: string): readonly string[] {
    const early = this.#early.get(id) ?? []
    this.#early.delete(id)
    return early
  }

  /** This process ends: leaves these to those who come after it, and the ways of those who left before. */
  async close(sessions: ReadonlyMap<string, SessionSnapshot>): Promise<void> {
    const since = this.#options.now() - REDIRECT_WINDOW_MS
    const gone = [...this.#moved].filter(([id, away]) => away.since > since && !sessions.has(id))
    this.#saving = this.#handoffs.save([...sessions, ...gone.map(([id, { to }]) => [id, { to }] as const)])
    await this.#saving
    await this.#messenger.close()
  }

  /** Looks for what the process has left, asks it, and looks again: it may have ended meanwhile. */
  async #find(node: string, request: SessionRequest): Promise<SessionReply> {
    const left = await this.#handoffs.take(node, request.id)
    return (
      left ?? (await this.#messenger.requestSession(node, request)) ?? (await this.#handoffs.take(node, request.id))
    )
  }

  async #onSessionRequest(by: string, request: SessionRequest): Promise<SessionReply> {
    const { id } = request
    // If this process is ending, what it leaves must be stored first: there the other one looks next.
    await this.#saving
    await this.#options.settled(id)?.catch(() => undefined) // who looked for it is told
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

  /** What a process says that had a session before; it may have gone on from here. */
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

/** How many are written at once, and how many characters in all: a process that ends has little time. */
const WRITE_BATCH = 512
const MAX_SIZE = 16 * 1_048_576

/** What a process knew of a session when it ended. */
type Handoff = NonNullable<SessionReply>

type HandoffOptions = Pick<SessionMigrationOptions, 'engine' | 'ids' | 'log' | 'ttlMs'>

/**
 * What processes that have ended left behind for those that come after them. It is kept in the engine, under the name of
 * the process: who comes with an older session id finds nothing else. Nothing of it rejects.
 */
function createHandoffStore({ engine: { kv }, ids: { node }, log, ttlMs }: HandoffOptions) {
  const keyOf = (of: string, id: string): string => `sdk:socket:left:${of}:${id}`
  const ttl = Math.max(1, ttlMs / 1000)

  return {
    /** Leaves these, by the ids of their sessions. */
    async save(all: Iterable<readonly [id: string, left: Handoff]>): Promise<void> {
      let size = 0
      let batch: Promise<void>[] = []
      try {
        for (const [id, left] of all) {
          const text = JSON.stringify(left)
          if ((size += text.length) > MAX_SIZE) break
          batch.push(kv.set(keyOf(node, id), text, { ttl }))
          if (batch.length < WRITE_BATCH) continue
          await Promise.all(batch)
          batch = []
        }
        await Promise.all(batch)
      } catch (error) {
        log.warn('sessions could not be left to other processes', errorFields(error))
      }
    },
    /** What a process left of a session. Who takes it has it, and the next one is told where it is. */
    async take(of: string, id: string): Promise<Handoff | null> {
      try {
        const text = await kv.get(keyOf(of, id))
        if (text === null) return null
        const left = JSON.parse(text) as Handoff
        if ('to' in left) return left
        // Replaced by where it went, for the next process that asks: the client may not have heard of the move.
        return (await kv.compareAndSet(keyOf(of, id), { from: text, to: JSON.stringify({ to: node }) })) ? left : null
      } catch (error) {
        log.warn('it is not known what another process left', errorFields(error))
        return null
      }
    },
  }
}
