import { createAsyncStorage, type AsyncStorage } from '../platform/async-storage.ts'
import { isInstalled } from '../platform/is-installed.ts'
import { iterateIn } from './iterate-in.ts'
import type { Metrics } from './metrics.ts'
import { addTokens, type ModelTotals } from './model-step.ts'
import { createModelTelemetry, type ModelSink } from './model-telemetry.ts'
import { observeFetch } from './observe-fetch.ts'
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
  runEach<T>(run: ModelRun, chunks: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> | Iterable<T>
  /** Removes the integration when no other app uses it. */
  close(): void
}

/** The registry of the AI SDK, which all its copies in a process share. */
type Registry = { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] }

/** The run of the current code. */
interface CurrentRun extends ModelSink {
  readonly observer: RunObserver | undefined
}

/** The state that all apps of a process share. */
interface Shared {
  readonly storage: AsyncStorage<CurrentRun>
  readonly integration: object
  apps: number
  /**
   * Whether code is run with the storage. Before Node 24, a process that uses one spends about 40 % more CPU time on
   * code with many promises, so a process without the AI SDK does not use it.
   */
  isEntered: boolean
  /** Null until a run has an observer for `fetch`. */
  restoreFetch: (() => void) | null
}

let shared: Shared | null = null

/**
 * Starts to observe model calls, which `metrics` counts. Returns null outside development if there are no metrics. If
 * the AI SDK is not installed but part of a bundle, only runs that begin after its first call are observed.
 */
export function openModelCalls(metrics: Metrics | null, isDevelopment: boolean): ModelCalls | null {
  if (metrics === null && !isDevelopment) return null
  const joined = join()
  joined.isEntered ||= isDevelopment || isInstalled('ai')
  const { storage } = joined
  let isOpen = true
  const toCurrent = ({ route, observer, modelTotals }: ModelRun): CurrentRun => {
    if (observer?.onFetch !== undefined) joined.restoreFetch ??= observeFetch(() => storage.getStore()?.observer)
    return {
      observer,
      onStepStart: (start) => observer?.onModelStep?.(start),
      onStepEnd({ model }, { finishReason, tokens }) {
        if (modelTotals !== null) addTokens(modelTotals, tokens)
        metrics?.addModelCall({ route, model, finishReason, tokens })
      },
    }
  }
  return {
    run: (run, work) => (joined.isEntered ? storage.run(toCurrent(run), work) : work()),
    runEach(run, chunks) {
      if (!joined.isEntered) return chunks
      const sink = toCurrent(run)
      return iterateIn((work) => storage.run(sink, work), chunks)
    },
    close() {
      if (isOpen) leave()
      isOpen = false
    },
  }
}

function join(): Shared {
  const registry = globalThis as Registry
  if (shared === null) {
    const storage = createAsyncStorage<CurrentRun>()
    const find = (): CurrentRun | undefined => {
      if (shared !== null) shared.isEntered = true
      return storage.getStore()
    }
    const integration = createModelTelemetry(find)
    shared = { storage, integration, apps: 0, isEntered: false, restoreFetch: null }
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
  shared.restoreFetch?.()
  shared = null
}
