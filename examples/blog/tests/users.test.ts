import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ask, close, register, rejects, send } from './blog.ts'

const ADA = { username: 'ada', email: 'ada@example.com', password: 'correct horse' }
let ada = ''

before(async () => {
  ada = await register('ada')
})
after(close)

describe('users', () => {
  it('signs up, and returns exactly the members of the contract', async () => {
    const [status, { user }] = await send('POST /api/users', {
      user: { username: 'bob', email: 'Bob@Example.com', password: 'correct horse' },
    })
    assert.equal(status, 201)
    const { token, ...rest } = user
    assert.deepEqual(rest, { email: 'bob@example.com', username: 'bob', bio: null, image: null })
    assert.equal(typeof token, 'string')
    assert.equal((await ask('GET /api/user', undefined, token)).user.username, 'bob')
  })

  it('rejects invalid and taken values with 422', async () => {
    const signUp = (user: unknown) => ['POST /api/users', { user }] as const
    await rejects(422, ['user must be an object'], ...signUp('ada'))
    await rejects(422, ['username is required', 'email is required', 'password is required'], ...signUp({}))
    await rejects(422, ['username must have at least 1 character'], ...signUp({ ...ADA, username: ' ' }))
    await rejects(422, ['password must have at least 8 characters'], ...signUp({ ...ADA, password: 'short' }))
    assert.equal((await send(...signUp({ ...ADA, email: 'nonsense' })))[0], 422)
    assert.equal((await send(...signUp({ ...ADA, username: 'ada2' })))[0], 422)
    assert.equal((await send(...signUp({ ...ADA, email: 'ada2@example.com' })))[0], 422)
    const [, { errors }] = await send(...signUp({ ...ADA, email: 'ada2@example.com' }))
    assert.match(errors.body[0], /^username /)
    assert.equal((await send('POST /api/users'))[0], 422)
    assert.equal((await send('GET /api/profiles/ada2'))[0], 404)
  })

  it('signs in', async () => {
    const { email, password } = ADA
    const { user } = await ask('POST /api/users/login', { user: { email, password } })
    assert.deepEqual(Object.keys(user).toSorted(), ['bio', 'email', 'image', 'token', 'username'])
    assert.equal(user.username, 'ada')
    assert.notEqual(user.token, ada)
    assert.equal((await send('POST /api/users/login', { user: { email, password: 'wrong horse' } }))[0], 401)
    assert.equal((await send('POST /api/users/login', { user: { email: 'no@example.com', password } }))[0], 401)
    await rejects(422, ['password is required'], 'POST /api/users/login', { user: { email } })
  })

  it('returns the current user with the same token', async () => {
    assert.deepEqual(await ask('GET /api/user', undefined, ada), {
      user: { email: 'ada@example.com', token: ada, username: 'ada', bio: null, image: null },
    })
    await rejects(401, ['sign in first'], 'GET /api/user')
    await rejects(401, ['sign in first'], 'GET /api/user', undefined, `${ada}x`)
    await rejects(401, ['sign in first'], 'PUT /api/user', { user: {} })
  })

  it('changes only the fields that are sent', async () => {
    const { user } = await ask('PUT /api/user', { user: { bio: 'I count', image: 'https://example.com/a.png' } }, ada)
    assert.deepEqual(user, {
      email: 'ada@example.com',
      token: ada,
      username: 'ada',
      bio: 'I count',
      image: 'https://example.com/a.png',
    })
    assert.equal((await ask('PUT /api/user', { user: { image: null } }, ada)).user.image, null)
    assert.equal((await ask('GET /api/user', undefined, ada)).user.bio, 'I count')
    assert.equal((await ask('PUT /api/user', { user: { email: 'lovelace@example.com' } }, ada)).user.username, 'ada')
    assert.equal((await send('PUT /api/user', { user: { username: 'bob' } }, ada))[0], 422)
    assert.equal((await send('PUT /api/user', { user: { email: 'bob@example.com' } }, ada))[0], 422)
    assert.equal((await send('PUT /api/user', { user: { bio: 7 } }, ada))[0], 422)
    assert.equal((await ask('GET /api/user', undefined, ada)).user.email, 'lovelace@example.com')
  })

  it('changes the password, which ends older sessions', async () => {
    const eve = await register('eve')
    const { user } = await ask('PUT /api/user', { user: { password: 'battery staple' } }, eve)
    assert.notEqual(user.token, eve)
    assert.equal((await ask('GET /api/user', undefined, user.token)).user.username, 'eve')
    assert.equal((await send('GET /api/user', undefined, eve))[0], 401)
    const signIn = (password: string) => send('POST /api/users/login', { user: { email: 'eve@example.com', password } })
    assert.equal((await signIn('correct horse'))[0], 401)
    assert.equal((await signIn('battery staple'))[0], 200)
  })
})

describe('profiles', () => {
  let [carl, dora] = ['', '']
  before(async () => {
    carl = await register('carl')
    dora = await register('dora')
    await ask('PUT /api/user', { user: { bio: 'Gardener' } }, dora)
  })

  it('shows a profile to everyone', async () => {
    const profile = { username: 'dora', bio: 'Gardener', image: null, following: false }
    assert.deepEqual(await ask('GET /api/profiles/dora'), { profile })
    assert.deepEqual(await ask('GET /api/profiles/dora', undefined, carl), { profile })
    assert.deepEqual(await ask('GET /api/profiles/dora', undefined, dora), { profile })
    await rejects(404, ['user not found'], 'GET /api/profiles/nobody')
    await rejects(404, ['user not found'], `GET /api/profiles/${encodeURIComponent("' or 1=1 --")}`)
  })

  it('follows and unfollows, as often as the client asks', async () => {
    const following = async (token?: string) =>
      (await ask('GET /api/profiles/dora', undefined, token)).profile.following
    for (let times = 0; times < 2; times++) {
      const { profile } = await ask('POST /api/profiles/dora/follow', {}, carl)
      assert.deepEqual(profile, { username: 'dora', bio: 'Gardener', image: null, following: true })
      assert.equal(await following(carl), true)
      assert.equal(await following(dora), false)
      assert.equal(await following(), false)
    }
    for (let times = 0; times < 2; times++) {
      const { profile } = await ask('DELETE /api/profiles/dora/follow', undefined, carl)
      assert.equal(profile.following, false)
      assert.equal(await following(carl), false)
    }
  })

  it('rejects guests and unknown users', async () => {
    for (const method of ['POST', 'DELETE']) {
      await rejects(401, ['sign in first'], `${method} /api/profiles/dora/follow`)
      await rejects(404, ['user not found'], `${method} /api/profiles/nobody/follow`, undefined, carl)
    }
    assert.equal((await ask('GET /api/profiles/dora', undefined, carl)).profile.following, false)
  })

  it('counts follows of users separately', async () => {
    await ask('POST /api/profiles/dora/follow', {}, carl)
    await ask('POST /api/profiles/carl/follow', {}, dora)
    await ask('DELETE /api/profiles/carl/follow', undefined, dora)
    assert.equal((await ask('GET /api/profiles/dora', undefined, carl)).profile.following, true)
    assert.equal((await ask('GET /api/profiles/carl', undefined, dora)).profile.following, false)
  })
})

describe('errors', () => {
  it('have the format of the contract on every path', async () => {
    await rejects(404, ['no route matches /api/nope'], 'GET /api/nope')
    assert.equal((await send('PATCH /api/user', {}, ada))[0], 405)
    const [status, body] = await send('GET /api/v1/articles?nope=1')
    assert.equal(status, 422)
    assert.match(body.errors.body[0], /^nope /)
  })
})
