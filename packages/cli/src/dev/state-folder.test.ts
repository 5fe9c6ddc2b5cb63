import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { openStateFolder } from './state-folder.ts'

describe('openStateFolder', () => {
  it('returns the .sdk folder of the project and keeps it on close', () => {
    const { path } = temporaryFolder('state')
    const folder = openStateFolder(path)
    expect(folder).toMatchObject({ path: join(path, '.sdk'), warning: null })
    folder.close()
    expect(existsSync(folder.path)).toBe(true)
  })

  it('returns a temporary folder and a warning if .sdk cannot be written', () => {
    const { path } = temporaryFolder('state')
    writeFileSync(join(path, '.sdk'), '') // root can write to any folder, but not into a file
    const folder = openStateFolder(path)
    expect(folder.warning).toMatch(/^cannot write to \.sdk \(EEXIST\): runs will be lost on exit/)
    expect([folder.path.startsWith(path), existsSync(folder.path)]).toEqual([false, true])
    folder.close()
    expect(existsSync(folder.path)).toBe(false)
  })
})
