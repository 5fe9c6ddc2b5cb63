import type { ServerFrame } from '@sdk/protocol'
import type { Engine, EngineSubscription } from '../engine/engine.ts'
import { errorFields, type Log } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'
import type { SessionIds } from './session-id.ts'

/** Which session a process wants that its client came to, and what the client has of it. */
export interface Wanted {
  /** What everybody may know of it: its client's secret stays with its client. */
  readonly id: string
  /** The number of the last message that it got. */
  readonly has: number
  /** Was it sent on by a process that gave it away? */
  readonly isFollowed?: true
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
  /** The processes that had it before, the last one first: they may have something to say to its client still. */
  readonly before: readonly string[]
}

/** Where a session went. */
export interface Moved {
  readonly to: string
}

/** What is known of a session that was asked for. */
export type Answer = Handed | Moved | null

/** What nodes work with. */
export interface NodesParts {
  readonly engine: Engine
  readonly ids: SessionIds
  readonly log: Log
  /** Another process asks for a session; it never throws. */
  answer(by: string, wanted: Wanted): Promise<Answer>
  /** A message to a client, from a process that had its session before. */
  deliver(id: string, json: string): void
  /** A session that we gave away is elsewhere by now. */
  moved(id: string, to: string): void
}

/** What processes say to each other. */
type Note =
  | { readonly o: 'ask'; readonly number: number; readonly by: string; readonly wanted: Wanted }
  | { readonly o: 'answer'; readonly number: number; readonly by: string; readonly answer: Answer }
  | { readonly o: 'message'; readonly id: string; readonly json: string }
  | { readonly o: 'moved'; readonly id: string; readonly to: string }

/**
 * Time is counted in ticks of a timer, of so many ms. A busy process ticks late, so that an answer which has come, and
 * was not read yet, is not given up.
 */
const TICK = 100
/** How many ticks a process may take to answer: where nothing else is heard of it, and where it is. */
const PATIENCE = 30
const LONG_PATIENCE = 80
/** Every so many ticks we look whether a process is there. One that is missing so many times in a row is dead. */
const LOOK_EVERY = 4
const MISSED = 2
/** A dead process is not asked again for so many ticks: otherwise each of its clients would wait. */
const SILENT_FOR = 100
/** Questions that wait for their answers at most. */
const MAX_ASKED = 10_000

interface Question {
  readonly node: string
  readonly at: number
  isSent: boolean
  settle(answer: Answer): void
}

/** The processes of an engine, to each other: each hears a stream of its own. */
export class Nodes {
  readonly #parts: NodesParts
  /** The oldest come first. */
  readonly #asked = new Map<number, Question>()
  /** In which tick a process was heard last. */
  readonly #heard = new Map<string, number>()
  /** Until which tick a process counts as dead. */
  readonly #silent = new Map<string, number>()
  /** How many times in a row a process was missing. */
  readonly #missed = new Map<string, number>()
  readonly #answering = new Set<Promise<void>>()
  #count = 0
  #ticks = 0
  #clock: ReturnType<typeof setInterval> | null = null
  #hearing: Promise<EngineSubscription> | null = null

  constructor(parts: NodesParts) {
    this.#parts = parts
  }

