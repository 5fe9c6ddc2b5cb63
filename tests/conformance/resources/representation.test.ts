import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, pageOf, startService, TASKS } from './service.ts'
import { TASK_DEFAULTS, TASK_MEMBERS } from './showcase.ts'
import { distinctStores } from './stores.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const TEXTS = [
  'é',
  'e\u0301',
  'Å',
  '\u212B',
  'ﬁ',
  '🍵👩‍👩‍👧',
  '𐍈',
  'شاي',
  '\u202Eabc',
  '\u2028\u2029',
  '\uFEFFbom',
  '\uFFFD\uFFFE',
  '\u0001\t\r\n\u007F',
  ' spaces ',
  '\\u0000',
  "'; drop table tasks; --",
  '{"a":1}',
  'İIıi',
]

describe.each(distinctStores)('rows of a resource on $store', (kind) => {
  const service = startService(kind)
  const rejected = async (line: string, body?: unknown) =>
    expectFailure(await service.call(line, { body }), 400, 'INVALID_REQUEST').details

  it('have only their fields, the id and the timestamps', async () => {
    const { item } = await service.make({ title: 'Tea' })
    expect(item).toMatchObject({ title: 'Tea', ...TASK_DEFAULTS })
    expect(Object.keys(item).toSorted()).toEqual(TASK_MEMBERS)
    expect(Number.isSafeInteger(item.id) && item.id > 0).toBe(true)
    expect(item.createdAt).toMatch(TIME)
    expect(item.updatedAt).toMatch(TIME)
    expect(item.updatedAt >= item.createdAt).toBe(true)
    expect(Math.abs(Date.parse(item.createdAt) - Date.now())).toBeLessThan(60_000)
    const { data } = pageOf(await service.call(`GET ${TASKS}?sort=-id&limit=1`))
    expect(data).toEqual([item])
  })

  it('return the values that were stored', async () => {
    const values = {
      title: 'Tea',
      notes: 'green',
      done: true,
      priority: 5,
      score: -1.5,
      estimate: 42,
      dueAt: '2026-03-04T05:06:07.008Z',
      dueDate: '2026-03-04',
      tags: ['b', 'a', 'a', ''],
      meta: { color: 'red', size: 0.5, inner: { one: 1, two: 2 } },
    }
    const { item, path } = await service.make(values)
    expect(item).toEqual({ ...values, id: item.id, createdAt: item.createdAt, updatedAt: item.updatedAt })
    expect(bodyOf(await service.call(`GET ${path}`))).toEqual(item)
  })

  it.each(TEXTS)('keep a text unchanged: %j', async (text) => {
    const { item, path } = await service.make({ title: text, notes: text, tags: [text], meta: { color: text } })
    expect(item).toMatchObject({ title: text, notes: text, tags: [text], meta: { color: text } })
    expect(bodyOf(await service.call(`GET ${path}`))).toEqual(item)
    const query = `title=${encodeURIComponent(text)}&limit=100`
    const { data } = pageOf(await service.call(`GET ${TASKS}?${query}`))
    expect(data.map(({ id }) => id)).toContain(item.id)
    expect(data.every(({ title }) => title === text)).toBe(true)
  })

  it('keep a long text that cannot be compressed', async () => {
    const notes = noise(5000)
    const { item, path } = await service.make({ title: '🍵'.repeat(200), notes })
    expect(item['notes'] === notes).toBe(true)
    expect(bodyOf(await service.call(`GET ${path}`))).toEqual(item)
    const patched = await service.call(`PATCH ${path}`, { body: { notes: noise(4999) } })
    expect([patched.status, bodyOf(patched)['notes'] === noise(4999)]).toEqual([200, true])
  })

  it('limit the length of a text in code points', async () => {
    const { item } = await service.make({ title: '🍵'.repeat(200) })
    expect(item['title']).toBe('🍵'.repeat(200))
    expect(await rejected(`POST ${TASKS}`, { title: '🍵'.repeat(201) })).toMatchObject([
      { code: 'TOO_LONG', source: 'body', pointer: '/title', max: 200 },
    ])
  })

  it.each([
    ['"\\ud83d"', '/title'],
    ['"\\udf75a"', '/title'],
    ['"a\\u0000b"', '/title'],
    ['"ok","tags":["a","\\u0000"]', '/tags/1'],
    ['"ok","meta":{"color":"\\ud800"}', '/meta/color'],
  ])('reject invalid Unicode: %s', async (text, pointer) => {
    const { path } = await service.make({ title: 'Tea' })
    for (const line of [`POST ${TASKS}`, `PUT ${path}`, `PATCH ${path}`])
      expect(await rejected(line, `{"title":${text}}`)).toMatchObject([
        { code: 'INVALID_UNICODE', source: 'body', pointer },
      ])
  })

  it.each([
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05+00:00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.1Z', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02T03:04:05.1239Z', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05.999999999Z', '2026-01-02T03:04:05.999Z'],
    ['2026-01-02T03:04:05+05:30', '2026-01-01T21:34:05.000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
    ['2024-02-29T12:00:00+23:59', '2024-02-28T12:01:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-06-01T00:00:00.9999Z', '0099-06-01T00:00:00.999Z'],
    ['1883-01-01T00:00:00.5Z', '1883-01-01T00:00:00.500Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
  ])('normalize times: %s', async (dueAt, expected) => {
    const { item, path } = await service.make({ title: 'Tea', dueAt })
    expect(item['dueAt']).toBe(expected)
    expect(bodyOf(await service.call(`GET ${path}`))).toEqual(item)
    const patched = await service.make({ title: 'Tea' })
    const response = await service.call(`PATCH ${patched.path}`, { body: { dueAt } })
    expect([response.status, bodyOf(response)]).toMatchObject([200, { dueAt: expected }])
    const { data } = pageOf(await service.call(`GET ${TASKS}?limit=100&dueAt=${encodeURIComponent(dueAt)}`))
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining([item.id, patched.item.id]))
  })

  it.each([
    '2026-01-02T03:04:05',
    '2026-01-02',
    '2026-01-02T03:04Z',
    '2026-06-30T23:59:60Z',
    '2026-01-02T24:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-02T03:04:05+24:00',
    '2026-01-02T03:04:05+0100',
    '2026-01-02T03:04:05.Z',
    '0000-12-31T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '+010000-01-01T00:00:00Z',
    '-0001-01-01T00:00:00Z',
    'infinity',
    'now',
    '',
    1_767_323_045,
    true,
  ])('reject invalid times: %j', async (dueAt) => {
    const { path } = await service.make({ title: 'Tea' })
    for (const line of [`POST ${TASKS}`, `PUT ${path}`, `PATCH ${path}`]) {
      const details = await rejected(line, { title: 'Tea', dueAt })
      expect(details).toMatchObject([{ source: 'body', pointer: '/dueAt' }])
      expect(['INVALID_FORMAT', 'INVALID_VALUE', 'INVALID_TYPE']).toContain(details[0]?.code)
    }
  })

  it.each([
    ['dueAt', 'must be a date and time, such as 2026-01-31T10:00:00Z'],
    ['dueDate', 'must be a date, such as 2026-01-31'],
  ])('return the same error for an invalid %s in bodies and filters', async (field, message) => {
    const { path } = await service.make({ title: 'Tea' })
    const detail = { code: 'INVALID_FORMAT', message }
    for (const line of [`POST ${TASKS}`, `PUT ${path}`, `PATCH ${path}`])
      expect(await rejected(line, { title: 'Tea', [field]: 'soon' })).toMatchObject([
        { ...detail, pointer: `/${field}` },
      ])
    expect(await rejected(`GET ${TASKS}?${field}=soon`)).toMatchObject([{ ...detail, source: 'query', name: field }])
  })

  it.each(['2024-02-29', '0001-01-01', '9999-12-31', '1582-10-10'])('keep dates: %s', async (dueDate) => {
    const { item, path } = await service.make({ title: 'Tea', dueDate })
    expect(item['dueDate']).toBe(dueDate)
    expect(bodyOf(await service.call(`GET ${path}`))).toEqual(item)
  })

  it.each(['2026-02-29', '2026-1-2', '20260102', '2026-01-02T00:00:00Z', 'today', 'infinity', '10000-01-01', '', 7])(
    'reject invalid dates: %j',
    async (dueDate) => {
      expect(await rejected(`POST ${TASKS}`, { title: 'Tea', dueDate })).toMatchObject([{ pointer: '/dueDate' }])
    },
  )

  it('reject a date in the year 0', async () => {
    expect((await service.call(`POST ${TASKS}`, { body: { title: 'Tea', dueDate: '0000-01-01' } })).status).toBe(400)
  })
})

/** Returns pseudorandom characters, the same in every run. */
function noise(length: number): string {
  let state = length
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return String.fromCharCode(0x4e_00 + (Math.floor(state / 2 ** 16) % 20_000))
  }).join('')
}
