import { describe, expect, it } from 'vitest'
import { readPage } from './pages.ts'
import { bodyOf, pageOf, type Service, startService, TASKS } from './service.ts'
import type { StoreCase, Stores } from './store-case.ts'
import { stores } from './stores.ts'

/** The same stores, however often they are opened. */
function shared(kind: StoreCase): StoreCase {
  let opened: Promise<Stores> | undefined
  return { ...kind, open: () => (opened ??= kind.open()) }
}

const statusesOf = (answers: readonly { status: number }[]): number[] =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other)

describe.each(stores.filter(({ isLasting }) => isLasting))('two apps on one store: $store', (kind) => {
  const same = shared(kind)
  const [one, two] = [startService(same), startService(same)]
  const atBoth = <T>(work: (service: Service, n: number) => Promise<T>): Promise<T[]> =>
    Promise.all([one, two, one, two].map(work))

  it('see the same rows and versions', async () => {
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

  it('follow each other’s cursors', async () => {
    for (const title of ['a', 'b', 'c']) await one.make({ title, notes: 'to walk' })
    const first = await readPage(one, 'limit=1&notes=to+walk&sort=-title')
    const second = await readPage(two, `limit=2&notes=to+walk&sort=-title&cursor=${first.pagination.nextCursor}`)
    expect([...first.data, ...second.data].map(({ title }) => title)).toEqual(['c', 'b', 'a'])
  })

  it('let one write of a version through', async () => {
    const { path, etag } = await one.make({ title: 'Tea' })
    const answers = await atBoth((service, n) =>
      service.call(`PUT ${path}`, { headers: { 'If-Match': etag }, body: { title: `by ${n}` } }),
    )
    expect(statusesOf(answers)).toEqual([200, 412, 412, 412])
  })

  it('lose no change that was confirmed', async () => {
    const { path } = await one.make({ title: 'Tea', meta: { inner: {} } })
    const answers = await atBoth((service, n) =>
      service.call(`PATCH ${path}`, { body: { meta: { inner: { [`n${n}`]: 1 } } } }),
    )
    const kept = ['n0', 'n1', 'n2', 'n3'].filter((_, n) => answers[n]?.status === 200)
    expect(kept.length).toBeGreaterThan(0)
    const { meta } = bodyOf(await one.call(`GET ${path}`))
    expect(Object.keys((meta as { inner: object }).inner).toSorted()).toEqual(kept)
  })

  it('make one row of a key', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const body = { title: `key ${turn}` }
      const answers = await atBoth((service) =>
        service.call(`POST ${TASKS}`, { headers: { 'Idempotency-Key': `turn ${turn}` }, body }),
      )
      const made = answers.filter(({ status }) => status === 201)
      expect(made.length).toBeGreaterThan(0)
      expect(new Set(made.map((answer) => answer.body)).size).toBe(1)
      for (const { status } of answers) expect([201, 409]).toContain(status)
      const page = pageOf(await two.call(`GET ${TASKS}?title=key+${turn}`))
      expect(page.data.length).toBe(1)
    }
  })

  it('let one row have a value', async () => {
    const answers = await atBoth((service) =>
      service.call('POST /api/v1/documents', { as: 'ada', body: { slug: 'contested' } }),
    )
    expect(statusesOf(answers)).toEqual([201, 409, 409, 409])
  })

  it('start at the same time, on tables that are there', async () => {
    const { path, item } = await one.make({ title: 'stays' })
    await Promise.all([one.restart(), two.restart()])
    for (const service of [one, two]) expect(bodyOf(await service.call(`GET ${path}`))).toEqual(item)
  })
})
