import type { ServerFrame } from '@sdk/protocol'
import type { Engine, EngineSubscription } from '../engine/engine.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { SessionIds } from './session-id.ts'

/** Which session a process wants that its client came to, and what the client has of it. */
export interface Wanted {
  readonly secret: string
  readonly owner: string | null
  readonly path: string
  /** The number of the last message that it got. */
  readonly has: number
}

/** What a session takes along to another process. */
export interface Handed {
  /** The number of the last message of the client that was handled. */
  readonly handled: number
  /** The number of the last message to the client. */
  readonly last: number
  /** Those up to there that the client has not got, as far as they are kept. */
  readonly texts: readonly string[]
  /** Errors that it was not told. */
  readonly errors: readonly ServerFrame[]
}

/** What nodes work with. */
export interface NodesParts {
  readonly engine: Engine
  readonly ids: SessionIds
  readonly log: Log
  readonly now: () => number
  /** Gives up a session, or null where it is not here; what is said to its client later goes to `forward`. */
  handOver(wanted: Wanted, forward: (json: string) => void): Promise<Handed | null>
  /** A message to a client, from a process that had its session before. */
  deliver(secret: string, json: string): void
}

/** What processes say to each other. */
type Note =
  | { readonly o: 'ask'; readonly number: number; readonly by: string; readonly wanted: Wanted }
  | { readonly o: 'answer'; readonly number: number; readonly handed: Handed | null }
  | { readonly o: 'message'; readonly secret: string; readonly json: string }

/** How long a process may take to answer, in ms. */
const PATIENCE = 1_000
/** One that did not is not asked again for so long, or each client of a dead process would wait. */
const SILENT_FOR = 10_000
/** Questions that wait for their answers at most. */
const MAX_ASKED = 10_000

/** The processes of an engine, to each other: each hears a stream of its own. */
export class Nodes {
  readonly #parts: NodesParts
  readonly #asked = new Map<number, (handed: Handed | null) => void>()
  /** Until when these are held to be dead. */
  readonly #silent = new Map<string, number>()
  #count = 0
  #hearing: Promise<EngineSubscription> | null = null

  constructor(parts: NodesParts) {
    this.#parts = parts
  }

  /** From now on others can ask us; settles when they are heard. */
  open(): Promise<unknown> {
    return (this.#hearing ??= this.#hear())
  }

  /** Asks a process for a session; null where it has none, or does not answer in time. */
  ask(node: string, wanted: Wanted): Promise<Handed | null> {
    if (this.#isSilent(node) || this.#asked.size >= MAX_ASKED) return Promise.resolve(null)
    const number = (this.#count += 1)
    return new Promise((resolve) => {
      let isSent = false
      const settle = (handed: Handed | null): void => {
        clearTimeout(timer)
        this.#asked.delete(number)
        resolve(handed)
      }
      const timer = setTimeout(() => {
        if (isSent) this.#silent.set(node, this.#parts.now() + SILENT_FOR)
        settle(null)
      }, PATIENCE)
      this.#asked.set(number, settle)
      this.open()
        .then(() => this.#post(node, { o: 'ask', number, by: this.#parts.ids.node, wanted }))
        .then(
          () => (isSent = true),
          () => settle(null),
        )
    })
  }

  close(): void {
    void this.#hearing?.then(({ end }) => end()).catch(() => undefined) // there was nothing to end
    for (const settle of this.#asked.values()) settle(null)
  }

  #isSilent(node: string): boolean {
    const until = this.#silent.get(node)
    if (until === undefined || until > this.#parts.now()) return until !== undefined
    this.#silent.delete(node)
    return false
  }

  async #hear(): Promise<EngineSubscription> {
    const { engine, ids } = this.#parts
    try {
      return await engine.subscribe(await ids.streamOf(ids.node), ({ data }) => this.#take(JSON.parse(data) as Note))
    } catch (error) {
      this.#hearing = null // the next one tries again
      throw error
    }
  }

  #take(note: Note): void {
    if (note.o === 'ask') void this.#answer(note)
    else if (note.o === 'answer') this.#asked.get(note.number)?.(note.handed)
    else this.#parts.deliver(note.secret, note.json)
  }

  async #answer({ by, number, wanted }: Extract<Note, { o: 'ask' }>): Promise<void> {
    const { secret } = wanted
    const forward = (json: string): void => void this.#tell(by, { o: 'message', secret, json })
    const handed = await this.#parts.handOver(wanted, forward)
    await this.#tell(by, { o: 'answer', number, handed })
  }

  /** What cannot be said is missed there: that process tells its client of a gap. */
  async #tell(node: string, note: Note): Promise<void> {
    try {
      await this.#post(node, note)
    } catch (error) {
      this.#parts.log.warn('another process was not told of a session', errorFields(error))
    }
  }

  async #post(node: string, note: Note): Promise<void> {
    const { engine, ids } = this.#parts
    await engine.publish(await ids.streamOf(node), JSON.stringify(note))
  }
}
