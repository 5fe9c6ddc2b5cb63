import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createAgent, createApp } from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { stepCountIs, streamText, type LanguageModel } from 'ai'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startFakeProvider, type FakeProvider } from './models/fake-provider.ts'

const KEYS = {
  openai: 'sk-proj-Zm9yLXRlc3RzLW9ubHktb3BlbmFp',
  anthropic: 'sk-ant-api03-Zm9yLXRlc3RzLW9ubHk',
  google: 'AIzaSyZm9yLXRlc3RzLW9ubHktZ29vZ2xlMTIz',
}
const folder = mkdtempSync(join(tmpdir(), 'recorded-models-'))
const MODELS: Readonly<Record<string, LanguageModel>> = {
  openai: createOpenAI({ apiKey: KEYS.openai }).chat('gpt-5-mini'),
  anthropic: createAnthropic({ apiKey: KEYS.anthropic })('claude-sonnet-4-5'),
  google: createGoogleGenerativeAI({ apiKey: KEYS.google })('gemini-2.5-flash'),
}

const weather = createAgent('weather', {
  description: 'Returns the weather in a city.',
  handler: (_ctx, { city }: { city: string }) => ({
    sky: city === 'London' ? 'rain' : 'sun',
    at: new Date().toISOString(),
  }),
})

const chat = createAgent('chat', {
  async *handler(ctx, { model, prompt }: { model: string; prompt: string }) {
    const result = streamText({
      model: MODELS[model] ?? 'unknown',
      prompt,
      tools: await ctx.tools({ weather: 'POST /agent/weather' }),
      stopWhen: stepCountIs(5),
      abortSignal: ctx.signal,
      onError: () => {},
    })
    for await (const part of result.fullStream) {
      if (part.type === 'error') throw part.error
      if (part.type === 'text-delta') yield { text: part.text }
      if (part.type === 'tool-call') yield { call: part.toolName, input: part.input }
      if (part.type === 'finish') yield { tokens: part.totalUsage.totalTokens }
    }
  },
})

const log = { debug() {}, info() {}, warn: vi.fn<(message: string, fields?: object) => void>(), error() {} }
const open = (): Promise<TestApp> => testApp(createApp({ agents: [chat, weather], log }), { models: folder })
const ask = (app: TestApp, prompt = 'Do I need an umbrella in London, Paris or Rome?'): Promise<unknown> =>
  app.agent('chat').collect({ model: 'openai', prompt })

let provider: FakeProvider
let restore = (): void => {}
let recorded: unknown
beforeAll(async () => {
  provider = await startFakeProvider()
  vi.stubEnv('CI', '')
  vi.stubEnv('MODELS', 'record')
  restore = provider.intercept()
  const app = await open()
  recorded = await ask(app)
  for (const model of ['anthropic', 'google']) await app.agent('chat').collect({ model, prompt: 'Tea?' })
  await app.close()
  vi.unstubAllEnvs()
})
afterEach(() => {
  vi.unstubAllEnvs()
  log.warn.mockClear()
})
afterAll(async () => {
  restore()
  await provider.close()
  rmSync(folder, { recursive: true })
})

describe('testApp with recorded models', () => {
  it('replays a chat with three rounds of tools offline, 100 times with the same result', async () => {
    expect(recorded).toEqual([
      { call: 'weather', input: { city: 'London' } },
      { call: 'weather', input: { city: 'Paris' } },
      { call: 'weather', input: { city: 'Rome' } },
      { text: 'Rain ' },
      { text: 'in London, ' },
      { text: 'sun — ' },
      { text: 'elsewhere.' },
      { tokens: 66 },
    ])
    const sent = provider.requests.length
    expect(sent).toBe(6)
    const results: unknown[] = []
    for (let round = 0; round < 10; round++) {
      const app = await open()
      results.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(app)))))
      await app.close()
    }
    expect(results).toHaveLength(100)
    expect(results.filter((result) => JSON.stringify(result) === JSON.stringify(recorded))).toHaveLength(100)
    expect(provider.requests).toHaveLength(sent)
  })

  it('shows the word that differs from the nearest recording, and fails the test even if the app hides it', async () => {
    const app = await open()
    const miss =
      /chat\/completions is not recorded in .*differs in body\.messages\[0\]\.content: got "…?[^"]*umbrella in Madrid, .*recorded "…?[^"]*umbrella in London, /s
    const failed = ask(app, 'Do I need an umbrella in Madrid, Paris or Rome?')
    await expect(failed).rejects.toMatchObject({ cause: { message: expect.stringMatching(miss) as unknown } })
    await expect(app.close()).rejects.toThrow(miss)
  })

  it('scores the recorded outputs of two models', async () => {
    const app = await open()
    const { scores, cells } = await app.agent('chat').matrix({
      inputs: [{ model: '', prompt: 'Tea?' }],
      variants: { anthropic: { model: 'anthropic' }, google: { model: 'google' } },
      scores: (chunks) => (JSON.stringify(chunks).includes('{"tokens":4}') ? 1 : 0),
    })
    await app.close()
    expect(scores).toEqual({ anthropic: 1, google: 0 })
    expect(cells.map(({ output }) => output)).toMatchObject([
      [{ text: 'Tea' }, {}],
      [{ text: 'Tea' }, {}],
    ])
  })

  it('writes no keys to the disk', () => {
    const names = readdirSync(folder)
    expect(names).toHaveLength(6)
    const text = names.map((name) => name + readFileSync(join(folder, name), 'utf8')).join('\n')
    for (const [name, key] of Object.entries(KEYS)) {
      expect(provider.requests.some(({ headers }) => JSON.stringify(headers).includes(key))).toBe(true)
      expect(text.split(key), name).toHaveLength(1)
    }
    expect(text).not.toContain('x-request-id')
  })

  it('names the recordings that no call has used', async () => {
    const app = await open()
    await ask(app)
    await app.close()
    const [message, fields] = log.warn.mock.calls.at(-1) as [string, { unused: string[] }]
    expect(message).toContain('not used')
    expect(fields.unused.map((name) => name.replace(/-[0-9a-f]+\.json$/, ''))).toEqual([
      'api.anthropic.com-messages',
      'generativelanguage.googleapis.com-gemini-2.5-flash-streamgeneratecontent',
    ])
  })

  it('does not record under CI', async () => {
    vi.stubEnv('MODELS', 'record')
    vi.stubEnv('CI', 'true')
    await expect(open()).rejects.toThrow('MODELS cannot be "record" if CI is set')
    expect(globalThis.fetch.name).not.toBe('replacement')
  })
})
