import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'
import type * as Sdk from '@opentelemetry/sdk-trace-base'
import type { AiSdk } from './sdk.ts'

/** A finished span. */
export interface FinishedSpan {
  readonly name: string
  readonly id: string
  readonly parent: string | undefined
  readonly trace: string
  /** Whether the AI SDK has created the span. */
  readonly isModel: boolean
}

/** Registers a provider that keeps spans in memory, and in version 7 the AI SDK's integration for OpenTelemetry. */
export async function recordSpans(sdk: AiSdk): Promise<{ spans(): FinishedSpan[]; stop(): void }> {
  const require = createRequire(import.meta.url)
  // The package of the server depends on the context manager.
  const server = createRequire(new URL('../../packages/server/package.json', import.meta.url))
  const api = require('@opentelemetry/api') as typeof Api
  const { AsyncLocalStorageContextManager } = server('@opentelemetry/context-async-hooks') as {
    AsyncLocalStorageContextManager: new () => { enable(): Api.ContextManager }
  }
  const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } =
    require('@opentelemetry/sdk-trace-base') as typeof Sdk
  const exporter = new InMemorySpanExporter()
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const registry = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] }
  const before = [...(registry.AI_SDK_TELEMETRY_INTEGRATIONS ?? [])]
  if (sdk.name === 'ai 7') {
    const { OpenTelemetry } = (await sdk.load('@ai-sdk/otel/dist/index.js')) as { OpenTelemetry: new () => object }
    registry.AI_SDK_TELEMETRY_INTEGRATIONS?.push(new OpenTelemetry())
  }
  return {
    spans: () =>
      exporter.getFinishedSpans().map((span) => {
        const { spanId: id, traceId: trace } = span.spanContext()
        const isModel = span.instrumentationScope.name !== '@sdk/server'
        return { name: span.name, id, parent: span.parentSpanContext?.spanId, trace, isModel }
      }),
    stop() {
      registry.AI_SDK_TELEMETRY_INTEGRATIONS?.splice(0, Infinity, ...before)
      api.trace.disable()
      api.context.disable()
    },
  }
}
