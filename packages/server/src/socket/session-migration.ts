import type { Engine } from '../engine/engine.ts'
import type { Log } from '../log/log.ts'
import { createLeftBehinds, type LeftBehinds } from './session-handoff-store.ts'
import { Nodes, type Answer, type Handed, type Wanted } from './node-messaging.ts'
import type { SessionIds } from './session-id.ts'

/** What moves work with. */
export interface MovesParts {
  readonly engine: Engine
  readonly ids: SessionIds
  readonly log: Log
  readonly now: () => number
  /** For how long it is known where a session went, in ms. */
  readonly keepFor: number
  /** Settles when a session that is on its way here has come, or it takes too long; undefined where there is none. */
  settled(id: string): Promise<unknown> | undefined
  /** Gives up a session, or null where it is not here; what is said to its client later goes to `forward`. */
  give(wanted: Wanted, forward: (json: string) => void): Promise<Handed> | null
  /** Says something to the client of a session; false where it is not here. */
  send(id: string, json: string): boolean
}

interface Away {
  to: string
  readonly since: number
}

/** Sessions that went elsewhere and are remembered at most. */
const MAX_AWAY = 10_000

/** A client that has not heard of its move within so long, in ms, tries another process. */
const MAY_TURN = 15_000

/** Messages that are held for a session on its way here, at most. */
const MAX_EARLY = 256

/** So many times a session is followed to where it went. */
const MAX_HOPS = 4

/** Brings sessions from one process to another, after their clients. */
export class Moves {
  readonly #parts: MovesParts
  readonly #nodes: Nodes
  readonly #left: LeftBehinds
  /** Where sessions of ours went; the oldest come first. */
  readonly #away = new Map<string, Away>()
  /** What came for sessions that another process is asked for, before they are here. */
  readonly #early = new Map<string, string[]>()
  /** Settles when all is left that we leave. */
  #leaving: Promise<void> | null = null

  constructor(parts: MovesParts) {
    this.#parts = parts
    const { engine, ids, log, keepFor } = parts
    this.#left = createLeftBehinds({ kv: engine.kv, log, node: ids.node, keepFor })
    this.#nodes = new Nodes({
      ...parts,
      answer: (by, wanted) => this.#answer(by, wanted),
      deliver: (id, json) => this.#deliver(id, json),
      moved: (id, to) => this.#turn(id, to),
    })
  }

  /** From now on others can ask us; settles when they are heard. */
  open(): Promise<unknown> {
    return this.#nodes.open()
  }

  /** Brings a session here from the process that its client names, or from where it went since; null where it is lost. */
  async bring(node: string, wanted: Wanted): Promise<Handed | null> {
    const { id } = wanted
    const own = this.#parts.ids.node
    this.#early.set(id, this.#early.get(id) ?? [])
    let at = node === own ? this.#away.get(id)?.to : node
    for (let hops = 0; hops < MAX_HOPS && at !== undefined && at !== own; hops += 1) {
      const answer = await this.#find(at, at === node ? wanted : { ...wanted, isFollowed: true })
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
  async close(sessions: ReadonlyMap<string, Handed>): Promise<void> {
    const since = this.#parts.now() - MAY_TURN
    const gone = [...this.#away].filter(([id, away]) => away.since > since && !sessions.has(id))
    this.#leaving = this.#left.leave([...sessions, ...gone.map(([id, { to }]) => [id, { to }] as const)])
    await this.#leaving
    await this.#nodes.close()
  }

  /** Looks for what the process has left, asks it, and looks again: it may have ended meanwhile. */
  async #find(node: string, wanted: Wanted): Promise<Answer> {
    const left = await this.#left.take(node, wanted.id)
    return left ?? (await this.#nodes.ask(node, wanted)) ?? (await this.#left.take(node, wanted.id))
  }

  async #answer(by: string, wanted: Wanted): Promise<Answer> {
    const { id } = wanted
    // If this process is ending, what it leaves must be stored first: there the other one looks next.
    await this.#leaving
    await this.#parts.settled(id)?.catch(() => undefined) // who looked for it is told
    const away: Away = { to: by, since: this.#parts.now() }
    const given = this.#parts.give(wanted, (json) => void this.#nodes.tell(away.to, { o: 'message', id, json }))
    if (given === null) {
      const to = this.#away.get(id)?.to
      return to === undefined || to === by ? null : { to }
    }
    this.#remember(id, away)
    const { before, ...handed } = await given
    for (const node of before) void this.#nodes.tell(node, { o: 'moved', id, to: by })
    return { ...handed, before: [this.#parts.ids.node, ...before].slice(0, MAX_HOPS) }
  }

  #remember(id: string, away: Away): void {
    for (const [oldest, { since }] of this.#away) {
      if (this.#away.size < MAX_AWAY && since > away.since - this.#parts.keepFor) break
      this.#away.delete(oldest)
    }
    this.#away.delete(id)
    this.#away.set(id, away)
  }

  /** What a process says that had a session before; it may have gone on from here. */
  #deliver(id: string, json: string): void {
    const early = this.#early.get(id)
    if (early !== undefined) return void (early.length < MAX_EARLY && early.push(json))
    if (this.#parts.send(id, json)) return
    const to = this.#away.get(id)?.to
    if (to !== undefined) void this.#nodes.tell(to, { o: 'message', id, json })
  }

  #turn(id: string, to: string): void {
    const away = this.#away.get(id)
    if (away !== undefined) away.to = to
  }
}
