import type { SessionDependencies } from './session-dependencies.ts'
import type { AcceptedClient } from './accepted-client.ts'
import { END } from './connection-end.ts'
import { errorFields } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'
import { SessionMigration } from './session-migration.ts'
import type { SessionSnapshot, SessionRequest } from './node-messaging.ts'
import { Session, type SessionStart } from './session.ts'
import type { SessionClaim, SessionIds } from './session-id.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

/** A client's session, and the data for its `ok` frame. */
export interface FoundSession {
  readonly session: Session
  readonly sid: string
  /** Whether the client continues its previous message numbering. */
  readonly isResumed: boolean
  /** Whether messages to the client may have been lost. */
  readonly hasGap: boolean
}

/** The maximum number of disconnected sessions that are kept. */
const MAX_DISCONNECTED = 10_000

const EXPIRY_INTERVAL_MS = 5_000

/** How long a request from another process waits for a session that is being resumed in this one, in ms. */
const RESUME_TIMEOUT_MS = 500

/** The sessions of a process: connected ones, and disconnected ones whose clients may reconnect. */
export class Sessions {
  readonly #deps: SessionDependencies
  readonly #ids: SessionIds
  readonly #bySecret = new Map<string, Session>()
  readonly #byId = new Map<string, Session>()
  /** The disconnected sessions, oldest first. */
  readonly #disconnected = new Set<Session>()
  readonly #migration: SessionMigration
  /** Sessions that are being resumed, by id. A client's second connection waits for its first. */
  readonly #resuming = new Map<string, Promise<unknown>>()
  /** Sessions of raw clients. Each ends with its connection. */
  readonly #raw = new Set<Session>()
  #timer: ReturnType<typeof setInterval> | null = null
  /** Whether other processes can no longer request the sessions of this one. */
  #isClosed = false

