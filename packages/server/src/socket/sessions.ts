import { CLOSE } from '@sdk/protocol'
import { errorFields } from '../log/log.ts'
import type { Arrival } from './hub.ts'
import { Nodes, type Handed, type Wanted } from './nodes.ts'
import { Session, type SessionParts, type SessionStart } from './session.ts'
import type { SessionClaim, SessionIds } from './session-id.ts'
import type { AnySocketDefinition } from './socket.ts'

/** A session for a client that came, and what the client must know of it. */
export interface Found {
  readonly session: Session
  readonly sid: string
  /** Do the numbers go on that the client has? */
  readonly isResumed: boolean
  /** May the client have missed replies that nobody has any more? */
  readonly hasGap: boolean
}

/** Sessions without a connection that are kept at most. */
const MAX_AWAY = 10_000

const SWEEP_EVERY = 5_000

/** Messages that are held for a session on its way here, at most. */
const MAX_EARLY = 256

/** A session that was made for a client that came. */
interface Made {
  readonly session: Session
  /** Has it all that another process had? */
  readonly isWhole: boolean
}

/** The sessions of a process: those with a connection, and those whose clients may come back. */
export class Sessions {
  readonly #parts: SessionParts
  readonly #ids: SessionIds
  readonly #known = new Map<string, Session>()
  /** Who has been away for the longest time comes first. */
  readonly #away = new Set<Session>()
  readonly #nodes: Nodes
  /** What came for sessions that another process is asked for, before they are here. */
  readonly #early = new Map<string, string[]>()
  /** Those that end with their connection. */
  readonly #raw = new Set<Session>()
  #timer: ReturnType<typeof setInterval> | null = null

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.#ids = parts.ids
    this.#nodes = new Nodes({
      ...parts,
      handOver: (wanted, forward) => this.#handOver(wanted, forward),
      deliver: (secret, json) => this.#deliver(secret, json),
    })
  }

  /** Resumes the session of this id, or begins one; `has` is how many messages the client got in it. */
  async find(arrival: Arrival, sid: string | null, has: number): Promise<Found> {
    const owner = ownerOf(arrival)
    this.#nodes.open().catch(() => undefined) // until it is heard, nobody can ask us
    const claim = sid === null ? null : await this.#ids.read(sid, owner)
    const local = claim === null ? undefined : this.#known.get(claim.secret)
    const isOwn = local === undefined || (local.start.owner === owner && local.start.path === arrival.path)
    // One that the client took to another process meanwhile has older numbers than the client.
    const current = isOwn && claim?.node === this.#ids.node ? local : undefined
    const past = isOwn ? claim : null
    const secret = past?.secret ?? this.#ids.create()
    const signed = await this.#ids.sign(secret, owner)
    const made = current === undefined ? await this.#begin(arrival, { secret, past, has }) : toMade(current)
    // Nothing is waited for from here on: another connection of the same client may have come, or gone, meanwhile.
    const known = this.#known.get(secret)
    const session = known === undefined || (known === local && current === undefined) ? made.session : known
    if (known !== undefined && known !== session) this.#retire(known)
    this.#known.set(secret, session)
    this.#away.delete(session)
    for (const json of this.#early.get(secret) ?? []) session.outgoing.send(json)
    this.#early.delete(secret)
    const isWhole = current !== undefined || (made.isWhole && session === made.session)
    return { session, sid: signed, isResumed: secret === claim?.secret, hasGap: past !== null && !isWhole }
  }

  /** A session that ends with its connection. */
  createRaw(arrival: Arrival): Session {
    const session = new Session(startOf(arrival, { id: this.#ids.create(), secret: '' }), this.#parts)
    this.#raw.add(session)
    return session
  }

  /** Its client is away: it is kept for a while. */
  away(session: Session): void {
    if (session.start.secret === '') return this.forget(session)
    this.#away.add(session)
    for (const oldest of this.#away) {
      if (this.#away.size <= MAX_AWAY) break
      this.forget(oldest)
    }
    this.#timer ??= startTimer(() => this.#sweep())
  }

  /** Nobody comes back to it. */
  forget(session: Session): void {
    const { secret } = session.start
    this.#away.delete(session)
    this.#raw.delete(session)
    if (this.#known.get(secret) === session) this.#known.delete(secret)
    session.outgoing.end()
  }

  /** These users' sessions are over: what is kept for clients who are away with them is nobody's any more. */
  forgetAway(userSessions: ReadonlySet<string>): void {
    for (const session of this.#away) {
      const { auth } = session.peer
      if (auth !== null && userSessions.has(auth.session.id)) this.forget(session)
    }
  }

  /** From the next message on these handlers run; who has none any more is sent away. */
  use(sockets: ReadonlyMap<string, AnySocketDefinition>): void {
    for (const session of [...this.#known.values(), ...this.#raw]) {
      const socket = sockets.get(session.start.path)
      if (socket !== undefined) session.socket = socket
      else if (session.link === null) this.forget(session)
      else session.gone()
    }
  }

  /** Forgets those whose clients are away, and asks the others to come back: to who takes our place. */
  close(): void {
    for (const session of this.#away) this.forget(session)
    for (const { link } of this.#known.values()) link?.bye(0)
    for (const { link } of this.#raw) link?.close(CLOSE.restart, 'restart')
    this.#stopTimer()
    this.#nodes.close()
  }

  /** A session that nobody here knows: one that another process had, or a new one. */
  async #begin(arrival: Arrival, { secret, past, has }: Beginning): Promise<Made> {
    const id = await this.#ids.toPublic(secret, arrival.path, ownerOf(arrival))
    if (past === null) return toMade(new Session(startOf(arrival, { id, secret }), this.#parts))
    // What is not signed by us is taken at its word for its own messages' numbers, and for nothing else.
    const handed = past.isOurs ? await this.#fetch(arrival, past, has) : null
    const handled = handed?.handled ?? (past.isOurs ? await this.#handledBefore(arrival, id) : 0)
    const session = new Session(startOf(arrival, { id, secret, past: { handled, sent: has } }), this.#parts)
    if (handed !== null) session.takeOver(handed)
    return { session, isWhole: handed !== null }
  }

  /** Asks the process for a session that had it last. */
  async #fetch(arrival: Arrival, { secret, node }: SessionClaim, has: number): Promise<Handed | null> {
    if (node === this.#ids.node) return null // it was here, and is kept no longer
    this.#early.set(secret, this.#early.get(secret) ?? [])
    return this.#nodes.ask(node, { secret, owner: ownerOf(arrival), path: arrival.path, has })
  }

  /** Gives a session up to the process that its client is at. */
  async #handOver({ secret, owner, path, has }: Wanted, forward: (json: string) => void): Promise<Handed | null> {
    const session = this.#known.get(secret)
    if (session === undefined || session.start.owner !== owner || session.start.path !== path) return null
    this.#known.delete(secret)
    this.#away.delete(session)
    return session.handOver(has, forward)
  }

  /** A process that had a session before says something to its client. */
  #deliver(secret: string, json: string): void {
    const early = this.#early.get(secret)
    if (early === undefined) this.#known.get(secret)?.outgoing.send(json)
    else if (early.length < MAX_EARLY) early.push(json)
  }

  /** As far as is known. */
  async #handledBefore({ log }: Arrival, id: string): Promise<number> {
    try {
      return (await this.#parts.engine.sequence.get(id)) ?? 0
    } catch (error) {
      log.warn('it is not known which messages were handled', errorFields(error))
      return 0
    }
  }

  #sweep(): void {
    const before = this.#parts.now() - this.#parts.limits.ringTime
    for (const session of this.#away) {
      if (session.awaySince > before) break
      this.forget(session)
    }
    if (this.#away.size === 0) this.#stopTimer()
  }

  /** Another process has gone on with it. */
  #retire(session: Session): void {
    session.replace()
    this.forget(session)
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }
}

/** Where to begin: `past` is what the client says of a session it had. */
interface Beginning {
  readonly secret: string
  readonly past: SessionClaim | null
  readonly has: number
}

function toMade(session: Session): Made {
  return { session, isWhole: true }
}

function startTimer(run: () => void): ReturnType<typeof setInterval> {
  const timer = setInterval(run, SWEEP_EVERY)
  if (typeof timer === 'object') timer.unref()
  return timer
}

interface Identity extends Pick<SessionStart, 'id' | 'secret'> {
  /** What came and went elsewhere. */
  readonly past?: Pick<SessionStart, 'handled' | 'sent'>
}

/** Written out, since thousands of these are kept: those made by spreading share no shape. */
function startOf(arrival: Arrival, { id, secret, past }: Identity): SessionStart {
  return {
    id,
    secret,
    owner: ownerOf(arrival),
    isSdk: arrival.isSdk,
    path: arrival.path,
    log: arrival.log,
    handled: past?.handled ?? 0,
    isContinued: past !== undefined,
    sent: past?.sent ?? 0,
  }
}

function ownerOf({ auth }: Arrival): string | null {
  return auth?.session.userId ?? null
}
