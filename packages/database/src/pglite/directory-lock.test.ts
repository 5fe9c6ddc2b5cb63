import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeArguments, type RunningProcess, startProcess, temporaryFolder } from '@sdk/test-kit'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { LOCK_FOLDER, lockDirectory } from './directory-lock.ts'

/** Runs a command in a separate pid namespace, as in a container. */
const UNSHARE = { command: '/usr/bin/unshare', args: ['--pid', '--fork', '--mount-proc'] }

function canUnshare(): boolean {
  return spawnSync(UNSHARE.command, [...UNSHARE.args, 'true']).status === 0
}

const folder = temporaryFolder('lock')
afterAll(() => folder.remove())

async function lockElsewhere(directory: string): Promise<RunningProcess> {
  const args = await toLock(directory, `console.log('locked'); setInterval(() => {}, 1000)`)
  const running = await startProcess({ command: process.execPath, args })
  await running.waitFor(/locked/)
  return running
}

/** Returns the arguments of a process that locks a directory, and then runs some code. */
async function toLock(directory: string, code = ''): Promise<string[]> {
  const args = await nodeArguments(join(import.meta.dirname, 'directory-lock.ts'))
  const program = `import { lockDirectory } from ${JSON.stringify(args.pop())}
    lockDirectory(${JSON.stringify(directory)})
    ${code}`
  return [...args, '--input-type=module', '--eval', program]
}

function locksOf(directory: string): string[] {
  return readdirSync(join(directory, LOCK_FOLDER))
}

/** Returns the part of a lock's name that identifies the pid namespace. */
function namespaceOf(directory: string): string {
  const unlock = lockDirectory(directory)
  const [name = ''] = locksOf(directory)
  unlock()
  return name.split('-')[2] ?? ''
}

function writeLock(directory: string, name: string, age = 0): string {
  const file = join(directory, LOCK_FOLDER, name)
  mkdirSync(join(directory, LOCK_FOLDER), { recursive: true })
  writeFileSync(file, '')
  setAge(file, age)
  return file
}

function setAge(file: string, seconds: number): void {
  const time = Date.now() / 1000 - seconds
  utimesSync(file, time, time)
}

describe('lockDirectory', () => {
  afterEach(() => void vi.useRealTimers())

  it('throws an error with the pid and a fix if another process holds the directory', async () => {
    const directory = join(folder.path, 'held')
    const other = await lockElsewhere(directory)
    expect(() => lockDirectory(directory)).toThrow(`pid ${other.pid}`)
    expect(() => lockDirectory(directory)).toThrow(/Stop that process.*pglite:\/\/.*DATABASE_URL/)
    await other.kill()
  })

  it('takes over the lock of a killed process', async () => {
    const directory = join(folder.path, 'killed')
    const other = await lockElsewhere(directory)
    await other.kill()
    const unlock = lockDirectory(directory)
    expect(locksOf(directory)).toHaveLength(1)
    unlock()
    expect(locksOf(directory)).toEqual([])
  })

  it.skipIf(!existsSync('/proc/self/stat'))('takes over a lock whose pid belongs to another process', () => {
    const directory = join(folder.path, 'reused')
    writeLock(directory, `${process.ppid}-1-${namespaceOf(directory)}`)
    const unlock = lockDirectory(directory)
    expect(locksOf(directory)).toEqual([expect.stringMatching(`^${process.pid}-`)])
    unlock()
  })

  it('throws if another container holds the directory, until its lock is outdated', () => {
    const directory = join(folder.path, 'foreign')
    const foreign = writeLock(directory, '1-1-elsewhere', 25)
    expect(() => lockDirectory(directory)).toThrow(/another container.*DATABASE_URL/)
    expect(locksOf(directory)).toEqual(['1-1-elsewhere'])
    setAge(foreign, 40)
    lockDirectory(directory)()
    expect(locksOf(directory)).toEqual([])
  })

  it('refreshes its lock for other containers', () => {
    vi.useFakeTimers()
    const directory = join(folder.path, 'alive')
    const unlock = lockDirectory(directory)
    const file = join(directory, LOCK_FOLDER, locksOf(directory)[0] ?? '')
    setAge(file, 3600)
    vi.advanceTimersByTime(10_000)
    expect(Date.now() - statSync(file).mtimeMs).toBeLessThan(60_000)
    unlock()
    vi.advanceTimersByTime(10_000)
    expect(locksOf(directory)).toEqual([])
  })

  it.skipIf(!canUnshare())('rejects a process of another pid namespace', async () => {
    const directory = join(folder.path, 'unshared')
    const unlock = lockDirectory(directory)
    const node = [process.execPath, ...(await toLock(directory))]
    const other = await startProcess({ ...UNSHARE, args: [...UNSHARE.args, ...node] })
    expect(await other.exited).toMatchObject({ code: 1 })
    expect(other.output()).toContain('another container')
    unlock()
  })

  it.skipIf(process.platform === 'win32')('restricts a new or existing directory to its owner', () => {
    const directory = join(folder.path, 'private')
    const modeOf = (path: string): number => statSync(path).mode & 0o777
    lockDirectory(join(directory, 'data'))()
    expect(modeOf(join(directory, 'data'))).toBe(0o700)
    mkdirSync(join(directory, 'open'))
    chmodSync(join(directory, 'open'), 0o755)
    lockDirectory(join(directory, 'open'))()
    expect(modeOf(join(directory, 'open'))).toBe(0o700)
  })

  it('throws if the same process locks a directory twice', () => {
    const directory = join(folder.path, 'twice')
    const unlock = lockDirectory(directory)
    expect(() => lockDirectory(directory)).toThrow('this process')
    unlock()
    lockDirectory(directory)()
  })
})