  constructor(deps: SessionDependencies) {
    this.#deps = deps
    this.#ids = deps.ids
    this.#migration = new SessionMigration({
      ...deps,
      ttlMs: deps.limits.replayTtl,
      settled: (id) =>
        this.#resuming.has(id) ? Promise.race([this.#resuming.get(id), delay(RESUME_TIMEOUT_MS)]) : undefined,
      release: (request, forward) => this.#release(request, forward),
      send: (id, json) => this.#send(id, json),
    })
  }

  /** Resumes the session with this id or creates one. `has` is the number of the last message the client received. */
  async find(client: AcceptedClient, sid: string | null, has: number): Promise<FoundSession> {
    const owner = ownerOf(client)
    this.#migration.open().catch(() => undefined) // the next call retries; until then, no session can be handed over
    const claim = sid === null ? null : await this.#ids.read(sid, owner)
    const other = claim === null ? undefined : this.#bySecret.get(claim.secret)
    const isOwn = other === undefined || (other.start.owner === owner && other.start.path === client.path)
    const past = isOwn ? claim : null
    const secret = past?.secret ?? this.#ids.create()
    const id = await this.#ids.toPublic(secret, client.path, owner)
    const signed = await this.#ids.sign(secret, owner)
    const session = await this.#serialize(id, () => this.#resume(client, { id, secret, past, has }))
    // A client that has already sent a frame in this session has been notified of the gap.
    const hasGap = !session.start.isWhole && !session.hasReceivedFrame
    return { session, sid: signed, isResumed: secret === claim?.secret, hasGap }
  }

  /** Creates a session that ends with its connection. */
  createRaw(client: AcceptedClient): Session {
    const session = new Session(toSessionStart(client, { id: this.#ids.create(), secret: '' }), this.#deps)
    this.#raw.add(session)
    return session
  }

  /** Keeps a disconnected client's session for a while, unless no client can resume it. */
  retain(session: Session): void {
    const isRaw = session.start.secret === ''
    if (isRaw || this.#isClosed) return this.forget(session)
    this.#disconnected.add(session)
    for (const oldest of this.#disconnected) {
      if (this.#disconnected.size <= MAX_DISCONNECTED) break
      this.forget(oldest)
    }
    this.#timer ??= unref(setInterval(() => this.#expire(), EXPIRY_INTERVAL_MS))
  }

  /** Deletes a session that no client will resume. */
  forget(session: Session): void {
    this.#disconnected.delete(session)
    this.#raw.delete(session)
    this.#drop(session)
    session.outbox.end()
  }

  /** Deletes the sessions of disconnected clients whose user session has ended. */
  forgetDisconnected(userSessions: ReadonlySet<string>): void {
    for (const session of this.#disconnected) {
      const { auth } = session.peer
      if (auth !== null && userSessions.has(auth.session.id)) this.forget(session)
    }
  }

  /** Switches to these handlers, starting with the next message. Disconnects clients whose socket no longer exists. */
  use(sockets: ReadonlyMap<string, AnySocketDefinition>): void {
    for (const session of [...this.#bySecret.values(), ...this.#raw]) {
      const socket = sockets.get(session.start.path)
      if (socket !== undefined) session.use(socket)
      else if (session.link === null) this.forget(session)
      else session.refuse(END.removeSocket)
    }
  }

  /** Hands the sessions of disconnected clients over to other processes, and asks connected clients to reconnect. */
  async close(): Promise<void> {
    const left = new Map<string, SessionSnapshot>()
    for (const session of this.#disconnected) {
      const snapshot = session.leave(0, () => undefined)
      left.set(session.start.id, snapshot)
      this.forget(session)
    }
    for (const { link } of this.#bySecret.values()) link?.requestReconnect(0)
    for (const { link } of this.#raw) link?.close(END.restart)
    await this.#migration.close(left)
    this.#isClosed = true
    for (const session of this.#disconnected) this.forget(session)
    this.#stopTimer()
  }

  /** Calls `work` after all earlier calls for the same session have settled. */
  #serialize(id: string, work: () => Promise<Session>): Promise<Session> {
    const before = this.#resuming.get(id)
    const sought = before === undefined ? work() : before.then(work, work)
    const done = (): unknown => this.#resuming.get(id) === sought && this.#resuming.delete(id)
    this.#resuming.set(id, sought)
    sought.then(done, done)
    return sought
  }

  /** Finds or creates the session, and then registers it synchronously. */
  async #resume(client: AcceptedClient, lookup: SessionLookup): Promise<Session> {
    const { id, secret, past } = lookup
    const local = this.#bySecret.get(secret)
    const session = this.#isCurrent(local, past) ? local : await this.#begin(client, lookup)
    const known = this.#bySecret.get(secret)
    if (known !== undefined && known !== session) this.#retire(known)
    this.#bySecret.set(secret, session)
    this.#byId.set(id, session)
    this.#disconnected.delete(session)
    for (const json of this.#migration.takeEarly(id)) session.outbox.send(json)
    return session
  }

  /** Returns whether the local session is current. It is outdated if the client has since used another process. */
  #isCurrent(local: Session | undefined, past: SessionClaim | null): local is Session {
    if (local === undefined || past === null) return false
    // The client may have already moved to this process, but lost its connection before it received the new id.
    return past.node === this.#ids.node || (past.node === local.start.from && !local.hasReceivedFrame)
  }

  /** Fetches a session from another process, or creates one. */
  async #begin(client: AcceptedClient, { id, secret, past, has }: SessionLookup): Promise<Session> {
    if (past === null) return new Session(toSessionStart(client, { id, secret }), this.#deps)
    // Without a valid signature, no stored state is read; only the client's message numbers are used.
    const snapshot = past.hasValidSignature ? await this.#migration.fetchSession(past.node, { id, has }) : null
    const handled = snapshot?.handled ?? (past.hasValidSignature ? await this.#handledBefore(id) : 0)
    const before = snapshot?.before ?? []
    const from = { handled, sent: has, from: past.node, isWhole: snapshot !== null, before }
    const session = new Session(toSessionStart(client, { id, secret, past: from }), this.#deps)
    if (snapshot !== null) session.takeOver(snapshot)
    return session
  }

  /** Releases a session to the process that its client is now connected to. */
  #release({ id, has, isFollowed }: SessionRequest, forward: (json: string) => void): Promise<SessionSnapshot> | null {
    const session = this.#byId.get(id)
    // If the client has sent a frame to this process, it uses this session, so a redirected request is outdated.
    if (session === undefined || (isFollowed === true && session.hasReceivedFrame)) return null
    this.#drop(session)
    this.#disconnected.delete(session)
    return session.handOver(has, forward)
  }

  #send(id: string, json: string): boolean {
    const session = this.#byId.get(id)
    session?.outbox.send(json)
    return session !== undefined
  }

  /** Returns the number of the client's last handled message, or 0 if it is unknown. */
  async #handledBefore(id: string): Promise<number> {
    try {
      return (await this.#deps.engine.sequence.get(id)) ?? 0
    } catch (error) {
      this.#deps.log.warn('could not read the number of the last handled message', errorFields(error))
      return 0
    }
  }

  #expire(): void {
    const before = this.#deps.now() - this.#deps.limits.replayTtl
    for (const session of this.#disconnected) {
      if (session.disconnectedAt > before) break
      this.forget(session)
    }
    if (this.#disconnected.size === 0) this.#stopTimer()
  }

  #drop(session: Session): void {
    const { secret, id } = session.start
    if (this.#bySecret.get(secret) === session) this.#bySecret.delete(secret)
    if (this.#byId.get(id) === session) this.#byId.delete(id)
  }

  /** Closes and deletes an outdated session that was continued in another process. */
  #retire(session: Session): void {
    session.replace()
    this.forget(session)
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}

/** The parameters for finding a session. `past` is the client's claim to a previous session, or null. */
interface SessionLookup extends Pick<SessionStart, 'id' | 'secret'> {
  readonly past: SessionClaim | null
  readonly has: number
}

function delay(ms: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

interface SessionIdentity extends Pick<SessionStart, 'id' | 'secret'> {
  /** The state from another process, if the session is continued. */
  readonly past?: Pick<SessionStart, 'handled' | 'sent' | 'from' | 'isWhole' | 'before'>
}

/** A shared empty list, because most sessions have no previous process. */
const NO_NODES: readonly string[] = []

/** Creates the initial state of a session. It avoids object spread, which creates objects that need more memory. */
function toSessionStart(client: AcceptedClient, { id, secret, past }: SessionIdentity): SessionStart {
  return {
    id,
    secret,
    owner: ownerOf(client),
    isSdk: client.isSdk,
    path: client.path,
    log: client.log,
    handled: past?.handled ?? 0,
    isContinued: past !== undefined,
    sent: past?.sent ?? 0,
    from: past?.from ?? '',
    isWhole: past?.isWhole ?? true,
    before: past?.before ?? NO_NODES,
  }
}

function ownerOf({ auth }: AcceptedClient): string | null {
  return auth?.session.userId ?? null
}
