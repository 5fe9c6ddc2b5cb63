import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { createPass, readPass, writeDevServerInfo, readDevServerInfo } from './dev-server-info.ts'

const LINK = 'http://127.0.0.1:3000/_workbench?token=x'

describe('writeDevServerInfo', () => {
  it('writes a file that only the same user can read, and removes it again', () => {
    const { path } = temporaryFolder('note')
    expect(readDevServerInfo(path)).toBeNull()
    const note = { url: 'http://127.0.0.1:3000', workbench: LINK, pid: process.pid, pass: createPass() }
    const removeInfo = writeDevServerInfo(path, note)
    expect(readDevServerInfo(path)).toEqual(note)
    expect(statSync(join(path, '.sdk/dev.json')).mode & 0o777).toBe(0o600)
    removeInfo()
    expect(readDevServerInfo(path)).toBeNull()
  })

  it('does not remove the file of a later server', () => {
    const { path } = temporaryFolder('note')
    const removeInfo = writeDevServerInfo(path, { url: 'http://127.0.0.1:1', workbench: LINK, pid: 1, pass: 'a' })
    const later = { url: 'http://127.0.0.1:2', workbench: LINK, pid: process.pid, pass: 'b' }
    writeDevServerInfo(path, later)
    removeInfo()
    expect(readDevServerInfo(path)).toEqual(later)
  })
})

describe('readPass', () => {
  it('returns the same pass at every start, and stores it readable only by its owner', () => {
    const { path } = temporaryFolder('pass')
    const pass = readPass(path)
    expect(pass).toMatch(/^[\w-]{43}$/)
    expect(readPass(path)).toBe(pass)
    expect(statSync(join(path, 'dev-secret')).mode & 0o777).toBe(0o600)
    expect(readPass(temporaryFolder('pass').path)).not.toBe(pass)
  })

  it('replaces the pass if others can read it, if it is a link, or if it is invalid', () => {
    const { path } = temporaryFolder('pass')
    const file = join(path, 'dev-secret')
    const first = readPass(path)
    chmodSync(file, 0o644)
    const second = readPass(path)
    expect([second === first, statSync(file).mode & 0o777]).toEqual([false, 0o600])
    const other = join(path, 'other')
    writeFileSync(other, first, { mode: 0o600 })
    rmSync(file)
    symlinkSync(other, file)
    expect(readPass(path)).not.toBe(first)
    expect(readFileSync(other, 'utf8')).toBe(first)
    writeFileSync(file, '')
    expect(readPass(path)).toMatch(/^[\w-]{43}$/)
  })
})

describe('readDevServerInfo', () => {
  it.each([
    '{',
    '{}',
    '{"url":1,"workbench":"b","pid":1,"pass":"x"}',
    '{"url":"a","workbench":"b","pid":4194999,"pass":"x"}',
  ])('ignores %s', (text) => {
    const { path } = temporaryFolder('note')
    mkdirSync(join(path, '.sdk'))
    writeFileSync(join(path, '.sdk/dev.json'), text)
    expect(readDevServerInfo(path)).toBeNull()
  })
})
