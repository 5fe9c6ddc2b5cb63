import type { Reply } from '@sdk/server'
import { isReplyStream, mergeDefaultHeaders } from '@sdk/server/node'
import type { Run, RunChunk } from '../run.ts'
import { toErrorLine, toMillis } from './recorder-dependencies.ts'
import { RecordedChunks } from './recorded-chunks.ts'
import type { Redactor } from './redact.ts'
import { storedBytes, storedText, toRunText, type StoredText, type TextBudget } from './stored-text.ts'

/** A recorded response. It is a copy that does not retain the reply itself. */
export class RecordedResponse {
  readonly status: number
  /** The chunks of a stream, or null if the body was sent in one piece. */
  readonly stream: RecordedChunks | null
  readonly #at: number
  readonly #headers: Reply['headers']
  readonly #defaultHeaders: Reply['defaultHeaders']
  readonly #whole: StoredText | null

  /** `at` is the time since the run started, in ms. */
  constructor({ status, headers, defaultHeaders, body }: Reply, budget: TextBudget, at: number) {
    const isMade = isReplyStream(body)
    this.status = status
    this.#at = at
    this.#headers = headers
    this.#defaultHeaders = defaultHeaders
    this.stream = isMade ? new RecordedChunks(budget) : null
    this.#whole = isMade || body === null ? null : budget.take(body)
  }

  /**
   * Returns the number of chunks in a stream, or 0 for a complete body. A web `Response` always sends a stream, so a
   * single chunk counts as a complete body unless it has the content type of a stream.
   */
  chunks(): number {
    const count = this.stream?.count ?? 0
    const type = String(this.#headers['content-type'] ?? '')
    return count === 1 && !/ndjson|event-stream/.test(type) ? 0 : count
  }

  bytes(): number {
    return this.stream?.bytes() ?? (this.#whole === null ? 0 : storedBytes(this.#whole))
  }

  toResponse(redactor: Redactor): NonNullable<Run['response']> {
    const lines = Object.entries(this.#wholeHeaders()).flatMap(([name, value]) =>
      [value].flat().flatMap((one) => [name, one]),
    )
    return { headers: redactor.headers(lines), at: toMillis(this.#at) }
  }

  toChunks(redactor: Redactor): RunChunk[] {
    if (this.stream !== null) return this.stream.toChunks(redactor)
    return this.#whole === null ? [] : [{ ...toRunText(this.#whole, redactor), at: toMillis(this.#at) }]
  }

  requestId(): string {
    return this.header('x-request-id') ?? ''
  }

  header(name: string): string | null {
    const value = this.#wholeHeaders()[name]
    return value === undefined ? null : String(value)
  }

  /**
   * Returns the code and message from an error envelope, or the status if there is no envelope. Returns null if there
   * is no error.
   */
  errorLine(): string | null {
    if (this.status < 400) return null
    const text = this.stream?.firstText() ?? (this.#whole === null ? '' : storedText(this.#whole))
    return envelopeLine(text) ?? `HTTP ${this.status}`
  }

  #wholeHeaders(): Reply['headers'] {
    return mergeDefaultHeaders({ headers: this.#headers, defaultHeaders: this.#defaultHeaders })
  }
}

function envelopeLine(text: string): string | null {
  if (text.length > 100_000) return null
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
    return error === undefined ? null : toErrorLine(`${String(error.code)}: ${String(error.message)}`)
  } catch {
    return null
  }
}
