import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createApp, createLog, createRouter, type Router } from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePage } from './write-page.ts'

describe('the page of auth', () => {
  let app: TestApp
  let admin: TestApp
  beforeAll(async () => {
    const { path } = await writePage('docs/guide/auth.md')
    app = await testApp(path)
    await app.call('GET /api/auth/get-session') // waits until the database is there
    const file = pathToFileURL(join(path, 'src/api/admin.ts')).href
    const module = (await import(/* @vite-ignore */ file)) as { admin: Router }
    const router = createRouter().mount('/api/admin', module.admin)
    admin = await testApp(createApp({ router, log: createLog({ level: 'silent' }) }))
  })
  afterAll(() => Promise.all([app?.close(), admin?.close()]))

  it('knows who calls', async () => {
    expect(await app.as({ name: 'Ada' }).call('GET /api/me')).toEqual({ name: 'Ada' })
    expect(await app.call('GET /api/me')).toEqual({ name: null })
    await expect(app.call('GET /api/v1/notes')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('makes accounts with the fields that users may set, and with no others', async () => {
    const ada = { name: 'Ada', email: 'ada@example.com', nickname: 'Countess' }
    const short = app.call('POST /api/auth/sign-up/email', { ...ada, password: '1234567' })
    await expect(short).rejects.toMatchObject({ status: 400 })
    const { user } = (await app.call('POST /api/auth/sign-up/email', { ...ada, password: 'a long password' })) as {
      user: object
    }
    expect(user).toMatchObject({ name: 'Ada', nickname: 'Countess', role: 'member' })
  })

  it('lets admins in, and nobody else', async () => {
    expect(await admin.as({ name: 'Ada', role: 'admin' }).call('GET /api/admin/users')).toEqual({ users: [] })
    const refused = admin.as({ name: 'Alan', role: 'member' }).call('GET /api/admin/users')
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(admin.call('GET /api/admin/users')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})
