import type { Call, CallWatch, LogFields, Piece, Reply, ReplyStream, RequestAuth, RunWatch } from '@sdk/server'
import { isStream, wholeHeaders } from '@sdk/server/node'
import type { Run, RunError, RunIdentity, RunLog, RunState, RunSummary, RunText } from '../run.ts'
import type { RunDraft } from '../store/run-store.ts'
import { callerOf, headerIn } from './caller.ts'
import { firstLine, toMillis, type DraftTools } from './draft-tools.ts'
import { Pieces } from './pieces.ts'
import { hideInError, toRunError } from './run-error.ts'
import { Spans } from './spans.ts'
import { TextBudget, toRunText, type Kept } from './texts.ts'

/** What is kept of an answer: not what it was made with. */
interface Head extends Pick<Reply, 'status' | 'headers'> {
  readonly stamp: string
  readonly isStream: boolean
}

/** A stream that goes on is told of so often, in ms. */
const TELL_EVERY = 100

/** One call, while it is recorded: it keeps what it hears, and puts it in words when it is asked. */
export class CallDraft implements CallWatch, RunDraft {
  readonly id: string
  readonly #tools: DraftTools
  readonly #method: string
  readonly #target: string
  readonly #headers: readonly string[]
  readonly #startedAt: number
  readonly #began: number
  readonly #budget: TextBudget
  readonly #pieces: Pieces
  #revision: number
  #requestId = ''
  #route: string | null = null
  #userId: string | null = null
  #body: Kept | null = null
  #reply: Head | null = null
  #headAt = 0
  #spans: Spans | null = null
  #hasThrown = false
  #thrown: unknown
  #toldError: RunError | null = null
  /** How a stream broke: with last words, or cut off. */
  #broke: 'told' | 'cut' | null = null
  #endedAt: number | null = null
  #bytes = 0
  #isWhole = true

