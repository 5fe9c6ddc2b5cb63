import { describe, expect, it } from 'vitest'
import { readPage } from './pages.ts'
import { bodyOf, pageOf, type Service, startService, TASKS } from './service.ts'
import type { StoreCase, Stores } from './store-case.ts'
import { stores } from './stores.ts'

/** Returns a kind whose stores are opened once. */
function shared(kind: StoreCase): StoreCase {
  let opened: Promise<Stores> | undefined
  return { ...kind, open: () => (opened ??= kind.open()) }
}

const statusesOf = (responses: readonly { status: number }[]): number[] =>
  responses.map(({ status }) => status).toSorted((one, other) => one - other)

describe.each(stores.filter(({ isLasting }) => isLasting))('two apps on the same $store', (kind) => {
  const same = shared(kind)
  const [one, two] = [startService(same), startService(same)]
  const atBoth = <T>(work: (service: Service, n: number) => Promise<T>): Promise<T[]> =>
    Promise.all([one, two, one, two].map(work))

  it('return the same rows and versions', async () => {
    const { item, path, etag } = await one.make({ title: 'Tea' })
    const got = await two.call(`GET ${path}`)
    expect([bodyOf(got), got.headers['etag']]).toEqual([item, etag])
    const patched = await two.call(`PATCH ${path}`, { headers: { 'If-Match': etag }, body: { title: 'Milk' } })
    expect(patched.status).toBe(200)
    expect((await one.call(`PATCH ${path}`, { headers: { 'If-Match': etag }, body: { title: 'Oat' } })).status).toBe(
      412,
    )
    const again = await one.call(`GET ${path}`)
    expect([again.body, again.headers['etag']]).toEqual([patched.body, patched.headers['etag']])
  })

  it('accept each other’s cursors', async () => {
    for (const title of ['a', 'b', 'c']) await one.make({ title, notes: 'to walk' })
    const first = await readPage(one, 'limit=1&notes=to+walk&sort=-title')
    const second = await readPage(two, `limit=2&notes=to+walk&sort=-title&cursor=${first.pagination.nextCursor}`)
    expect([...first.data, ...second.data].map(({ title }) => title)).toEqual(['c', 'b', 'a'])
  })

  it('accept one of several concurrent writes of a version', async () => {
    const { path, etag } = await one.make({ title: 'Tea' })
    const responses = await atBoth((service, n) =>
      service.call(`PUT ${path}`, { headers: { 'If-Match': etag }, body: { title: `by ${n}` } }),
    )
    expect(statusesOf(responses)).toEqual([200, 412, 412, 412])
  })

  it('keep every confirmed change', async () => {
    const { path } = await one.make({ title: 'Tea', meta: { inner: {} } })
    const responses = await atBoth((service, n) =>
      service.call(`PATCH ${path}`, { body: { meta: { inner: { [`n${n}`]: 1 } } } }),
    )
    const kept = ['n0', 'n1', 'n2', 'n3'].filter((_, n) => responses[n]?.status === 200)
    expect(kept.length).toBeGreaterThan(0)
    const { meta } = bodyOf(await one.call(`GET ${path}`))
    expect(Object.keys((meta as { inner: object }).inner).toSorted()).toEqual(kept)
  })

  it('create one row per Idempotency-Key', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const body = { title: `key ${turn}` }
      const responses = await atBoth((service) =>
        service.call(`POST ${TASKS}`, { headers: { 'Idempotency-Key': `turn ${turn}` }, body }),
      )
      const made = responses.filter(({ status }) => status === 201)
      expect(made.length).toBeGreaterThan(0)
      expect(new Set(made.map((response) => response.body)).size).toBe(1)
      for (const { status } of responses) expect([201, 409]).toContain(status)
      const page = pageOf(await two.call(`GET ${TASKS}?title=key+${turn}`))
      expect(page.data.length).toBe(1)
    }
  })

  it('create one row with a unique value', async () => {
    const responses = await atBoth((service) =>
      service.call('POST /api/v1/documents', { as: 'ada', body: { slug: 'contested' } }),
    )
    expect(statusesOf(responses)).toEqual([201, 409, 409, 409])
  })

  it('can restart at the same time with existing tables', async () => {
    const { path, item } = await one.make({ title: 'stays' })
    await Promise.all([one.restart(), two.restart()])
    for (const service of [one, two]) expect(bodyOf(await service.call(`GET ${path}`))).toEqual(item)
  })
})
