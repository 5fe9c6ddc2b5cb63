import { openDatabase } from '@sdk/database'
import { emptyDatabase } from '@sdk/test-kit'
import { twoFactor } from 'better-auth/plugins'
import { expect, it } from 'vitest'
import { ADA, createBrowser, createTestApp, readJson, SECRET, signedIn } from '../auth-app.test.fixture.ts'
import { createAuth } from '../index.ts'

it('rejects a sign-in with a password that is replaced while it is verified', async () => {
  const database = openDatabase(await emptyDatabase())
  let beforeSession = async (): Promise<void> => {}
  const create = { before: async () => beforeSession() }
  const pause = { id: 'pause', init: () => ({ options: { databaseHooks: { session: { create } } } }) }
  const auth = createAuth({ database, secret: SECRET, plugins: [pause] })
  const app = createTestApp(auth)
  await signedIn(app)
  const user = await auth.users.findByEmail(ADA.email)

  const attacker = createBrowser(app)
  beforeSession = () => auth.users.setPassword(String(user?.id), 'a new password')
  const late = await attacker.post('/api/auth/sign-in/email', ADA)
  expect([late.status, (await readJson(late))['code']]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
  expect([attacker.cookie(), await database.query('select id from session')]).toEqual(['', []])

  beforeSession = async () => {}
  const owner = await attacker.post('/api/auth/sign-in/email', { ...ADA, password: 'a new password' })
  expect(owner.status).toBe(200)
  await app.close()
  await database.close()
})

it('ends sign-ins that wait for the second factor when the password is replaced', async () => {
  const database = openDatabase(await emptyDatabase())
  const plugins = [twoFactor({ skipVerificationOnEnable: true })]
  const auth = createAuth({ database, secret: SECRET, plugins })
  const app = createTestApp(auth)
  const ada = await signedIn(app)
  const enabled = await readJson(await ada.post('/api/auth/two-factor/enable', { password: ADA.password }))
  const [code] = enabled['backupCodes'] as string[]
  const user = await auth.users.findByEmail(ADA.email)

  const attacker = createBrowser(app)
  expect((await attacker.post('/api/auth/sign-in/email', ADA)).status).toBe(200)
  await auth.users.setPassword(String(user?.id), 'a new password')
  expect((await attacker.post('/api/auth/two-factor/verify-backup-code', { code })).status).toBe(401)

  const owner = createBrowser(app)
  await owner.post('/api/auth/sign-in/email', { ...ADA, password: 'a new password' })
  expect((await owner.post('/api/auth/two-factor/verify-backup-code', { code })).status).toBe(200)
  await app.close()
  await database.close()
})
