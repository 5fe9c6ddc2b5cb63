import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'
import type * as Sdk from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { RawResponse } from '../http/wire.ts'
import { ADA, GRACE, SECRET } from './people.ts'
import { type Session, startAuth } from './subject.ts'
import { distinctWays } from './ways.ts'

// Vitest resolves the package's entry for bundlers, which Node cannot load: the other entry replaces it.
const require = createRequire(import.meta.url)
const entry = require.resolve('@opentelemetry/api')
const loadable = entry.replace('/build/esm/', '/build/src/')
const api = require(loadable) as typeof Api
require.cache[entry] = require.cache[loadable]
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } =
  require('@opentelemetry/sdk-trace-base') as typeof Sdk

const WRONG = 'a wrong password that nobody may read'
const NEW = 'a new password that nobody may read'

describe.each(distinctWays)('secrets on $way', (way) => {
  const exporter = new InMemorySpanExporter()
  const printed: string[] = []
  const responses: RawResponse[] = []
  beforeAll(() => {
    api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
    for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
      vi.spyOn(console, level).mockImplementation((...args) => void printed.push(args.map(textOf).join(' ')))
  })
  afterAll(() => {
    api.trace.disable()
    vi.restoreAllMocks()
  })
  const subject = startAuth(way)
  let ada: Session
  let hashes: string[]

  const record = async (response: Promise<RawResponse>): Promise<RawResponse> => {
    responses.push(await response)
    return response
  }
  const signedOf = ({ cookie }: Session): string => decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1))

  /** Sends requests that succeed and fail, with secrets in every place where a client could put them. */
  async function sendRequests(): Promise<string> {
    ada = await subject.signIn(ADA)
    const headers = { cookie: ada.cookie }
    const bearer = { authorization: `Bearer ${ada.token}` }
    await record(subject.post('/sign-in/email', { ...ADA, password: WRONG }))
    await record(subject.post('/sign-in/email', { email: 'nobody@example.com', password: WRONG }))
    await record(subject.post('/sign-in/email', { email: [WRONG], password: { a: WRONG } }))
    await record(subject.post('/sign-in/email', `{"email":"${ADA.email}","password":"${WRONG}`))
    await record(subject.post('/sign-in/email', ADA, { origin: 'http://evil.test', cookie: ada.cookie }))
    await record(subject.post('/sign-up/email', { ...ADA, password: WRONG }))
    await record(subject.call('GET /api/me', { headers }))
    await record(subject.call('GET /api/me', { headers: bearer }))
    await record(subject.call('GET /api/me', { headers: { authorization: `Bearer ${signedOf(ada)}` } }))
    await record(subject.call(`GET /api/me?token=${ada.token}`))
    await record(subject.call('POST /agent/whoami', { headers: bearer, body: {} }))
    const socket = await subject.connect({}, ['sdk.v1', `sdk.token.${ada.token}`])
    socket.close()
    await record(subject.post('/change-password', { currentPassword: WRONG, newPassword: NEW }, headers))
    await record(subject.post('/request-password-reset', { email: ADA.email }))
    await expect.poll(() => subject.mails.length).toBe(1)
    const reset = subject.mails[0]?.token ?? ''
    await record(subject.call(`GET /api/auth/verify-email?token=${reset}`))
    await record(subject.post('/reset-password', { token: reset, newPassword: 'short' }))
    return reset
  }

  /** Sends requests while tables are missing; the errors of the database contain the values of the statement. */
  async function failQueries(): Promise<void> {
    const { query } = subject.opened
    const grace = await subject.signIn(GRACE)
    const broken = await subject.another({ sessionCacheMs: 0 })
    const headers = { cookie: grace.cookie }
    for (const table of ['session', 'account', 'verification']) {
      await query(`alter table "${table}" rename to "${table}_away"`)
      await record(broken.post('/sign-in/email', GRACE))
      await record(broken.post('/sign-up/email', { ...GRACE, email: `${table}@example.com`, password: NEW }))
      await record(broken.post('/access-token', {}, headers))
      await record(broken.post('/change-password', { currentPassword: GRACE.password, newPassword: NEW }, headers))
      await record(broken.post('/request-password-reset', { email: GRACE.email }))
      await record(broken.post('/reset-password', { token: 'x'.repeat(24), newPassword: NEW }))
      await record(broken.call('GET /api/me', { headers }))
      await record(broken.call('GET /api/me', { headers: { authorization: `Bearer ${grace.token}` } }))
      await query(`alter table "${table}_away" rename to "${table}"`)
    }
    printed.push(...broken.log)
    hashes = (await query<{ password: string }>('select password from account')).map(({ password }) => password)
    secrets.push(grace.token, ...secretsOf(signedOf(grace)))
  }

  const secrets: string[] = [SECRET, ADA.password, GRACE.password, WRONG, NEW, 'x'.repeat(24)]
  /** Returns a signed value, and each of its parts. */
  const secretsOf = (signed: string): string[] => [signed, encodeURIComponent(signed), ...signed.split('.')]

  it('do not appear in logs, errors or spans', async () => {
    const reset = await sendRequests()
    await failQueries()
    secrets.push(reset, ada.token, ...secretsOf(signedOf(ada)), ...hashes.flatMap((hash) => [hash, ...hash.split(':')]))
    expect(hashes.length).toBeGreaterThan(2)
    expect(responses.filter(({ status }) => status === 500).length).toBeGreaterThan(5)
    expect(subject.log.length).toBeGreaterThan(10)
    const spans = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => textOf({ name, attributes, events, status }))
    expect(spans.length).toBeGreaterThan(10)
    const outputs = {
      log: subject.log.join('\n'),
      console: printed.join('\n'),
      spans: spans.join('\n'),
      // Without the responses that contain a token on request.
      responses: responses.map(({ body }) => body).join('\n'),
    }
    for (const text of [outputs.log, outputs.spans]) expect(text).toContain('/api/auth/')
    for (const [output, text] of Object.entries(outputs))
      for (const secret of secrets)
        expect(text.includes(secret), `${secret} in ${output}: ${around(text, secret)}`).toBe(false)
    for (const { body } of responses) expect(body).not.toMatch(/select |insert |relation|node_modules| at \w+ \(/)
  })
})

function around(text: string, secret: string): string {
  const at = text.indexOf(secret)
  return at === -1 ? '' : text.slice(Math.max(0, at - 200), at + 100)
}

/** Returns a value as text; for errors, with all properties and causes. */
function textOf(value: unknown): string {
  if (!(value instanceof Error)) return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return [
    value.stack,
    JSON.stringify(Object.getOwnPropertyNames(value).map((name) => String(value[name as keyof Error]))),
    textOf(value.cause ?? ''),
  ].join(' ')
}