  /** From now on others can ask us; settles when they are heard. */
  open(): Promise<unknown> {
    return (this.#hearing ??= this.#hear())
  }

  /** Asks a process for a session; null where it knows nothing of it, or does not answer in time. */
  ask(node: string, wanted: Wanted): Promise<Answer> {
    if (this.#silent.has(node) || this.#asked.size >= MAX_ASKED) return Promise.resolve(null)
    const number = (this.#count += 1)
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        this.#asked.delete(number)
        resolve(answer)
      }
      const question: Question = { node, at: this.#ticks, isSent: false, settle }
      this.#asked.set(number, question)
      this.#clock ??= unref(setInterval(() => this.#tick(), TICK))
      this.open()
        .then(() => this.#post(node, { o: 'ask', number, by: this.#parts.ids.node, wanted }))
        .then(
          () => (question.isSent = true),
          () => settle(null),
        )
    })
  }

  /** Says something to a process. What cannot be said is missed there: that process tells its client of a gap. */
  async tell(node: string, note: Note): Promise<void> {
    try {
      await this.#post(node, note)
    } catch (error) {
      this.#parts.log.warn('another process was not told of a session', errorFields(error))
    }
  }

  /** Hears no more questions; settles when those that were heard are answered. */
  async close(): Promise<void> {
    void this.#hearing?.then(({ end }) => end()).catch(() => undefined) // there was nothing to end
    for (const { settle } of this.#asked.values()) settle(null)
    this.#stopClock()
    await Promise.all(this.#answering)
  }

  #tick(): void {
    this.#ticks += 1
    if (this.#ticks % LOOK_EVERY === 0) this.#look()
    for (const question of this.#asked.values()) {
      const { node, at, isSent, settle } = question
      if (this.#ticks - at < PATIENCE) break
      const isAlive = this.#ticks - (this.#heard.get(node) ?? -PATIENCE) < PATIENCE
      if (isAlive && this.#ticks - at < LONG_PATIENCE) continue
      if (isSent && !isAlive) this.#silent.set(node, this.#ticks + SILENT_FOR)
      settle(null)
    }
    for (const [node, until] of this.#silent) if (until <= this.#ticks) this.#silent.delete(node)
    if (this.#asked.size + this.#silent.size === 0) this.#stopClock()
  }

  /** Looks for those who owe us an answer: clients of one that was killed wait for nothing. */
  #look(): void {
    const { names } = this.#parts.engine
    if (names === undefined) return
    for (const node of new Set(Array.from(this.#asked.values(), (question) => question.node))) {
      names.isHeld(node).then(
        (isHeld) => this.#looked(node, isHeld),
        () => undefined, // nobody knows
      )
    }
  }

  #looked(node: string, isHeld: boolean): void {
    // A look may take longer than the answer: who owes none by then is there.
    const owed = [...this.#asked.values()].filter((question) => question.node === node)
    const missed = isHeld || owed.length === 0 ? 0 : (this.#missed.get(node) ?? 0) + 1
    if (missed > 0 && missed < MISSED) return void this.#missed.set(node, missed)
    this.#missed.delete(node)
    if (missed === 0) return
    this.#silent.set(node, this.#ticks + SILENT_FOR)
    for (const { settle } of owed) settle(null)
  }

  #stopClock(): void {
    if (this.#clock !== null) clearInterval(this.#clock)
    this.#clock = null
    this.#heard.clear()
    this.#missed.clear()
  }

  async #hear(): Promise<EngineSubscription> {
    const { engine, ids } = this.#parts
    engine.names?.hold(ids.node)
    try {
      return await engine.subscribe(await ids.streamOf(ids.node), ({ data }) => this.#take(JSON.parse(data) as Note))
    } catch (error) {
      this.#hearing = null // the next one tries again
      throw error
    }
  }

  #take(note: Note): void {
    if (note.o === 'ask') this.#hearQuestion(note)
    else if (note.o === 'message') this.#parts.deliver(note.id, note.json)
    else if (note.o === 'moved') this.#parts.moved(note.id, note.to)
    else {
      if (this.#clock !== null) this.#heard.set(note.by, this.#ticks)
      this.#silent.delete(note.by)
      this.#asked.get(note.number)?.settle(note.answer)
    }
  }

  #hearQuestion(note: Extract<Note, { o: 'ask' }>): void {
    const answering = this.#answer(note).finally(() => this.#answering.delete(answering))
    this.#answering.add(answering)
  }

  async #answer({ by, number, wanted }: Extract<Note, { o: 'ask' }>): Promise<void> {
    const answer = await this.#parts.answer(by, wanted)
    await this.tell(by, { o: 'answer', number, by: this.#parts.ids.node, answer })
  }

  async #post(node: string, note: Note): Promise<void> {
    const { engine, ids } = this.#parts
    await engine.publish(await ids.streamOf(node), JSON.stringify(note))
  }
}
