import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { createPass, writeDevServerInfo, readDevServerInfo } from './dev-server-info.ts'

const LINK = 'http://127.0.0.1:3000/_workbench?token=x'

describe('writeDevServerInfo', () => {
  it('tells the other commands, and only who owns the project', () => {
    const { path } = temporaryFolder('note')
    expect(readDevServerInfo(path)).toBeNull()
    const note = { url: 'http://127.0.0.1:3000', workbench: LINK, pid: process.pid, pass: createPass() }
    const takeBack = writeDevServerInfo(path, note)
    expect(readDevServerInfo(path)).toEqual(note)
    expect(statSync(join(path, '.sdk/dev.json')).mode & 0o777).toBe(0o600)
    takeBack()
    expect(readDevServerInfo(path)).toBeNull()
  })

  it('leaves the note of a later server where it is', () => {
    const { path } = temporaryFolder('note')
    const takeBack = writeDevServerInfo(path, { url: 'http://127.0.0.1:1', workbench: LINK, pid: 1, pass: 'a' })
    const later = { url: 'http://127.0.0.1:2', workbench: LINK, pid: process.pid, pass: 'b' }
    writeDevServerInfo(path, later)
    takeBack()
    expect(readDevServerInfo(path)).toEqual(later)
  })
})

describe('readDevServerInfo', () => {
  it.each([
    '{',
    '{}',
    '{"url":1,"workbench":"b","pid":1,"pass":"x"}',
    '{"url":"a","workbench":"b","pid":4194999,"pass":"x"}',
  ])('believes no %s', (text) => {
    const { path } = temporaryFolder('note')
    mkdirSync(join(path, '.sdk'))
    writeFileSync(join(path, '.sdk/dev.json'), text)
    expect(readDevServerInfo(path)).toBeNull()
  })
})
