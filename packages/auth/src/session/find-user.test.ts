import { afterAll, describe, expect, it } from 'vitest'
import { createAuth } from '../create-auth.ts'

describe('findUser', () => {
  const auth = createAuth({ connectionString: 'pglite://memory' })
  afterAll(() => auth.close())

  it('finds a user by address, without a hash or a token, and null where there is none', async () => {
    const body = JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' })
    const headers = { 'content-type': 'application/json', origin: 'http://localhost' }
    const request = new Request('http://localhost/api/auth/sign-up/email', { method: 'POST', headers, body })
    expect((await auth.handler(request)).status).toBe(200)
    const user = await auth.findUser('Ada@Example.com')
    expect(Object.keys(user ?? {}).toSorted()).toEqual([
      'createdAt',
      'email',
      'emailVerified',
      'id',
      'image',
      'name',
      'updatedAt',
    ])
    expect(user).toMatchObject({ name: 'Ada', email: 'ada@example.com', createdAt: expect.any(String) })
    expect(await auth.findUser('bob@example.com')).toBeNull()
  })
})
