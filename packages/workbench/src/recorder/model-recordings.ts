import { recordModelCall } from '@sdk/server/node'
import type { RunRecording } from '../run.ts'
import type { ModelSteps } from './model-steps.ts'
import type { Redactor } from './redact.ts'
import type { SpanDependencies } from './span-dependencies.ts'
import { toRunText, type StoredText } from './stored-text.ts'

const MAX_RECORDINGS = 100

/** The maximum number of characters stored for all recordings of a run, which leaves room for its other data. */
const MAX_RECORDINGS_TEXT = 300_000

/**
 * The requests that a run sends to other machines, as recordings that tests replay. They are stored only if the run calls
 * a model, since tests replace other services in other ways.
 */
export class ModelRecordings {
  readonly #deps: SpanDependencies
  readonly #steps: Pick<ModelSteps, 'hasSteps'>
  #left = MAX_RECORDINGS_TEXT
  readonly #recordings: { readonly file: string; readonly json: StoredText }[] = []

  /** The responses that have arrived, but are not recorded yet. */
  readonly #pending = new Set<Promise<void>>()

  constructor(deps: SpanDependencies, steps: Pick<ModelSteps, 'hasSteps'>) {
    this.#deps = deps
    this.#steps = steps
  }

  /** Records a request. */
  open(request: Request): ((response: Response) => void) | undefined {
    if (this.#recordings.length >= MAX_RECORDINGS) return undefined
    return (response) => {
      // The app has received the response: a copy that cannot be read is only not recorded.
      const adding = this.#add(request, response)
        .catch(() => {})
        .finally(() => this.#pending.delete(adding))
      this.#pending.add(adding)
    }
  }

  /** Waits for responses that have arrived. Returns null if there are none. */
  settle(): Promise<unknown> | null {
    return this.#pending.size === 0 ? null : Promise.all(this.#pending)
  }

  async #add(request: Request, response: Response): Promise<void> {
    const recorded = await recordModelCall(request, response)
    if (recorded === null) return
    const { budget, resume, changed } = this.#deps
    resume()
    const { file, recording } = recorded
    const text = JSON.stringify(recording)
    this.#recordings.push({ file, json: budget.take(text, this.#left) })
    this.#left = Math.max(0, this.#left - text.length)
    changed()
  }

  /** Returns the recordings. One that contains a value that must not be stored cannot be replayed, and is cut. */
  toRecordings(redactor: Redactor): RunRecording[] {
    if (!this.#steps.hasSteps) return []
    return this.#recordings.map(({ file, json }) => {
      const text = toRunText(json, redactor)
      const isWhole = !text.isCut && text.text === json
      return { file, json: isWhole ? text : { ...text, text: '', isCut: true } }
    })
  }
}
