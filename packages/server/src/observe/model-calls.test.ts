import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Metrics } from './metrics.ts'
import type { ModelCalls, openModelCalls as OpenModelCalls } from './model-calls.ts'

type Listeners = Record<string, ((event: object) => void) | undefined>

const registry = globalThis as object as { AI_SDK_TELEMETRY_INTEGRATIONS?: Listeners[] }
const counted: string[] = []
const metrics = { addModelCall: ({ route }: { route: string }) => void counted.push(route) } as unknown as Metrics
let openModelCalls: typeof OpenModelCalls
let opened: ModelCalls | null = null

beforeEach(async () => {
  vi.resetModules() // the apps of other test files in this process share their state
  ;({ openModelCalls } = await import('./model-calls.ts'))
})

afterEach(() => {
  opened?.close()
  counted.length = 0
  vi.restoreAllMocks()
})

/** Calls a model as the AI SDK does, which reads the listeners when the call begins. */
function callModel(): void {
  const { onStepStart, onStepEnd } = registry.AI_SDK_TELEMETRY_INTEGRATIONS?.at(-1) ?? {}
  onStepStart?.({ provider: 'mock', modelId: 'm' })
  onStepEnd?.({ finishReason: 'stop', usage: {} })
}

/** Runs a handler that calls a model after a pause. */
async function run(route: string): Promise<void> {
  const handler = async (): Promise<void> => {
    await Promise.resolve()
    callModel()
  }
  await opened?.run({ route, observer: undefined, modelTotals: null }, handler)
}

async function* stream(): AsyncGenerator<number> {
  yield 1
  callModel()
}

describe('openModelCalls', () => {
  it('observes the first call if the AI SDK is installed', async () => {
    opened = openModelCalls(metrics, false)
    await run('POST /agent/a')
    expect(counted).toEqual(['POST /agent/a'])
  })

  it('enters no storage until a call if the AI SDK is not installed', async () => {
    vi.spyOn(process, 'cwd').mockReturnValue('/')
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node'])
    opened = openModelCalls(metrics, false)
    const chunks = stream()
    expect(opened?.runEach({ route: 'POST /agent/a', observer: undefined, modelTotals: null }, chunks)).toBe(chunks)
    await run('POST /agent/a')
    expect(counted).toEqual([])
    await run('POST /agent/b')
    for await (const _ of opened?.runEach(
      { route: 'POST /agent/c', observer: undefined, modelTotals: null },
      stream(),
    ) ?? [])
      continue
    expect(counted).toEqual(['POST /agent/b', 'POST /agent/c'])
  })

  it('is disabled outside development if there are no metrics', () => {
    expect(openModelCalls(null, false)).toBeNull()
  })
})
