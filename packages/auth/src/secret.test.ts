import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { readDevelopmentSecret } from './secret.ts'

const folder = temporaryFolder('secret')
afterAll(() => folder.remove())

describe('readDevelopmentSecret', () => {
  it('creates a secret once, in a file that only its owner can read', () => {
    const file = join(folder.path, '.sdk/auth-secret')
    const secret = readDevelopmentSecret(file)
    expect(secret.length).toBeGreaterThanOrEqual(32)
    expect(readDevelopmentSecret(file)).toBe(secret)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder.path, '.sdk'))).toEqual(['auth-secret'])
  })

  it('creates a different secret for another project', () => {
    const [one, two] = ['one', 'two'].map((name) => readDevelopmentSecret(join(folder.path, name)))
    expect(one).not.toBe(two)
  })
})
