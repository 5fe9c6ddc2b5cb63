import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { withErrorLocation } from './bundle.ts'

describe('withErrorLocation', () => {
  it('mentions the last build only if it exists', async () => {
    const { path } = temporaryFolder('bundle')
    const fail = (): Promise<never> =>
      withErrorLocation(path, { file: join(path, 'src/web'), route: '/' }, () =>
        Promise.reject(new Error('unexpected token')),
      )
    await expect(fail()).rejects.toMatchObject({ fix: 'fix the error above' })
    mkdirSync(join(path, 'dist/server'), { recursive: true })
    await expect(fail()).rejects.toMatchObject({ fix: 'fix the error above; the last build is still in dist' })
  })
})
