import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { readUi } from './ui-files.ts'

describe('readUi', () => {
  it('returns files by path and does not follow links', () => {
    const [folder, outside] = [temporaryFolder('ui'), temporaryFolder('ui-outside')]
    mkdirSync(join(folder.path, 'assets'))
    writeFileSync(join(folder.path, 'index.html'), '<p>')
    writeFileSync(join(folder.path, 'assets/app-1.js'), 'run()')
    writeFileSync(join(outside.path, 'secret.txt'), 'secret')
    symlinkSync(outside.path, join(folder.path, 'linked'))
    symlinkSync(folder.path, join(folder.path, 'assets/loop'))
    const files = readUi(folder.path)
    expect(new Set(files.keys())).toEqual(new Set(['/index.html', '/assets/app-1.js']))
    expect(files.get('/assets/app-1.js')).toMatchObject({ bytes: Buffer.from('run()'), isImmutable: true })
    for (const { remove } of [folder, outside]) remove()
  })

  it('returns an empty map if the UI is not built', () => {
    expect(readUi(join(import.meta.dirname, 'missing'))).toEqual(new Map())
  })
})
