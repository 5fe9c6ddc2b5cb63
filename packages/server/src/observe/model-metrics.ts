import type { MetricFamily } from './metric-family.ts'
import type { ModelTokens } from './model-step.ts'

/** A model call, as it is counted. */
export interface CountedModelCall {
  readonly route: string
  readonly model: string
  readonly finishReason: string
  readonly tokens: ModelTokens | null
}

/** The number of models that have a label of their own. All others share the label `other`. */
const MAX_MODELS = 100

const FINISH_REASONS: ReadonlySet<string> = new Set([
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'aborted',
])

/**
 * The counters of model calls. The number of labels is bounded: routes belong to the app, and models and finish reasons
 * beyond the known ones share a label.
 */
export class ModelCounts {
  readonly #models = new Set<string>()
  readonly #calls = new Map<string, Counter>()
  readonly #tokens = new Map<string, Counter>()

  add({ route, finishReason, tokens, ...call }: CountedModelCall): void {
    if (this.#models.size < MAX_MODELS) this.#models.add(call.model)
    const model = this.#models.has(call.model) ? call.model : 'other'
    const reason = FINISH_REASONS.has(finishReason) ? finishReason : 'other'
    increase(this.#calls, { route, model, finish_reason: reason }, 1)
    for (const [direction, count] of Object.entries(tokens ?? {}))
      increase(this.#tokens, { route, model, direction }, count)
  }

  /** Returns the metrics, or none if no model was called. */
  families(): MetricFamily[] {
    if (this.#calls.size === 0) return []
    return [
      toFamilyOf(this.#calls, 'sdk_model_calls_total', 'Completed model calls.'),
      toFamilyOf(
        this.#tokens,
        'sdk_model_tokens_total',
        'Tokens of model calls. "cached" is a part of "input", and "reasoning" is a part of "output".',
      ),
    ]
  }
}

interface Counter {
  readonly labels: Readonly<Record<string, string>>
  value: number
}

function increase(counters: Map<string, Counter>, labels: Counter['labels'], by: number): void {
  const key = JSON.stringify(Object.values(labels))
  const counter = counters.get(key) ?? { labels, value: 0 }
  counter.value += by
  counters.set(key, counter)
}

function toFamilyOf(counters: ReadonlyMap<string, Counter>, name: string, help: string): MetricFamily {
  return { name, type: 'counter', help, samples: [...counters.values()] }
}
