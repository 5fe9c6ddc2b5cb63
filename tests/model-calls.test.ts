import { createApp, createLog, serve, type App, type Server } from '@sdk/server'
import { temporaryFolder, type TemporaryFolder } from '@sdk/test-kit'
import { openRecording, type Recording, type Run } from '@sdk/workbench'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createModelAgents, expectedCalls, KINDS, type Kind } from './model-calls/agents.ts'
import { hasVersion7, loadVersion6, loadVersion7, type AiSdk } from './model-calls/sdk.ts'
import { recordSpans } from './model-calls/spans.ts'

const registry = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: object[] }
const RUNS = 17 // of each kind
const CALLS = KINDS.flatMap((kind) => Array.from({ length: RUNS }, (_, n) => expectedCalls(kind, n))).flat()

describe.each([
  { name: 'ai 6', load: loadVersion6, canRun: true },
  { name: 'ai 7', load: loadVersion7, canRun: hasVersion7 },
])('model calls with $name', ({ load, canRun }) => {
  describe.skipIf(!canRun)(`on Node ${process.versions.node}`, () => {
    let sdk: AiSdk
    let folder: TemporaryFolder
    let recording: Recording
    let app: App
    let server: Server
    const lines: Record<string, unknown>[] = []
    // Not 0 if an earlier file in this process has left an app open.
    let registered = 0

    beforeAll(async () => {
      registered = registry.AI_SDK_TELEMETRY_INTEGRATIONS?.length ?? 0
      sdk = await load()
      folder = temporaryFolder('model-calls')
      recording = openRecording({ root: folder.path })
      const log = createLog({ write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
      app = createApp({ agents: createModelAgents(sdk), metrics: true, rateLimit: false, log })
      server = await serve(recording.recordApp(app), { port: 0, signals: false })
    })
    afterAll(async () => {
      await server?.close({ grace: 1_000 })
      await recording?.close()
      folder?.remove()
    })

    const call = async (kind: Kind, n: number): Promise<string> => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify({ n }) }
      return (await fetch(`${server.url}/agent/${kind}`, init)).text()
    }

    it('records all steps of 102 concurrent runs in the right run, with the tokens of the model', async () => {
      const asked = Array.from({ length: RUNS }, (_, n) => KINDS.map((kind) => ({ kind, n }))).flat()
      await Promise.all(asked.map(({ kind, n }) => call(kind, n)))
      await expect.poll(() => sumOf(app, 'sdk_model_calls_total')).toBe(CALLS.length)
      const runs = await readRuns(recording)
      expect(runs).toHaveLength(asked.length)
      let right = 0
      for (const run of runs) {
        const { kind, n } = inputOf(run)
        const routeOf = (spanId: number) => run.spans.find(({ id }) => id === spanId)?.route ?? run.route
        const steps = run.models.map(({ spanId, tokens }) => ({ route: routeOf(spanId), tokens }))
        expect(steps).toEqual(expectedCalls(kind, n))
        for (const { input } of run.models) expect(input.text).toContain(` ${n}"`)
        right += steps.length
      }
      expect(right).toBe(CALLS.length)
    })

    it('counts the tokens by route and model', () => {
      for (const direction of ['input', 'cached', 'output', 'reasoning'] as const) {
        const expected = CALLS.reduce((sum, { tokens }) => sum + tokens[direction], 0)
        expect(sumOf(app, 'sdk_model_tokens_total', `direction="${direction}"`)).toBe(expected)
      }
      for (const kind of KINDS) {
        const own = CALLS.filter(({ route }) => route === `POST /agent/${kind}`)
        const labels = `route="POST /agent/${kind}",model="mock-1"`
        expect(sumOf(app, 'sdk_model_calls_total', labels)).toBe(own.length)
        const expected = own.reduce((sum, { tokens }) => sum + tokens.output, 0)
        expect(sumOf(app, 'sdk_model_tokens_total', `${labels},direction="output"`)).toBe(expected)
      }
    })

    it('logs the tokens of a request and its nested runs', async () => {
      const inputTokens = expectedCalls('response', 0).reduce((sum, { tokens }) => sum + tokens.input, 0)
      const isOurs = (line: object) => (line as { inputTokens?: number }).inputTokens === inputTokens
      await expect.poll(() => lines.filter((line) => line['route'] === 'POST /agent/response').some(isOurs)).toBe(true)
      expect(lines.find(isOurs)).toMatchObject({ modelCalls: 3 })
      expect(lines.find((line) => line['route'] === 'POST /agent/later')).not.toHaveProperty('modelCalls')
    })

    it('records the request, the answer and the tool calls of each step', async () => {
      const run = (await readRuns(recording)).find((one) => inputOf(one).kind === 'response')
      const [first, inner, last] = run?.models ?? []
      const { n } = run === undefined ? { n: 0 } : inputOf(run)
      expect(first).toMatchObject({ index: 0, provider: 'mock-provider', model: 'mock-1', finishReason: 'tool-calls' })
      expect(last).toMatchObject({ index: 1, call: first?.call, finishReason: 'stop', error: null })
      // Version 6 does not report it.
      expect(typeof last?.firstMs).toBe(sdk.name === 'ai 7' ? 'number' : 'object')
      expect(JSON.parse(first?.input.text ?? '')).toMatchObject({
        earlier: 0,
        messages: [{ role: 'user' }],
        tools: [{ name: 'value', description: expect.any(String) as string }],
      })
      expect(JSON.parse(last?.input.text ?? '')).toMatchObject({ earlier: 1, messages: [{}, { role: 'tool' }] })
      expect(first?.toolCalls).toMatchObject([{ id: `call ${n}`, name: 'value', hasFailed: false }])
      expect(run?.spans).toMatchObject([{ id: inner?.spanId, toolCallId: `call ${n}` }])
      expect(JSON.parse(last?.output?.text ?? '')).toMatchObject([{ type: 'text', text: 'response' }])
    })

    it('creates the spans of the AI SDK as children of the spans of the run', async () => {
      const { spans, stop } = await recordSpans(sdk)
      try {
        await app.ready()
        await call('nested', 90)
        await expect.poll(() => spans().filter(({ name }) => name === 'POST /agent/nested')).toHaveLength(1)
        const all = spans()
        const own = all.filter(({ name }) => name.startsWith('POST /agent/')).map(({ id }) => id)
        const roots = all.filter(
          ({ isModel, parent }) => isModel && !all.some((one) => one.isModel && one.id === parent),
        )
        expect(roots).toHaveLength(3)
        for (const root of roots) expect(own).toContain(root.parent)
        expect(new Set(all.map(({ trace }) => trace)).size).toBe(1)
      } finally {
        stop()
      }
    })

    it('registers nothing, and records nothing, where it is off', async () => {
      const own = registry.AI_SDK_TELEMETRY_INTEGRATIONS ?? []
      expect(own).toHaveLength(1)
      const before = sumOf(app, 'sdk_model_calls_total')
      const off = createApp({
        agents: createModelAgents(sdk),
        isDevelopment: false,
        log: createLog({ level: 'silent' }),
      })
      const url = 'http://localhost/agent/value'
      const headers = { 'content-type': 'application/json' }
      const response = await off.fetch(new Request(url, { method: 'POST', headers, body: '{"n":1}' }))
      expect(await response.json()).toEqual({ text: 'value' })
      expect(own).toHaveLength(1)
      expect(sumOf(app, 'sdk_model_calls_total')).toBe(before)
      await off.close()
      await server.close({ grace: 1_000 })
      expect(own).toHaveLength(registered)
    })
  })
})

function inputOf({ route, request }: Run): { kind: Kind; n: number } {
  const kind = KINDS.find((name) => route === `POST /agent/${name}`)
  if (kind === undefined) throw new Error(`unexpected run of ${route}`)
  return { kind, ...(JSON.parse(request.body?.text ?? '') as { n: number }) }
}

async function readRuns({ store }: Recording): Promise<Run[]> {
  await store.flush()
  const { runs } = await store.list({ limit: 500 })
  return Promise.all(
    runs.map(async ({ id }) => {
      const run = await store.read(id)
      if (run === null) throw new Error(`run ${id} is missing`)
      return run
    }),
  )
}

/** Returns the sum of a metric over all samples whose labels contain a text. */
function sumOf({ metrics }: App, name: string, labels = ''): number {
  const samples = (metrics?.text() ?? '').split('\n').filter((line) => line.startsWith(`${name}{`))
  const values = samples.filter((line) => line.includes(labels)).map((line) => Number(line.split(' ').at(-1)))
  return values.reduce((sum, value) => sum + value, 0)
}
