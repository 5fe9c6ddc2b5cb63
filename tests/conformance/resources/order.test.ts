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
/** Stand for paths of rows that there are. */
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

/** Two faults, the first of which answers; where both would be 400, its place says which it was. */
type TwoFaults = [first: string, than: string, line: string, parts: CallParts, status: number, source?: string]

const CASES: TwoFaults[] = [
  ['no route', 'a bad query', 'GET /api/v9/tasks?%ZZ', {}, 404],
  ['a bad path', 'no route', 'GET /api/v9/%ZZ', {}, 400],
  ['the method', 'nobody', `DELETE ${DOCUMENTS}`, {}, 405],
  ['the method', 'Accept', `DELETE ${TASKS}`, { headers: HTML }, 405],
  ['the method', 'a bad id', `POST ${TASKS}/abc`, { body: {} }, 405],
  ['nobody', 'Accept', `GET ${DOCUMENTS}`, { headers: HTML }, 401],
  ['nobody', 'a type', `POST ${DOCUMENTS}`, { headers: TEXT, body: 'x' }, 401],
  ['nobody', 'a size', `POST ${DOCUMENTS}`, { body: BIG }, 401],
  ['nobody', 'a bad id', `GET ${DOCUMENTS}/abc`, {}, 401],
  ['nobody', 'a bad query', `GET ${DOCUMENTS}?nope=1`, {}, 401],
  ['nobody', 'no row', `GET ${DOCUMENTS}/777777`, {}, 401],
  ['no right', 'Accept', `GET ${DOCUMENTS}`, { as: 'mute', headers: HTML }, 403],
  ['no right', 'a type', `POST ${DOCUMENTS}`, { as: 'mute', headers: TEXT, body: 'x' }, 403],
  ['no right', 'a size', `POST ${DOCUMENTS}`, { as: 'mute', body: BIG }, 403],
  ['no right', 'a bad id', `GET ${DOCUMENTS}/abc`, { as: 'mute' }, 403],
  ['no right', 'a bad query', `GET ${DOCUMENTS}?nope=1`, { as: 'mute' }, 403],
  ['no right', 'bad JSON', `POST ${DOCUMENTS}`, { as: 'mute', body: '{' }, 403],
  ['Accept', 'a type', `POST ${TASKS}`, { headers: { ...HTML, ...TEXT }, body: 'x' }, 406],
  ['Accept', 'a size', `POST ${TASKS}`, { headers: HTML, body: BIG }, 406],
  ['Accept', 'a bad id', `GET ${TASKS}/abc`, { headers: HTML }, 406],
  ['Accept', 'a bad query', `GET ${TASKS}?nope=1`, { headers: HTML }, 406],
  ['Accept', 'no row', `GET ${MISSING}`, { headers: HTML }, 406],
  ['a type', 'a size', `PUT ${TASK}`, { headers: TEXT, body: BIG }, 415],
  ['a type', 'a bad id', `PUT ${TASKS}/abc`, { headers: TEXT, body: '{}' }, 415],
  ['a type', 'a bad query', `POST ${TASKS}?nope=1`, { headers: TEXT, body: '{}' }, 415],
  ['a type', 'no row', `PUT ${MISSING}`, { headers: TEXT, body: '{}' }, 415],
  ['a size', 'a bad id', `PUT ${TASKS}/abc`, { body: BIG }, 413],
  ['a size', 'a bad query', `POST ${TASKS}?nope=1`, { body: BIG }, 413],
  ['a size', 'no row', `PUT ${MISSING}`, { body: BIG }, 413],
  ['a bad id', 'bad JSON', `PUT ${TASKS}/abc`, { body: '{' }, 400, 'path'],
  ['a bad query', 'bad JSON', `POST ${TASKS}?nope=1`, { body: '{' }, 400, 'query'],
  ['a bad query', 'no row', `GET ${MISSING}?nope=1`, {}, 400, 'query'],
  ['bad JSON', 'no row', `PUT ${MISSING}`, { body: '{' }, 400, 'body'],
  ['bad JSON', 'a version', `PUT ${TASK}`, { body: '{"title":"a","title":"a"}', headers: STALE }, 400, 'body'],
  ['bad JSON', 'no version', `PUT ${DRAFT}`, { body: '{' }, 400, 'body'],
  ['bad Unicode', 'no row', `PATCH ${MISSING}`, { body: '{"title":"\\u0000"}' }, 400, 'body'],
  ['no row', 'a version', `PUT ${MISSING}`, { body: { title: 'a' }, headers: STALE }, 404],
  ['no row', 'no version', 'DELETE /api/v1/drafts/777777', {}, 404],
  ['no row', 'a bad body', `PUT ${MISSING}`, { body: { title: '' } }, 404],
  ['no row', 'no object', `PATCH ${MISSING}`, { body: [] }, 404],
  ['a foreign row', 'a version', `PUT ${DOCUMENT}`, { as: 'bob', body: { slug: '' }, headers: STALE }, 404],
  ['a version', 'a bad body', `PUT ${TASK}`, { body: { title: '' }, headers: STALE }, 412],
  ['a version', 'a bad patch', `PATCH ${TASK}`, { body: { nope: 1 }, headers: STALE }, 412],
  ['a version', 'no object', `PATCH ${TASK}`, { body: [], headers: STALE }, 412],
  ['a version', 'a taken value', `PUT ${DOCUMENT}`, { as: 'ada', body: { slug: 'taken' }, headers: STALE }, 412],
  ['no version', 'a bad body', `PUT ${DRAFT}`, { body: { title: '' } }, 428],
  ['a bad body', 'a taken value', `POST ${DOCUMENTS}`, { as: 'ada', body: { slug: 'taken', nope: 1 } }, 400, 'body'],
  ['a bad patch', 'a taken value', `PATCH ${DOCUMENT}`, { as: 'ada', body: { slug: 'taken', body: 7 } }, 400, 'body'],
]