  constructor(call: Call, tools: DraftTools) {
    this.#tools = tools
    this.#method = call.method
    this.#target = call.target
    this.#headers = call.rawHeaders
    this.#startedAt = tools.now()
    this.#began = tools.clock()
    this.#revision = tools.revision()
    this.#budget = new TextBudget(tools.held)
    this.#pieces = new Pieces(this.#budget)
    this.id = tools.nextId(this.#startedAt)
  }

  get isEnded(): boolean {
    return this.#endedAt !== null
  }

  routed(route: string, requestId: string): void {
    this.#route = route
    this.#requestId = requestId
    // The call may have waited for code that was being loaded.
    this.#revision = this.#tools.revision()
  }

  identified(auth: RequestAuth | null): void {
    if (auth === null) return
    this.#userId = auth.session.userId
    this.#tools.people.ask(auth, () => this.#tools.changed(this))
  }

  received(body: string): void {
    this.#body = this.#budget.take(body)
  }

  threw(error: unknown): void {
    if (this.#hasThrown) return
    this.#hasThrown = true
    this.#thrown = error
  }

  nested(route: string, input: unknown): RunWatch {
    return this.#inner().open(route, input, 0)
  }

  logged(level: RunLog['level'], message: string, fields: LogFields | undefined): void {
    this.#inner().log({ level, message, spanId: 0 }, fields)
  }

  gave(): void {
    // Only nested runs give chunks: those of a call go over the wire.
  }

  ended(): void {
    // Only of nested runs: a call ends with its answer.
  }

  /** Takes down an answer on its way out. */
  answered(reply: Reply): Reply {
    const { ended, body, status, headers, stamp = '' } = reply
    this.#reply = { status, headers, stamp, isStream: isStream(body) }
    this.#headAt = this.#at()
    if (isStream(body)) {
      reply.body = this.#watchStream(body)
      this.#tools.changed(this)
    } else if (body !== null) this.#pieces.add(body, this.#headAt)
    reply.ended = (bytes, isWhole) => {
      ended?.(bytes, isWhole)
      this.#end(bytes, isWhole)
    }
    return reply
  }

  /** There is no answer at all. */
  failed(error: unknown): void {
    this.threw(error)
    this.#end(0, false)
  }

  letGo(): void {
    this.#budget.letGo()
  }

  summary(): RunSummary {
    const redactor = this.#tools.redactor()
    return {
      id: this.id,
      requestId: this.#requestId || (this.#stamped('x-request-id') ?? ''),
      route: this.#route,
      kind: this.#target.startsWith('/agent/') ? 'agent' : 'route',
      method: this.#method,
      target: redactor.target(this.#target),
      state: this.#state(),
      status: this.#reply?.status ?? 0,
      startedAt: this.#startedAt,
      ms: this.#endedAt,
      bytes: this.isEnded ? this.#bytes : this.#pieces.bytes(),
      chunks: this.#chunks(),
      caller: callerOf(this.#headers),
      identity: this.#identity(),
      error: this.#errorLine(),
      revision: this.#revision,
      isPinned: false,
    }
  }

  toRun(): Run {
    const redactor = this.#tools.redactor()
    return {
      ...this.summary(),
      request: {
        headers: redactor.headers(this.#headers),
        body: this.#body === null ? unreadBody(this.#headers) : toRunText(this.#body, redactor),
      },
      response: this.#reply === null ? null : { headers: redactor.headers(linesOf(this.#reply)), at: this.#headAt },
      pieces: this.#pieces.toChunks(redactor),
      spans: this.#spans?.toSpans(redactor) ?? [],
      logs: this.#spans?.toLogs(redactor) ?? [],
      thrown: this.#error(),
      traceId: this.#traceId(),
      closed: null,
    }
  }

  #at(): number {
    return toMillis(this.#tools.clock() - this.#began)
  }

  #inner(): Spans {
    return (this.#spans ??= new Spans({
      budget: this.#budget,
      at: () => this.#at(),
      toError: (thrown) => this.#toError(thrown),
    }))
  }

  #toError(thrown: unknown): RunError {
    return hideInError(toRunError(thrown, this.#tools.root), this.#tools.redactor())
  }

  /** Put in words once: it reads files. */
  #error(): RunError | null {
    return this.#hasThrown ? (this.#toldError ??= this.#toError(this.#thrown)) : null
  }

  #watchStream(body: ReplyStream): ReplyStream {
    const { clock } = this.#tools
    const began = this.#began
    const pieces = this.#pieces
    let toldAt = 0
    const note = (piece: Piece): Piece => {
      const at = clock() - began
      pieces.add(piece, at)
      if (at - toldAt > TELL_EVERY) {
        toldAt = at
        this.#tools.changed(this)
      }
      return piece
    }
    return {
      chunks: body.chunks,
      encode(chunk) {
        const piece = body.encode(chunk)
        return piece instanceof Promise ? piece.then(note) : note(piece)
      },
      encodeError: (thrown) => {
        const last = body.encodeError(thrown)
        this.#broke = last === null ? 'cut' : 'told'
        return last === null ? null : note(last)
      },
    }
  }

  #end(bytes: number, isWhole: boolean): void {
    if (this.#endedAt !== null) return
    this.#endedAt = this.#at()
    this.#bytes = bytes
    this.#isWhole = isWhole
    this.#pieces.settle()
    this.#tools.changed(this)
  }

  #state(): RunState {
    if (!this.isEnded) return 'running'
    const status = this.#reply?.status ?? 500
    if (!this.#isWhole) return this.#isOurFault() ? 'failed' : 'cancelled'
    if (status >= 500 || this.#broke !== null) return 'failed'
    return status >= 400 ? 'refused' : 'done'
  }

  /** Of an answer that is not whole: the caller left, unless we cut it. */
  #isOurFault(): boolean {
    const isAbort = this.#thrown instanceof Error && this.#thrown.name === 'AbortError'
    return this.#reply === null || (this.#broke === 'cut' && !isAbort)
  }

  /** A web `Response` comes as a stream too, though most are whole. */
  #chunks(): number {
    if (this.#reply?.isStream !== true) return 0
    const { count } = this.#pieces
    const type = String(this.#reply.headers['content-type'] ?? '')
    return count === 1 && !/ndjson|event-stream/.test(type) ? 0 : count
  }

  #identity(): RunIdentity | null {
    return this.#userId === null ? null : this.#tools.people.get(this.#userId)
  }

  #errorLine(): string | null {
    const thrown = this.#error()
    if (thrown !== null)
      return this.#tools.redactor().text(firstLine(`${thrown.code ?? thrown.name}: ${thrown.message}`))
    if ((this.#reply?.status ?? 0) < 400) return null
    return this.#tools.redactor().text(envelopeLine(this.#pieces.firstText()) ?? `HTTP ${this.#reply?.status}`)
  }

  #stamped(name: string): string | null {
    if (this.#reply === null) return null
    const value = wholeHeaders({ ...this.#reply, body: null })[name]
    return typeof value === 'string' ? value : null
  }

  #traceId(): string | null {
    return /^\w\w-([0-9a-f]{32})-/.exec(headerIn(this.#headers, 'traceparent') ?? '')?.[1] ?? null
  }
}

/** A body that its handler read by itself: only its size is known. */
function unreadBody(headers: readonly string[]): RunText | null {
  const bytes = Number(headerIn(headers, 'content-length') ?? 0)
  return bytes > 0 ? { text: '', bytes, isCut: true } : null
}

function linesOf(head: Head): string[] {
  return Object.entries(wholeHeaders({ ...head, body: null })).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [name, one]),
  )
}

/** The code and the message of an answer that tells of an error. */
function envelopeLine(text: string): string | null {
  if (text.length > 100_000) return null
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
    return error === undefined ? null : firstLine(`${String(error.code)}: ${String(error.message)}`)
  } catch {
    return null
  }
}
