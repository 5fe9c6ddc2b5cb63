import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { describe, expect, it } from 'vitest'
import { createPasswords } from './passwords.ts'

describe('createPasswords', () => {
  it('creates and verifies hashes in the format of Better Auth', async () => {
    const passwords = createPasswords()
    const password = 'correct horse'
    const hash = await passwords.hash(password)
    expect(hash).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/)
    expect(await verifyPassword({ hash, password })).toBe(true)
    expect(await passwords.verify({ hash: await hashPassword(password), password })).toBe(true)
    expect(await passwords.verify({ hash, password: 'wrong horse' })).toBe(false)
  })
})
