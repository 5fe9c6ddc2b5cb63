import { beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { type CallParts, type Made, startService, TASKS } from './service.ts'
import { distinctStores } from './stores.ts'

const BIG = 'x'.repeat(1_048_577)
const HTML = { Accept: 'text/html' }
const TEXT = { 'Content-Type': 'text/plain' }
const STALE = { 'If-Match': '"stale"' }
const DOCUMENTS = '/api/v1/documents'
const MISSING = `${TASKS}/777777`
/** Placeholders for the paths of existing rows. */
const [TASK, DRAFT, DOCUMENT] = ['{task}', '{draft}', '{document}']

const CODES: Record<number, string> = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  406: 'NOT_ACCEPTABLE',
  412: 'PRECONDITION_FAILED',
  413: 'CONTENT_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  428: 'PRECONDITION_REQUIRED',
}

/** Two errors, of which the first is reported; if both are 400, `source` distinguishes them. */
type TwoErrors = [first: string, second: string, line: string, parts: CallParts, status: number, source?: string]

const CASES: TwoErrors[] = [
  ['no route', 'an invalid query', 'GET /api/v9/tasks?%ZZ', {}, 404],
  ['an invalid path', 'no route', 'GET /api/v9/%ZZ', {}, 400],
  ['a wrong method', 'no user', `DELETE ${DOCUMENTS}`, {}, 405],
  ['a wrong method', 'Accept', `DELETE ${TASKS}`, { headers: HTML }, 405],
  ['a wrong method', 'an invalid id', `POST ${TASKS}/abc`, { body: {} }, 405],
  ['no user', 'Accept', `GET ${DOCUMENTS}`, { headers: HTML }, 401],
  ['no user', 'a wrong type', `POST ${DOCUMENTS}`, { headers: TEXT, body: 'x' }, 401],
  ['no user', 'a large body', `POST ${DOCUMENTS}`, { body: BIG }, 401],
  ['no user', 'an invalid id', `GET ${DOCUMENTS}/abc`, {}, 401],
  ['no user', 'an invalid query', `GET ${DOCUMENTS}?nope=1`, {}, 401],
  ['no user', 'a missing row', `GET ${DOCUMENTS}/777777`, {}, 401],
  ['a forbidden user', 'Accept', `GET ${DOCUMENTS}`, { as: 'mute', headers: HTML }, 403],
  ['a forbidden user', 'a wrong type', `POST ${DOCUMENTS}`, { as: 'mute', headers: TEXT, body: 'x' }, 403],
  ['a forbidden user', 'a large body', `POST ${DOCUMENTS}`, { as: 'mute', body: BIG }, 403],
  ['a forbidden user', 'an invalid id', `GET ${DOCUMENTS}/abc`, { as: 'mute' }, 403],
  ['a forbidden user', 'an invalid query', `GET ${DOCUMENTS}?nope=1`, { as: 'mute' }, 403],
  ['a forbidden user', 'invalid JSON', `POST ${DOCUMENTS}`, { as: 'mute', body: '{' }, 403],
  ['Accept', 'a wrong type', `POST ${TASKS}`, { headers: { ...HTML, ...TEXT }, body: 'x' }, 406],
  ['Accept', 'a large body', `POST ${TASKS}`, { headers: HTML, body: BIG }, 406],
  ['Accept', 'an invalid id', `GET ${TASKS}/abc`, { headers: HTML }, 406],
  ['Accept', 'an invalid query', `GET ${TASKS}?nope=1`, { headers: HTML }, 406],
  ['Accept', 'a missing row', `GET ${MISSING}`, { headers: HTML }, 406],
  ['a wrong type', 'a large body', `PUT ${TASK}`, { headers: TEXT, body: BIG }, 415],
  ['a wrong type', 'an invalid id', `PUT ${TASKS}/abc`, { headers: TEXT, body: '{}' }, 415],
  ['a wrong type', 'an invalid query', `POST ${TASKS}?nope=1`, { headers: TEXT, body: '{}' }, 415],
  ['a wrong type', 'a missing row', `PUT ${MISSING}`, { headers: TEXT, body: '{}' }, 415],
  ['a large body', 'an invalid id', `PUT ${TASKS}/abc`, { body: BIG }, 413],
  ['a large body', 'an invalid query', `POST ${TASKS}?nope=1`, { body: BIG }, 413],
  ['a large body', 'a missing row', `PUT ${MISSING}`, { body: BIG }, 413],
  ['an invalid id', 'invalid JSON', `PUT ${TASKS}/abc`, { body: '{' }, 400, 'path'],
  ['an invalid query', 'invalid JSON', `POST ${TASKS}?nope=1`, { body: '{' }, 400, 'query'],
  ['an invalid query', 'a missing row', `GET ${MISSING}?nope=1`, {}, 400, 'query'],
  ['invalid JSON', 'a missing row', `PUT ${MISSING}`, { body: '{' }, 400, 'body'],
  ['invalid JSON', 'an old version', `PUT ${TASK}`, { body: '{"title":"a","title":"a"}', headers: STALE }, 400, 'body'],
  ['invalid JSON', 'no If-Match', `PUT ${DRAFT}`, { body: '{' }, 400, 'body'],
  ['invalid Unicode', 'a missing row', `PATCH ${MISSING}`, { body: '{"title":"\\u0000"}' }, 400, 'body'],
  ['a missing row', 'an old version', `PUT ${MISSING}`, { body: { title: 'a' }, headers: STALE }, 404],
  ['a missing row', 'no If-Match', 'DELETE /api/v1/drafts/777777', {}, 404],
  ['a missing row', 'a bad body', `PUT ${MISSING}`, { body: { title: '' } }, 404],
  ['a missing row', 'an array as the body', `PATCH ${MISSING}`, { body: [] }, 404],
  ['a foreign row', 'an old version', `PUT ${DOCUMENT}`, { as: 'bob', body: { slug: '' }, headers: STALE }, 404],
  ['an old version', 'a bad body', `PUT ${TASK}`, { body: { title: '' }, headers: STALE }, 412],
  ['an old version', 'a bad patch', `PATCH ${TASK}`, { body: { nope: 1 }, headers: STALE }, 412],
  ['an old version', 'an array as the body', `PATCH ${TASK}`, { body: [], headers: STALE }, 412],
  ['an old version', 'a taken value', `PUT ${DOCUMENT}`, { as: 'ada', body: { slug: 'taken' }, headers: STALE }, 412],
  ['no If-Match', 'a bad body', `PUT ${DRAFT}`, { body: { title: '' } }, 428],
  ['a bad body', 'a taken value', `POST ${DOCUMENTS}`, { as: 'ada', body: { slug: 'taken', nope: 1 } }, 400, 'body'],
  ['a bad patch', 'a taken value', `PATCH ${DOCUMENT}`, { as: 'ada', body: { slug: 'taken', body: 7 } }, 400, 'body'],
]

