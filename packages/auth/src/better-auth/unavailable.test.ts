import { afterEach, describe, expect, it, vi } from 'vitest'
import { logBetterAuth, orUnavailable } from './unavailable.ts'

const TOKEN = 'a session token'

/** Creates an error as Drizzle throws it, with the values in the message. */
function failedQuery(cause?: Error): Error {
  const message = `Failed query: select * from session where token = $1\nparams: ${TOKEN}`
  return Object.assign(new Error(message, { cause }), { query: 'select …', params: [TOKEN] })
}

function refused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
}

/** Returns all text of an error that a log could contain. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return [error.message, error.stack, JSON.stringify(error), textOf(error.cause)].join('\n')
}

const thrownBy = (work: () => Promise<unknown>): Promise<unknown> =>
  orUnavailable(work).then(
    () => null,
    (error: unknown) => error,
  )

describe('orUnavailable', () => {
  it.each([refused(), failedQuery(refused()), new Error('outer', { cause: failedQuery(refused()) })])(
    'throws a 503 with Retry-After and without values if the database cannot be reached',
    async (fault) => {
      const thrown = await thrownBy(async () => {
        throw fault
      })
      expect(thrown).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: 1 })
      expect(textOf(thrown)).toContain('ECONNREFUSED')
      expect(textOf(thrown)).not.toContain(TOKEN)
    },
  )

  it('throws a 503 if the server cancels a statement because of its statement_timeout', async () => {
    const cancelled = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
    const thrown = [
      await thrownBy(async () => {
        throw failedQuery(cancelled)
      }),
      await thrownBy(async () => logBetterAuth('error', 'INTERNAL_SERVER_ERROR', cancelled)),
    ]
    const expected = { status: 503, retryAfter: 1, message: 'The database cannot execute the statement at the moment' }
    expect(thrown).toMatchObject([expected, expected])
  })

  it('throws a 503 if Better Auth only logs the connection error and returns null', async () => {
    const thrown = await thrownBy(async () => {
      logBetterAuth('error', 'INTERNAL_SERVER_ERROR', failedQuery(refused()))
      return null
    })
    expect(thrown).toMatchObject({ status: 503 })
    expect(textOf(thrown)).not.toContain(TOKEN)
  })

  it.each([failedQuery(), failedQuery(new Error('no such column')), new Error('x', { cause: failedQuery() })])(
    'rethrows other errors without values',
    async (fault) => {
      const thrown = await thrownBy(async () => {
        throw fault
      })
      expect(thrown).toBeInstanceOf(Error)
      expect(textOf(thrown)).not.toContain(TOKEN)
    },
  )

  it('does not mix up the errors of concurrent calls', async () => {
    const failing = thrownBy(async () => {
      await Promise.resolve()
      logBetterAuth('error', 'failed', refused())
    })
    expect(await orUnavailable(async () => 'fine')).toBe('fine')
    expect(await failing).toMatchObject({ status: 503 })
  })
})

describe('logBetterAuth', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('prints errors of Better Auth without values', () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => {})
    const detailed = Object.assign(new Error('duplicate key'), { detail: `Key (token)=(${TOKEN}) already exists.` })
    logBetterAuth('error', 'failed', detailed)
    logBetterAuth('error', 'failed', failedQuery(new Error('no such column')), { token: TOKEN })
    const lines = shown.mock.calls.map((call) => call.map((part) => textOf(part)).join(' '))
    expect([lines.length, lines[0]?.includes('duplicate key')]).toEqual([2, true])
    expect(lines.join('\n')).not.toContain(TOKEN)
  })
})
