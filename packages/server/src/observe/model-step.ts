/** The tokens of a model call. `cached` is a part of `input`, and `reasoning` is a part of `output`. */
export type ModelTokens = Readonly<Record<'input' | 'cached' | 'output' | 'reasoning', number>>

/** The start of a step: one request to a model. The values are those of the AI SDK, which may change them later. */
export interface ModelStepStart {
  /** A number that the steps of one call of the AI SDK share. */
  readonly call: number
  /** The index of the step in its call. */
  readonly index: number
  readonly provider: string
  readonly model: string
  readonly system: unknown
  readonly messages: readonly unknown[]
  /** The tools that the model may call, by name. */
  readonly tools: Readonly<Record<string, unknown>>
}

/** The end of a step. */
export interface ModelStepEnd {
  /** The finish reason of the model, `error`, or `aborted`. */
  readonly finishReason: string
  /** The tokens, or null if the provider did not report them. */
  readonly tokens: ModelTokens | null
  /** The parts of the answer. */
  readonly content: unknown
  /** The time until the first chunk in ms, or null if it is not known. Version 6 of the AI SDK does not report it. */
  readonly firstMs: number | null
  readonly error?: unknown
}

/** An observer of one step. */
export interface ModelStepObserver {
  /** Called when the AI SDK starts to execute a tool that the model has called. */
  onToolStart(call: { readonly id: string; readonly name: string }): void
  onToolEnd(call: { readonly id: string; readonly hasFailed: boolean }): void
  onEnd(end: ModelStepEnd): void
}

/** The model calls of a request and its nested runs, as they are logged. */
export type ModelTotals = Record<
  'modelCalls' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'reasoningTokens',
  number
>

/** Creates the totals of a request. */
export function createModelTotals(): ModelTotals {
  return { modelCalls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, reasoningTokens: 0 }
}

/** Adds a model call to the totals of its request. */
export function addTokens(totals: ModelTotals, tokens: ModelTokens | null): void {
  totals.modelCalls += 1
  totals.inputTokens += tokens?.input ?? 0
  totals.cachedTokens += tokens?.cached ?? 0
  totals.outputTokens += tokens?.output ?? 0
  totals.reasoningTokens += tokens?.reasoning ?? 0
}
