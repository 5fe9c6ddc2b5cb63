import type { BackgroundRun } from '@sdk/server'
import { RUN_ID_HEADER } from '@sdk/server/node'
import type { Run, RunError, RunState, RunSummary } from '../run.ts'
import { HandlerRecorder } from './handler-recorder.ts'
import { RecordedChunks } from './recorded-chunks.ts'
import { toMillis, type RecorderDependencies } from './recorder-dependencies.ts'
import { toJsonOrLogText } from './spans.ts'
import { toRunText, type StoredText } from './stored-text.ts'

/**
 * A recorder for a durable run that is executed without a request: a scheduled run, a run that was started in the
 * background, or a run that continues after a restart. What the run does after a pause is added to the same recording.
 */
export class BackgroundRecorder extends HandlerRecorder {
  readonly #run: BackgroundRun
  readonly #input: StoredText | null
  readonly #chunks: RecordedChunks
  #output: { readonly text: StoredText; readonly at: number } | null = null
  #error: RunError | null = null
  #isAborted = false

  constructor(run: BackgroundRun, deps: RecorderDependencies) {
    super({ target: run.route.slice('POST '.length), rawHeaders: [] }, deps)
    this.#run = run
    this.auth = run.auth
    this.#input = run.input === null ? null : this.budget.take(run.input)
    this.#chunks = new RecordedChunks(this.budget)
  }

  onChunk(chunk: unknown): void {
    this.resume()
    this.#chunks.add(`${toJsonOrLogText(chunk)}\n`, this.at())
  }

  onEnd({ output, error }: { output?: unknown; error?: unknown }): void {
    this.resume()
    if (output !== undefined) this.#output = { text: this.budget.take(toJsonOrLogText(output)), at: this.at() }
    this.#isAborted = error instanceof Error && error.name === 'AbortError'
    this.#error = error === undefined || this.#isAborted ? null : this.toError(error)
    this.#chunks.settle()
    this.end()
  }

  summary(): RunSummary {
    const { id, route, isScheduled } = this.#run
    return {
      ...this.baseSummary(),
      requestId: id,
      durableRun: id,
      route,
      caller: isScheduled ? 'schedule' : 'background',
      kind: 'agent',
      method: 'POST',
      state: this.#state(),
      status: 0,
      bytes: this.#pieces().reduce((sum, { bytes }) => sum + bytes, 0),
      chunks: this.#chunks.count,
      error: this.#error === null ? null : this.toErrorLine(this.#error),
    }
  }

  toRun(): Run {
    const redactor = this.deps.redactor()
    const type = this.#chunks.count > 0 ? 'application/x-ndjson' : 'application/json'
    return {
      ...this.summary(),
      request: { headers: [], body: this.#input === null ? null : toRunText(this.#input, redactor) },
      // A run has no response. The headers name the stored run and the format of the pieces.
      response: {
        headers: [
          [RUN_ID_HEADER, this.#run.id],
          ['content-type', type],
        ],
        at: 0,
      },
      pieces: this.#pieces(),
      spans: this.spans.toSpans(redactor),
      models: this.spans.models.toSteps(redactor),
      recordings: this.spans.recordings.toRecordings(redactor),
      logs: this.spans.toLogs(redactor),
      thrown: this.#error,
      traceId: null,
      closed: null,
    }
  }

  #state(): RunState {
    if (!this.isEnded) return 'running'
    if (this.#isAborted) return 'cancelled'
    return this.#error === null ? 'done' : 'failed'
  }

  #pieces(): Run['pieces'] {
    const redactor = this.deps.redactor()
    if (this.#chunks.count > 0) return this.#chunks.toChunks(redactor)
    const output = this.#output
    return output === null ? [] : [{ ...toRunText(output.text, redactor), at: toMillis(output.at) }]
  }
}
