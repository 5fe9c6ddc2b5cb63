import { createAsyncStorage, type AsyncStorage } from '../platform/async-storage.ts'
import { iterateIn } from './iterate-in.ts'
import type { Metrics } from './metrics.ts'
import { addTokens, type ModelTotals } from './model-step.ts'
import { createModelTelemetry, type ModelSink } from './model-telemetry.ts'
import type { RunObserver } from './request-observer.ts'

/** The part of a context that model calls need. */
export interface ModelRun {
  readonly route: string
  readonly observer: RunObserver | undefined
  /** The totals of the request, or null if nothing logs them. */
  readonly modelTotals: ModelTotals | null
}

/** The observation of model calls that are made with the AI SDK. */
export interface ModelCalls {
  /** Runs `work` as part of a run, so that its model calls belong to the run. */
  run<T>(run: ModelRun, work: () => T): T
  /** Wraps an iterable so that its source runs as part of a run. The chunks do not change. */
  runEach<T>(run: ModelRun, chunks: AsyncIterable<T> | Iterable<T>): AsyncIterable<T>
  /** Removes the integration when no other app uses it. */
  close(): void
}

/** The registry of the AI SDK, which all its copies in a process share. */
type Registry = { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] }

/** The storage and the integration, which all apps of a process share. */
let shared: { readonly storage: AsyncStorage<ModelSink>; readonly integration: object; apps: number } | null = null

/** Starts to observe model calls, which `metrics` counts. Returns null outside development if there are no metrics. */
export function openModelCalls(metrics: Metrics | null, isDevelopment: boolean): ModelCalls | null {
  if (metrics === null && !isDevelopment) return null
  const { storage } = join()
  let isOpen = true
  const toSink = ({ route, observer, modelTotals }: ModelRun): ModelSink => ({
    onStepStart: (start) => observer?.onModelStep?.(start),
    onStepEnd({ model }, { finishReason, tokens }) {
      if (modelTotals !== null) addTokens(modelTotals, tokens)
      metrics?.addModelCall({ route, model, finishReason, tokens })
    },
  })
  return {
    run: (run, work) => storage.run(toSink(run), work),
    runEach(run, chunks) {
      const sink = toSink(run)
      return iterateIn((work) => storage.run(sink, work), chunks)
    },
    close() {
      if (isOpen) leave()
      isOpen = false
    },
  }
}

function join(): NonNullable<typeof shared> {
  const registry = globalThis as Registry
  if (shared === null) {
    const storage = createAsyncStorage<ModelSink>()
    shared = { storage, integration: createModelTelemetry(() => storage.getStore()), apps: 0 }
    ;(registry.AI_SDK_TELEMETRY_INTEGRATIONS ??= []).push(shared.integration)
  }
  shared.apps += 1
  return shared
}

function leave(): void {
  if (shared === null || --shared.apps > 0) return
  const all = (globalThis as Registry).AI_SDK_TELEMETRY_INTEGRATIONS ?? []
  const at = all.indexOf(shared.integration)
  if (at !== -1) all.splice(at, 1)
  shared = null
}
