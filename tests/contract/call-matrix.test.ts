import type { TestApp } from '@sdk/server/testing'
import { afterAll, describe, expect, it } from 'vitest'
import {
  type Caller,
  CALLERS,
  COLUMNS,
  MATRIX,
  type MatrixCase,
  type MatrixColumn,
  openAs,
  OUTAGE,
  SECRET,
  withoutTimes,
} from './call-matrix.ts'

const { HTTP: overHttp, ...others } = COLUMNS
const responses = new Map<string, unknown>()

/** An app for one caller, and the errors that it has logged. */
interface Opened {
  readonly app: TestApp
  readonly logged: string[]
}

/** By the caller and the kind of calls: requests log their errors only after the response. */
const shared = new Map<string, Promise<Opened>>()
afterAll(async () => {
  for (const opened of shared.values()) await (await opened).app.close()
})

async function open(caller: Caller): Promise<Opened> {
  const logged: string[] = []
  return { app: await openAs(caller, logged), logged }
}

/** Runs a call in a new app if it changes rows. All others share one, since opening an app takes most of the time. */
async function inApp<T>(
  kind: 'requests' | 'other calls',
  caller: Caller,
  call: MatrixCase,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  if (/^(?:POST|PUT|PATCH|DELETE) \/api\/v1\//.test(call.route)) {
    const opened = await open(caller)
    return work(opened).finally(() => opened.app.close())
  }
  const key = `${kind} of ${caller}`
  const opened = shared.get(key) ?? open(caller)
  shared.set(key, opened)
  const { logged } = await opened
  logged.length = 0
  return work(await opened)
}

/** Returns the result of a request, which is sent only once for all columns. */
async function resultOf(caller: Caller, call: MatrixCase): Promise<unknown> {
  const key = `${caller}: ${call.name}`
  if (!responses.has(key)) {
    const result = await inApp('requests', caller, call, ({ app }) => (overHttp as MatrixColumn)(app, call))
    responses.set(key, withoutTimes(result))
  }
  return responses.get(key)
}

describe.each(Object.entries(others))('%s', (_column, run) => {
  describe.each(CALLERS)('as %s', (caller) => {
    it.each(MATRIX)('returns the result of a request: $name', async (call) => {
      const expected = await resultOf(caller, call)
      await inApp('other calls', caller, call, async ({ app, logged }) => {
        const outcome = await run(app, call)
        expect('error' in outcome ? outcome.error.code : 'ok').toBe(call.expected[caller])
        expect(withoutTimes(outcome)).toEqual(expected)
        expect(JSON.stringify(outcome)).not.toContain(SECRET)
        expect(logged).toHaveLength(call.expected[caller] === 'INTERNAL_SERVER_ERROR' ? 1 : 0)
      })
    })
  })
})

describe('an ApiError with a 5xx status', () => {
  const own = { code: 'SERVICE_UNAVAILABLE', message: 'the printer is offline', details: [] }
  const generic = { code: 'INTERNAL_SERVER_ERROR', message: 'Something went wrong on our side', details: [] }

  it.each(Object.entries(COLUMNS))('is generic for models, and logged once: %s', async (column, run) => {
    const logged: string[] = []
    const app = await openAs('Ada', logged)
    const isForModels = !['HTTP', 'ctx.call'].includes(column)
    expect(await run(app, OUTAGE)).toEqual({ error: isForModels ? generic : own })
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain('the printer is offline')
    await app.close()
  })
})
