import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, pageOf, rowOf, startService, TASKS } from './service.ts'
import { stores } from './stores.ts'

describe.each(stores)('numbers of a resource on $store', (kind) => {
  const service = startService(kind)

  it.each([
    ['1.0', 1],
    ['1e2', 100],
    ['-0', 0],
    ['0', 0],
    ['-7', -7],
    ['2147483648', 2_147_483_648],
    ['-2147483649', -2_147_483_649],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
    ['90071992547409910e-1', Number.MAX_SAFE_INTEGER],
  ])('an integer can be written as %s', async (text, expected) => {
    const response = await service.call(`POST ${TASKS}`, { body: `{"title":"Tea","estimate":${text}}` })
    expect(response.status).toBe(201)
    expect(response.body).toContain(`"estimate":${expected},`)
    const item = rowOf(response)
    expect((await service.call(`GET ${TASKS}/${item.id}`)).body).toBe(response.body)
    const { data } = pageOf(await service.call(`GET ${TASKS}?limit=100&estimate=${expected}`))
    expect(data.map(({ id }) => id)).toContain(item.id)
    expect(data.every(({ estimate }) => estimate === expected)).toBe(true)
  })

  it.each(['9007199254740992', '-9007199254740992', '9007199254740993', '1e16', '1.5', '1e400', '"1"', 'true', '[1]'])(
    'an integer cannot be %s',
    async (text) => {
      const response = await service.call(`POST ${TASKS}`, { body: `{"title":"Tea","estimate":${text}}` })
      const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
      expect(details).toMatchObject([{ source: 'body', pointer: '/estimate' }])
    },
  )

  it.each(['0', '-0', '6', '2.5'])('a number outside of its limits is rejected: %s', async (text) => {
    const response = await service.call(`POST ${TASKS}`, { body: `{"title":"Tea","priority":${text}}` })
    const { details } = expectFailure(response, 400, 'INVALID_REQUEST')
    expect(details).toMatchObject([{ source: 'body', pointer: '/priority' }])
  })

  it.each([
    '0.1',
    '1e2',
    '1E-7',
    '-1.5',
    '5e-324',
    '1.7976931348623157e308',
    '0.30000000000000004',
    '123456789.123456789',
    '1e21',
  ])('a number is stored exactly: %s', async (text) => {
    const response = await service.call(`POST ${TASKS}`, {
      body: `{"title":"Tea","score":${text},"meta":{"size":${text},"inner":{"deep":${text}}}}`,
    })
    const item = rowOf(response)
    const number = Number(text)
    expect(item).toMatchObject({ score: number, meta: { size: number, inner: { deep: number } } })
    expect(bodyOf(await service.call(`GET ${TASKS}/${item.id}`))).toEqual(item)
    const { data } = pageOf(await service.call(`GET ${TASKS}?limit=100&score=${text}`))
    expect(data.map(({ id }) => id)).toContain(item.id)
  })

  it('a negative zero is stored as zero', async () => {
    const response = await service.call(`POST ${TASKS}`, { body: '{"title":"Tea","score":-0}' })
    const { id, score } = rowOf(response)
    expect(Number(score) + 0).toBe(0)
    const etag = response.headers['etag']
    const same = await service.call(`PATCH ${TASKS}/${id}`, { body: '{"score":0}' })
    expect([same.status, same.headers['etag']]).toEqual([200, etag])
    const { data } = pageOf(await service.call(`GET ${TASKS}?score=0`))
    expect(data.map((row) => row.id)).toContain(id)
  })

  it.each(['1e400', '-1e400', '"1"', 'NaN', 'Infinity', '01', '1.', '.5', '+1', '0x1'])(
    'a number cannot be %s',
    async (text) => {
      const response = await service.call(`POST ${TASKS}`, { body: `{"title":"Tea","score":${text}}` })
      expect(expectFailure(response, 400, 'INVALID_REQUEST').details).toMatchObject([{ source: 'body' }])
    },
  )
})
