import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningProcess, startProcess, temporaryFolder } from '@sdk/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { lockDirectory } from './directory-lock.ts'

const folder = temporaryFolder('lock')
afterAll(() => folder.remove())

async function lockElsewhere(directory: string): Promise<RunningProcess> {
  const source = new URL('./directory-lock.ts', import.meta.url).href
  const code = `import { lockDirectory } from ${JSON.stringify(source)}
    lockDirectory(${JSON.stringify(directory)})
    console.log('locked')
    setInterval(() => {}, 1000)`
  const running = await startProcess({
    command: process.execPath,
    args: ['--import', 'tsx', '--input-type=module', '--eval', code],
  })
  await running.waitFor(/locked/)
  return running
}

describe('lockDirectory', () => {
  it('refuses a directory that another process holds, naming it and the fix', async () => {
    const directory = join(folder.path, 'held')
    const other = await lockElsewhere(directory)
    expect(() => lockDirectory(directory)).toThrow(`pid ${other.pid}`)
    expect(() => lockDirectory(directory)).toThrow(/Stop that process.*pglite:\/\/.*DATABASE_URL/)
    await other.kill()
  })

  it('takes over what a killed process left', async () => {
    const directory = join(folder.path, 'killed')
    const other = await lockElsewhere(directory)
    await other.kill()
    const unlock = lockDirectory(directory)
    expect(readdirSync(`${directory}.lock`)).toHaveLength(1)
    unlock()
    expect(readdirSync(`${directory}.lock`)).toEqual([])
  })

  it.skipIf(!existsSync('/proc/self/stat'))('takes over when the pid now belongs to another process', () => {
    const directory = join(folder.path, 'reused')
    mkdirSync(`${directory}.lock`)
    writeFileSync(join(`${directory}.lock`, `${process.ppid}-1`), '')
    const unlock = lockDirectory(directory)
    expect(readdirSync(`${directory}.lock`)).toEqual([expect.stringMatching(`^${process.pid}-`)])
    unlock()
  })

  it('refuses the same directory twice in one process', () => {
    const directory = join(folder.path, 'twice')
    const unlock = lockDirectory(directory)
    expect(() => lockDirectory(directory)).toThrow('this process')
    unlock()
    lockDirectory(directory)()
  })
})
