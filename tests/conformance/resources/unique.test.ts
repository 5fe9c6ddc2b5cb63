import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, startService } from './service.ts'
import { createMembers } from './showcase.ts'
import { stores } from './stores.ts'

const MEMBERS = '/api/v1/members'

describe.each(stores)('fields that are unique together on $store', (kind) => {
  const service = startService(kind, {
    routes: async (router, open) => router.resource('v1', createMembers(await open.source('members', 'members'))),
  })
  const make = (values: object, as = 'ada') => service.make(values, { path: MEMBERS, as })
  const post = (body: object, as = 'ada') => service.call(`POST ${MEMBERS}`, { as, body })
  const taken = (pointer: string): object => ({ code: 'NOT_UNIQUE', message: 'is taken', source: 'body', pointer })

  it('are 409 where all are taken, and each alone is free', async () => {
    await make({ person: 'a', team: 'x' })
    await make({ person: 'a', team: 'y' })
    await make({ person: 'b', team: 'x' })
    const { message, details } = expectFailure(await post({ person: 'a', team: 'x' }), 409, 'CONFLICT')
    expect(message).toBe('the combination of person and team is taken')
    expect(details).toEqual([taken('/person'), taken('/team')])
  })

  it('are compared as a change would leave them', async () => {
    await make({ person: 'c', team: 'x' })
    const { path, item } = await make({ person: 'c', team: 'y' })
    for (const [method, body] of [
      ['PATCH', { team: 'x' }],
      ['PUT', { person: 'c', team: 'x' }],
    ] as const) {
      const answer = await service.call(`${method} ${path}`, { as: 'ada', body })
      expect(expectFailure(answer, 409, 'CONFLICT').details).toEqual([taken('/person'), taken('/team')])
    }
    expect(bodyOf(await service.call(`GET ${path}`, { as: 'ada' }))).toEqual(item)
    expect((await service.call(`PATCH ${path}`, { as: 'ada', body: { person: 'd', team: 'x' } })).status).toBe(200)
  })

  it('tell nothing of the rows of others where the owner is one of them', async () => {
    await make({ person: 'e', team: 'x', seat: 1 })
    await make({ person: 'f', team: 'x', seat: 1 }, 'bob')
    const { message, details } = expectFailure(await post({ person: 'g', team: 'x', seat: 1 }), 409, 'CONFLICT')
    // The owner is no field that callers know.
    expect([message, details]).toEqual(['seat is taken', [taken('/seat')]])
  })

  it('are never the same where one has no value', async () => {
    for (const person of ['h', 'i']) await make({ person, team: 'x' })
    const { path } = await make({ person: 'j', team: 'x', seat: 2 })
    expect((await service.call(`PATCH ${path}`, { as: 'ada', body: { seat: null } })).status).toBe(200)
    await make({ person: 'k', team: 'x', seat: 2 })
    expectFailure(await service.call(`PATCH ${path}`, { as: 'ada', body: { seat: 2 } }), 409, 'CONFLICT')
  })

  it('are not the same because they look so when written in one', async () => {
    await make({ person: 'l', team: 'mn' })
    await make({ person: 'lm', team: 'n' })
    const long = 'long '.repeat(500)
    await make({ person: `${long}1`, team: 'x' })
    await make({ person: `${long}2`, team: 'x' })
    expectFailure(await post({ person: `${long}2`, team: 'x' }), 409, 'CONFLICT')
  })

  it('of rows at once with the same, one is made', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post({ person: 'z', team: 'z' })))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409, 409, 409])
  })
})
