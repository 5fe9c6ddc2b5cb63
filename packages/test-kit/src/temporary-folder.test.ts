import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'

describe('temporaryFolder', () => {
  it('creates a folder and removes it with its contents', () => {
    const folder = temporaryFolder('test')
    writeFileSync(join(folder.path, 'note'), 'x')
    folder.remove()
    expect(existsSync(folder.path)).toBe(false)
  })
})