describe.each(distinctStores)('of several faults on $store', (kind) => {
  const service = startService(kind)
  const paths = new Map<string, Made>()
  beforeAll(async () => {
    paths.set(TASK, await service.make({ title: 'Tea' }))
    paths.set(DRAFT, await service.make({ title: 'Tea' }, { path: '/api/v1/drafts' }))
    paths.set(DOCUMENT, await service.make({ slug: 'mine' }, { path: DOCUMENTS, as: 'ada' }))
    await service.make({ slug: 'taken' }, { path: DOCUMENTS, as: 'bob' })
  })

  it.each(CASES)('%s answers before %s: %s', async (_first, _than, line, parts, status, source) => {
    const target = line.replace(/\{\w+\}/, (name) => paths.get(name)?.path ?? name)
    const { details } = expectFailure(await service.call(target, parts), status, CODES[status] ?? 'a code')
    const sources = details.flatMap((detail) => detail.source ?? [])
    expect(source === undefined ? [] : sources).toEqual(source === undefined ? [] : [source])
  })

  it('a key that was used answers before a body that is invalid', async () => {
    const headers = { 'Idempotency-Key': 'order' }
    expect((await service.call(`POST ${TASKS}`, { headers, body: { title: 'Tea' } })).status).toBe(201)
    const answer = await service.call(`POST ${TASKS}`, { headers, body: { title: '' } })
    expectFailure(answer, 422, 'IDEMPOTENCY_KEY_REUSED')
  })
})

describe.each(distinctStores)('a quota on $store', (kind) => {
  const service = startService(kind, { rateLimit: { default: { quota: 3, window: 60 } } })

  it('refuses the request that is one too many, and says when to come back', async () => {
    const answers = [await service.call(`POST ${TASKS}`, { body: { title: 'Tea' } })]
    for (let n = 0; n < 3; n++) answers.push(await service.call(`GET ${TASKS}`))
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 429])
    const last = answers.at(-1)
    if (last === undefined) throw new Error('there were four')
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
