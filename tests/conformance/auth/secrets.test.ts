import { createRequire } from 'node:module'
import type * as Api from '@opentelemetry/api'
import type * as Sdk from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Answer } from '../http/wire.ts'
import { ADA, GRACE, SECRET } from './people.ts'
import { type Session, startAuth } from './subject.ts'
import { ways } from './ways.ts'

// Vitest asks Node for the entry that the package has for bundlers, which Node cannot load: the other takes its place.
const require = createRequire(import.meta.url)
const entry = require.resolve('@opentelemetry/api')
const loadable = entry.replace('/build/esm/', '/build/src/')
const api = require(loadable) as typeof Api
require.cache[entry] = require.cache[loadable]
const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } =
  require('@opentelemetry/sdk-trace-base') as typeof Sdk

const WRONG = 'a wrong password that nobody may read'
const NEW = 'a new password that nobody may read'

describe.each(ways)('secrets on $way', (way) => {
  const exporter = new InMemorySpanExporter()
  const printed: string[] = []
  const answers: Answer[] = []
  beforeAll(() => {
    api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
    for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
      vi.spyOn(console, level).mockImplementation((...words) => void printed.push(words.map(textOf).join(' ')))
  })
  afterAll(() => {
    api.trace.disable()
    vi.restoreAllMocks()
  })
  const subject = startAuth(way)
  let ada: Session
  let hashes: string[]

  const noted = async (answer: Promise<Answer>): Promise<Answer> => {
    answers.push(await answer)
    return answer
  }
  const signedOf = ({ cookie }: Session): string => decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1))

  /** Everything that can go right and wrong, with secrets in every place where somebody could put them. */
  async function tell(): Promise<string> {
    ada = await subject.signIn(ADA)
    const headers = { cookie: ada.cookie }
    const bearer = { authorization: `Bearer ${ada.token}` }
    await noted(subject.post('/sign-in/email', { ...ADA, password: WRONG }))
    await noted(subject.post('/sign-in/email', { email: 'nobody@example.com', password: WRONG }))
    await noted(subject.post('/sign-in/email', { email: [WRONG], password: { a: WRONG } }))
    await noted(subject.post('/sign-in/email', `{"email":"${ADA.email}","password":"${WRONG}`))
    await noted(subject.post('/sign-in/email', ADA, { origin: 'http://evil.test', cookie: ada.cookie }))
    await noted(subject.post('/sign-up/email', { ...ADA, password: WRONG }))
    await noted(subject.call('GET /api/me', { headers }))
    await noted(subject.call('GET /api/me', { headers: bearer }))
    await noted(subject.call('GET /api/me', { headers: { authorization: `Bearer ${signedOf(ada)}` } }))
    await noted(subject.call(`GET /api/me?token=${ada.token}`))
    await noted(subject.call('POST /agent/whoami', { headers: bearer, body: {} }))
    const socket = await subject.connect({}, ['sdk.v1', `sdk.token.${ada.token}`])
    socket.close()
    await noted(subject.post('/change-password', { currentPassword: WRONG, newPassword: NEW }, headers))
    await noted(subject.post('/request-password-reset', { email: ADA.email }))
    await expect.poll(() => subject.mails.length).toBe(1)
    const reset = subject.mails[0]?.token ?? ''
    await noted(subject.call(`GET /api/auth/verify-email?token=${reset}`))
    await noted(subject.post('/reset-password', { token: reset, newPassword: 'short' }))
    return reset
  }

  /** A database that fails at the worst places; what it says has the values of the statement. */
  async function breakDown(): Promise<void> {
    const { query } = subject.opened
    const grace = await subject.signIn(GRACE)
    const broken = await subject.another({ sessionCacheMs: 0 })
    const headers = { cookie: grace.cookie }
    for (const table of ['session', 'account', 'verification']) {
      await query(`alter table "${table}" rename to "${table}_away"`)
      await noted(broken.post('/sign-in/email', GRACE))
      await noted(broken.post('/sign-up/email', { ...GRACE, email: `${table}@example.com`, password: NEW }))
      await noted(broken.post('/access-token', {}, headers))
      await noted(broken.post('/change-password', { currentPassword: GRACE.password, newPassword: NEW }, headers))
      await noted(broken.post('/request-password-reset', { email: GRACE.email }))
      await noted(broken.post('/reset-password', { token: 'x'.repeat(24), newPassword: NEW }))
      await noted(broken.call('GET /api/me', { headers }))
      await noted(broken.call('GET /api/me', { headers: { authorization: `Bearer ${grace.token}` } }))
      await query(`alter table "${table}_away" rename to "${table}"`)
    }
    printed.push(...broken.log)
    hashes = (await query<{ password: string }>('select password from account')).map(({ password }) => password)
    secrets.push(grace.token, ...secretsOf(signedOf(grace)))
  }

  const secrets: string[] = [SECRET, ADA.password, GRACE.password, WRONG, NEW, 'x'.repeat(24)]
  /** Signed, and each part alone. */
  const secretsOf = (signed: string): string[] => [signed, encodeURIComponent(signed), ...signed.split('.')]

  it('are in no log, error or span', async () => {
    const reset = await tell()
    await breakDown()
    secrets.push(reset, ada.token, ...secretsOf(signedOf(ada)), ...hashes.flatMap((hash) => [hash, ...hash.split(':')]))
    expect(hashes.length).toBeGreaterThan(2)
    expect(answers.filter(({ status }) => status === 500).length).toBeGreaterThan(5)
    expect(subject.log.length).toBeGreaterThan(10)
    const spans = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => textOf({ name, attributes, events, status }))
    expect(spans.length).toBeGreaterThan(10)
    const said = {
      log: subject.log.join('\n'),
      console: printed.join('\n'),
      spans: spans.join('\n'),
      // The one answer that has a token is the one to the question for it.
      answers: answers.map(({ body }) => body).join('\n'),
    }
    for (const text of [said.log, said.spans]) expect(text).toContain('/api/auth/')
    for (const [where, text] of Object.entries(said))
      for (const secret of secrets)
        expect(text.includes(secret), `${secret} in ${where}: ${around(text, secret)}`).toBe(false)
    for (const { body } of answers) expect(body).not.toMatch(/select |insert |relation|node_modules| at \w+ \(/)
  })
})

function around(text: string, secret: string): string {
  const at = text.indexOf(secret)
  return at === -1 ? '' : text.slice(Math.max(0, at - 200), at + 100)
}

/** All that there is of a value, also what an error has beside its message. */
function textOf(value: unknown): string {
  if (!(value instanceof Error)) return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return [
    value.stack,
    JSON.stringify(Object.getOwnPropertyNames(value).map((name) => String(value[name as keyof Error]))),
    textOf(value.cause ?? ''),
  ].join(' ')
}
