import { describe, expect, it } from 'vitest'
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

/** Returns the result of a request, which is sent only once for all columns. */
async function resultOf(caller: Caller, call: MatrixCase): Promise<unknown> {
  const key = `${caller}: ${call.name}`
  if (!responses.has(key)) {
    const app = await openAs(caller)
    responses.set(key, withoutTimes(await (overHttp as MatrixColumn)(app, call)))
    await app.close()
  }
  return responses.get(key)
}

describe.each(Object.entries(others))('%s', (_column, run) => {
  describe.each(CALLERS)('as %s', (caller) => {
    it.each(MATRIX)('returns the result of a request: $name', async (call) => {
      const logged: string[] = []
      const app = await openAs(caller, logged)
      const outcome = await run(app, call)
      expect('error' in outcome ? outcome.error.code : 'ok').toBe(call.expected[caller])
      expect(withoutTimes(outcome)).toEqual(await resultOf(caller, call))
      expect(JSON.stringify(outcome)).not.toContain(SECRET)
      expect(logged).toHaveLength(call.expected[caller] === 'INTERNAL_SERVER_ERROR' ? 1 : 0)
      await app.close()
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