describe.each(distinctStores)('for a request with several errors on $store', (kind) => {
  const service = startService(kind)
  const paths = new Map<string, Made>()
  beforeAll(async () => {
    paths.set(TASK, await service.make({ title: 'Tea' }))
    paths.set(DRAFT, await service.make({ title: 'Tea' }, { path: '/api/v1/drafts' }))
    paths.set(DOCUMENT, await service.make({ slug: 'mine' }, { path: DOCUMENTS, as: 'ada' }))
    await service.make({ slug: 'taken' }, { path: DOCUMENTS, as: 'bob' })
  })

  it.each(CASES)('%s is reported before %s: %s', async (_first, _second, line, parts, status, source) => {
    const target = line.replace(/\{\w+\}/, (name) => paths.get(name)?.path ?? name)
    const { details } = expectFailure(await service.call(target, parts), status, CODES[status] ?? 'a code')
    const sources = details.flatMap((detail) => detail.source ?? [])
    expect(source === undefined ? [] : sources).toEqual(source === undefined ? [] : [source])
  })

  it('a reused Idempotency-Key is reported before an invalid body', async () => {
    const headers = { 'Idempotency-Key': 'order' }
    expect((await service.call(`POST ${TASKS}`, { headers, body: { title: 'Tea' } })).status).toBe(201)
    const response = await service.call(`POST ${TASKS}`, { headers, body: { title: '' } })
    expectFailure(response, 422, 'IDEMPOTENCY_KEY_REUSED')
  })
})

describe.each(distinctStores)('a quota on $store', (kind) => {
  const service = startService(kind, { rateLimit: { default: { quota: 3, window: 60 } } })

  it('rejects requests above the limit with Retry-After', async () => {
    const responses = [await service.call(`POST ${TASKS}`, { body: { title: 'Tea' } })]
    for (let n = 0; n < 3; n++) responses.push(await service.call(`GET ${TASKS}`))
    expect(responses.map(({ status }) => status)).toEqual([201, 200, 200, 429])
    const last = responses.at(-1)
    if (last === undefined) throw new Error('expected four responses')
    const { details } = expectFailure(last, 429, 'TOO_MANY_REQUESTS')
    expect(details).toMatchObject([{ code: 'QUOTA_EXCEEDED', policy: 'default' }])
    expect(last.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(last.headers['ratelimit']).toMatch(/^"default";r=0;t=\d+$/)
    expect(last.headers['ratelimit-policy']).toBe('"default";q=3;w=60')
    expectFailure(await service.call(`DELETE ${TASKS}`), 405, 'METHOD_NOT_ALLOWED')
    expect((await service.call(`OPTIONS ${TASKS}`)).status).toBe(204)
    expectFailure(await service.call(`GET ${TASKS}/abc`), 429, 'TOO_MANY_REQUESTS')
    expectFailure(await service.call(`GET ${DOCUMENTS}`), 429, 'TOO_MANY_REQUESTS')
    expect((await service.call(`GET ${DOCUMENTS}`, { as: 'ada' })).status).toBe(200)
  })
})
