import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, startService } from './service.ts'
import { createMembers } from './showcase.ts'
import { distinctStores } from './stores.ts'

const MEMBERS = '/api/v1/members'

describe.each(distinctStores)('fields that are unique together on $store', (kind) => {
  const service = startService(kind, {
    routes: async (router, open) => router.resource('v1', createMembers(await open.source('members', 'members'))),
  })
  const make = (values: object, as = 'ada') => service.make(values, { path: MEMBERS, as })
  const post = (body: object, as = 'ada') => service.call(`POST ${MEMBERS}`, { as, body })
  const taken = (pointer: string): object => ({ code: 'NOT_UNIQUE', message: 'is taken', source: 'body', pointer })

  it('return 409 only if the combination is taken', async () => {
    await make({ person: 'a', team: 'x' })
    await make({ person: 'a', team: 'y' })
    await make({ person: 'b', team: 'x' })
    const { message, details } = expectFailure(await post({ person: 'a', team: 'x' }), 409, 'CONFLICT')
    expect(message).toBe('the combination of person and team is taken')
    expect(details).toEqual([taken('/person'), taken('/team')])
  })

  it('are checked for PATCH and PUT', async () => {
    await make({ person: 'c', team: 'x' })
    const { path, item } = await make({ person: 'c', team: 'y' })
    for (const [method, body] of [
      ['PATCH', { team: 'x' }],
      ['PUT', { person: 'c', team: 'x' }],
    ] as const) {
      const response = await service.call(`${method} ${path}`, { as: 'ada', body })
      expect(expectFailure(response, 409, 'CONFLICT').details).toEqual([taken('/person'), taken('/team')])
    }
    expect(bodyOf(await service.call(`GET ${path}`, { as: 'ada' }))).toEqual(item)
    expect((await service.call(`PATCH ${path}`, { as: 'ada', body: { person: 'd', team: 'x' } })).status).toBe(200)
  })

  it('do not expose the rows of other users if the owner is one of the fields', async () => {
    await make({ person: 'e', team: 'x', seat: 1 })
    await make({ person: 'f', team: 'x', seat: 1 }, 'bob')
    const { message, details } = expectFailure(await post({ person: 'g', team: 'x', seat: 1 }), 409, 'CONFLICT')
    // The owner is not a field of the schema.
    expect([message, details]).toEqual(['seat is taken', [taken('/seat')]])
  })

  it('are never equal if one of them is null', async () => {
    for (const person of ['h', 'i']) await make({ person, team: 'x' })
    const { path } = await make({ person: 'j', team: 'x', seat: 2 })
    expect((await service.call(`PATCH ${path}`, { as: 'ada', body: { seat: null } })).status).toBe(200)
    await make({ person: 'k', team: 'x', seat: 2 })
    expectFailure(await service.call(`PATCH ${path}`, { as: 'ada', body: { seat: 2 } }), 409, 'CONFLICT')
  })

  it('are not equal because their concatenation is', async () => {
    await make({ person: 'l', team: 'mn' })
    await make({ person: 'lm', team: 'n' })
    const long = 'long '.repeat(500)
    await make({ person: `${long}1`, team: 'x' })
    await make({ person: `${long}2`, team: 'x' })
    expectFailure(await post({ person: `${long}2`, team: 'x' }), 409, 'CONFLICT')
  })

  it('are created once by concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => post({ person: 'z', team: 'z' })))
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      201, 409, 409, 409, 409,
    ])
  })
})
