import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { openStateFolder } from './state-folder.ts'

describe('openStateFolder', () => {
  it('is .sdk of the project, which is kept', () => {
    const { path } = temporaryFolder('state')
    const folder = openStateFolder(path)
    expect(folder).toMatchObject({ path: join(path, '.sdk'), warning: null })
    folder.close()
    expect(existsSync(folder.path)).toBe(true)
  })

  it('is a temporary folder if .sdk cannot be written, with a warning', () => {
    const { path } = temporaryFolder('state')
    writeFileSync(join(path, '.sdk'), '') // root can write to any folder, but not into a file
    const folder = openStateFolder(path)
    expect(folder.warning).toMatch(/^cannot write to \.sdk \(EEXIST\): runs are lost at exit/)
    expect([folder.path.startsWith(path), existsSync(folder.path)]).toEqual([false, true])
    folder.close()
    expect(existsSync(folder.path)).toBe(false)
  })
})
