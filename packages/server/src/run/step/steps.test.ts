import { ApiError } from '@sdk/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DurableContext } from '../../context/durable-context.ts'
import { createAgent, memoryRuns } from '../../index.ts'
import { retryDelayOf } from './step-values.ts'
import { closeAll, ended, gate, open, passTime, readLines, type RunApp } from '../run-app.test.fixture.ts'

afterEach(async () => {
  vi.useRealTimers()
  await closeAll()
})

describe('ctx.step', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
  })

  async function result(handler: (ctx: DurableTest) => unknown): Promise<unknown> {
    const app = open([createAgent('test', { durable: true, handler } as never)])
    return (await app.json('POST /agent/test')).body
  }

  it('returns the value parsed from its JSON, also the first time', async () => {
    const { body } = await open([
      createAgent('test', {
        durable: true,
        async handler(ctx) {
          const none = await ctx.step('none', () => undefined)
          const { at, gone } = await ctx.step('date', () => ({
            at: new Date(0),
            gone: undefined as string | undefined,
          }))
          return { at: typeof at, isNone: none === undefined, gone: gone === undefined }
        },
      }),
    ]).json('POST /agent/test')
    expect(body).toEqual({ at: 'string', isNone: true, gone: true })
  })

  it('tries a step again after 1, 2 … s, and not after an error below 500', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const times: number[] = []
    const agent = createAgent('test', {
      durable: true,
      handler: (ctx) =>
        ctx.step('flaky', ({ attempt, key }) => {
          times.push(Date.now())
          if (attempt < 3) throw new Error('not yet')
          return key.replace(ctx.run.id, 'run')
        }),
    })
    const app = open([agent])
    const response = app.json('POST /agent/test')
    expect((await passTime(response)).body).toBe('run/flaky')
    expect(times.map((time) => Math.round((time - (times[0] ?? 0)) / 1000))).toEqual([0, 1, 3])
    let tries = 0
    const refused = await result((ctx) =>
      ctx.step('no', () => {
        tries += 1
        throw new ApiError('CONFLICT', 'no')
      }),
    )
    expect(refused).toMatchObject({ error: { code: 'CONFLICT' } })
    expect(tries).toBe(1)
  })

  it('does not count the attempts while the store is unavailable', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const unavailable = new ApiError('SERVICE_UNAVAILABLE', 'down', { retryAfter: 1 })
    const store = memoryRuns()
    const renew = vi.spyOn(store, 'renew')
    const agent = createAgent('test', {
      durable: true,
      handler: (ctx) =>
        ctx.step('query', ({ attempt }) => {
          // Each time, the store becomes available after two further failures.
          if (attempt <= 5) renew.mockRejectedValueOnce(unavailable).mockRejectedValueOnce(unavailable)
          if (attempt <= 7) throw unavailable
          return attempt
        }),
    })
    expect((await passTime(open([agent], store).json('POST /agent/test'))).body).toBe(8)
  })

  it('retracts the chunks of a stream step that fails, and streams them again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const agent = createAgent('test', {
      durable: true,
      async *handler(ctx) {
        yield 0
        yield* ctx.step.stream('write', async function* ({ attempt }) {
          yield `${attempt} a`
          if (attempt === 1) throw new Error('cut')
          yield `${attempt} b`
        })
      },
    })
    const app = open([agent])
    const response = await app.send('POST /agent/test', { headers: { accept: 'text/event-stream' } })
    expect(await passTime(response.text())).toContain(
      'id: 1.2\ndata: "1 a"\n\nevent: retract\nid: 2.1\ndata: {"keep":1}\n\nid: 2.2\ndata: "2 a"\n\nid: 2.3\ndata: "2 b"',
    )
  })

  it('stores a step that ends while the chunks of a stream step are retracted', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { opened, open: endTitle } = gate()
    const seen: string[] = []
    const agent = createAgent('test', {
      durable: true,
      async *handler(ctx) {
        const title = ctx.step('title', async () => {
          seen.push('title')
          await opened
        })
        yield* ctx.step.stream('answer', async function* ({ attempt }) {
          yield `${attempt} a`
          if (attempt === 1) throw new Error('cut')
        })
        await title
      },
    })
    const store = memoryRuns()
    const retract = store.retract.bind(store)
    store.retract = async (...given) => {
      const epoch = await retract(...given)
      endTitle()
      for (let turn = 0; turn < 50; turn++) await Promise.resolve() // the response of the store takes a while
      return epoch
    }
    const app = open([agent], store)
    const response = await app.send('POST /agent/test', { headers: { accept: 'text/event-stream' } })
    expect(await passTime(response.text())).toContain('data: {"keep":0}\n\nid: 2.1\ndata: "2 a"\n\n')
    const path = `/agent/test/runs/${response.headers.get('run-id')}`
    expect(await app.run(path)).toMatchObject({ status: 'done', attempt: 2 })
    expect(seen).toEqual(['title'])
  })

  it.each([
    [
      'a step inside a step',
      async (ctx: DurableTest) => ctx.step('outer', () => ctx.step('inner', () => 1)),
      'cannot run inside the step "outer"',
    ],
    [
      'two stream steps at once',
      async (ctx: DurableTest) => {
        const [one, two] = ['one', 'two'].map((name) =>
          ctx.step.stream(name, async function* () {
            yield await later()
          }),
        )
        return Promise.all([one?.next(), two?.next()])
      },
      'the step "two" cannot stream while the step "one" streams',
    ],
    [
      'two steps of one name at once',
      async (ctx: DurableTest) => Promise.all([ctx.step('a', () => later()), ctx.step('a', () => later())]),
      'is already running',
    ],
    ['an invalid name', async (ctx: DurableTest) => ctx.step('a#2', () => 1), 'must have a name of 1 to 200'],
    ['half a character', async (ctx: DurableTest) => ctx.step('a\uD83D', () => 1), 'must have a name of 1 to 200'],
    ['a null character', async (ctx: DurableTest) => ctx.step('a\0', () => 1), 'must have a name of 1 to 200'],
    [
      'a stream step that returns a promise',
      async (ctx: DurableTest) => ctx.step.stream('a', (async () => [1]) as never).next(),
      'the step "a" must return an async iterable to stream, got a promise',
    ],
    ['a Response', async () => new Response('x'), 'got a Response'],
    [
      'chunks from a handler that is not a generator',
      () =>
        (async function* () {
          yield 1
        })(),
      'async *handler',
    ],
  ])('fails the run for %s, and logs what to write instead', async (_name, handler, message) => {
    const app = open([createAgent('test', { durable: true, handler } as never)])
    expect(await app.json('POST /agent/test')).toMatchObject({ status: 500 })
    expect(JSON.stringify(app.lines)).toContain(JSON.stringify(message).slice(1, -1))
  })

  it.each([
    ['a value that is not JSON', () => 10n, 'INVALID_STEP_VALUE', 'the value of the step \\"big\\" must be JSON'],
    ['a function', () => later, 'INVALID_STEP_VALUE', 'must be JSON, got function'],
    [
      'a value that is too large',
      () => 'x'.repeat(1_048_576),
      'RUN_LIMIT_EXCEEDED',
      'the value of the step \\"big\\" has more than',
    ],
  ])('fails the run at once for %s, even if the handler catches errors', async (_name, work, code, message) => {
    const body = JSON.stringify(
      await result(async (ctx) => {
        try {
          return await ctx.step('big', (): unknown => work())
        } catch {
          return 'caught'
        }
      }),
    )
    expect(body).toContain(code)
    expect(body).toContain(message)
  })

  it('logs why a run in the background failed, with the cause', async () => {
    const handler = (ctx: DurableContext): unknown => ctx.step('big', () => ({ cents: 10n }))
    const app = open([createAgent('test', { durable: true, handler })])
    const response = await app.send('POST /agent/test', { headers: { prefer: 'respond-async' } })
    await ended(app, response.headers.get('location') ?? '')
    expect(errorsOf(app)).toEqual(['handler failed with INVALID_STEP_VALUE'])
    expect(JSON.stringify(app.lines)).toContain('Do not know how to serialize a BigInt')
  })

  it('fails a run with a chunk that is too large, and closes its stream', async () => {
    const seen: string[] = []
    const agent = createAgent('test', {
      durable: true,
      async *handler(ctx) {
        ctx.signal.addEventListener('abort', () => seen.push('aborted'))
        try {
          yield 'x'.repeat(262_145)
        } finally {
          seen.push('closed')
        }
      },
    })
    const lines = await readLines(await open([agent]).send('POST /agent/test'))
    expect(lines).toMatchObject([{ error: { code: 'RUN_LIMIT_EXCEEDED', message: expect.stringContaining('chunk') } }])
    expect(seen).toEqual(['aborted', 'closed'])
  })

  it('fails a run with more than 64 MiB of chunks', async () => {
    const agent = createAgent('test', {
      durable: true,
      async *handler() {
        for (;;) yield 'x'.repeat(262_000)
      },
    })
    const app = open([agent])
    const response = await app.send('POST /agent/test', { headers: { prefer: 'respond-async' } })
    expect(await ended(app, response.headers.get('location') ?? '')).toMatchObject({
      error: { code: 'RUN_LIMIT_EXCEEDED', message: expect.stringContaining('67108864 characters') },
    })
    expect(errorsOf(app)).toEqual(['handler failed with RUN_LIMIT_EXCEEDED'])
  })

  it('explains that only durable agents have steps', async () => {
    const handler = (ctx: DurableTest): unknown => ctx.step('plan', () => 1)
    const app = open([createAgent('test', { handler } as never)])
    expect(await app.json('POST /agent/test')).toMatchObject({ status: 500 })
    expect(JSON.stringify(app.lines)).toContain('ctx.step cannot be used in POST /agent/test')
  })

  it('fails a run with more than 10,000 steps, without running the last one', async () => {
    let last = -1
    const body = await result(async (ctx) => {
      const all = Array.from({ length: 10_001 }, (_value, number) => ctx.step(`s${number}`, () => (last = number)))
      await Promise.all(all)
    })
    expect(body).toMatchObject({
      error: { code: 'RUN_LIMIT_EXCEEDED', message: expect.stringContaining('10000 steps') },
    })
    expect(last).toBe(9_999)
  })
})

/** The messages of the errors that an app has logged. */
function errorsOf({ lines }: Pick<RunApp, 'lines'>): unknown[] {
  return lines.filter(({ level }) => level === 'error').map(({ message }) => message)
}

type DurableTest = Pick<DurableContext, 'step'>

const later = (): Promise<number> => new Promise((resolve) => setTimeout(resolve, 5, 1))

describe('retryDelayOf', () => {
  it('doubles from one second with jitter, up to a minute, unless the error names a time', () => {
    const delays = (random: () => number): number[] =>
      [1, 2, 3, 10].map((attempt) => retryDelayOf(new Error(), attempt, random))
    expect(delays(() => 0)).toEqual([750, 1500, 3000, 45_000])
    expect(delays(() => 1)).toEqual([1250, 2500, 5000, 75_000])
    expect(retryDelayOf(new ApiError('SERVICE_UNAVAILABLE', 'busy', { retryAfter: 7 }), 1)).toBe(7000)
    expect(retryDelayOf(new ApiError('SERVICE_UNAVAILABLE', 'busy', { retryAfter: 1e9 }), 1)).toBe(3_600_000)
  })
})
