import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { compressWebFiles } from './web-files.ts'

const LONG = 'the same words again and again, '.repeat(100)

function createWeb(files: Readonly<Record<string, string>>): string {
  const { path } = temporaryFolder('web-files')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(path, name, '..'), { recursive: true })
    writeFileSync(join(path, name), text)
  }
  return path
}

describe('compressWebFiles', () => {
  it('writes smaller encodings next to a file, and returns their sizes', async () => {
    const folder = createWeb({ 'assets/app-1.js': LONG })
    const [file] = await compressWebFiles(folder, new Set(['assets/app-1.js']))
    const [br, gz] = ['br', 'gz'].map((end) => readFileSync(join(folder, `assets/app-1.js.${end}`)))
    expect(brotliDecompressSync(br ?? '').toString()).toBe(LONG)
    expect(gunzipSync(gz ?? '').toString()).toBe(LONG)
    expect(file).toMatchObject({
      name: 'assets/app-1.js',
      sizes: { identity: LONG.length, br: br?.length, gzip: gz?.length },
      isHashed: true,
    })
  })

  it('skips files that are small or already compressed', async () => {
    const folder = createWeb({ 'small.js': 'run()', 'photo.png': LONG })
    expect((await compressWebFiles(folder, new Set())).map(({ name, sizes }) => [name, sizes])).toEqual([
      ['photo.png', { identity: LONG.length }],
      ['small.js', { identity: 5 }],
    ])
  })

  it('lists neither links nor hidden files, except .well-known', async () => {
    const outside = createWeb({ 'secret.txt': 'secret' })
    const folder = createWeb({
      '.env': 'KEY=1',
      '.git/config': '',
      '.well-known/security.txt': '',
      'a/.b/c': '',
      'a/d': '',
    })
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'))
    symlinkSync(outside, join(folder, 'linked'))
    expect((await compressWebFiles(folder, new Set())).map(({ name }) => name)).toEqual([
      '.well-known/security.txt',
      'a/d',
    ])
  })

  it('writes nothing into a linked folder, and stops at cyclic links', async () => {
    const outside = createWeb({ 'app.js': LONG, 'deep/app.js': LONG })
    const folder = createWeb({ 'assets/app.js': LONG })
    symlinkSync(outside, join(folder, 'linked'))
    symlinkSync(folder, join(folder, 'assets/loop'))
    expect((await compressWebFiles(folder, new Set())).map(({ name }) => name)).toEqual(['assets/app.js'])
    expect(readdirSync(outside)).toEqual(['app.js', 'deep'])
    expect(readdirSync(join(outside, 'deep'))).toEqual(['app.js'])
  })

  it('returns the same tag for the same content', async () => {
    const [one] = await compressWebFiles(createWeb({ 'a.txt': 'a' }), new Set())
    const [two] = await compressWebFiles(createWeb({ 'a.txt': 'a' }), new Set())
    const [other] = await compressWebFiles(createWeb({ 'a.txt': 'b' }), new Set())
    expect(one?.tag).toBe(two?.tag)
    expect(one?.tag).not.toBe(other?.tag)
  })
})
