import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { resolutionFlags, type RunningProcess, startProcess, temporaryFolder } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { migrate } from '../migrate/migrate.ts'
import { openDatabase } from '../open-database.ts'
import { type PgliteProgress, PROGRESS_CHANNEL } from './pglite-progress.ts'

const folder = temporaryFolder('thread')
afterAll(() => folder.remove())

const SLOW = 'select count(*)::int as count from generate_series(1, 300000)'

const threads: Worker[] = []
const keep = (thread: Worker): void => void threads.push(thread)
beforeAll(() => void process.on('worker', keep))
afterAll(() => void process.off('worker', keep))

describe('the thread of an embedded database', () => {
  const directory = join(folder.path, 'data')
  const database = openDatabase(`pglite://${directory}`)
  const progress: PgliteProgress[] = []
  const listen = (message: unknown): void => void progress.push(message as PgliteProgress)
  beforeAll(async () => {
    subscribe(PROGRESS_CHANNEL, listen)
    await database.query('create table notes (text text)')
    await database.query(`insert into notes values ('kept')`)
  })
  afterAll(async () => {
    unsubscribe(PROGRESS_CHANNEL, listen)
    await database.close()
  })

  it('reports its progress', () => {
    expect(progress.map(({ state }) => state)).toEqual(['opening', 'open'])
    expect(progress.map(({ text }) => text)).toEqual([
      `creating an embedded database in ${directory}, which takes a few seconds`,
      expect.stringMatching(`^opened the embedded database in ${directory} in \\d+ ms$`),
    ])
  })

  it('does not block the event loop during a query', async () => {
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    expect(await database.query(SLOW)).toEqual([{ count: 300_000 }])
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
  })

  it('rejects pending queries with 503 when it exits, and the next query starts another one', async () => {
    const lost = threads.at(-1)
    const running = database.transaction(({ query }) => query(SLOW))
    const queued = [database.query('select 1 as one'), database.pool.query('select 2 as two')]
    await Promise.all([
      expect(running).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 }),
      setImmediate().then(() => lost?.terminate()),
    ])
    // These queries were not sent yet, so they may run on the next thread.
    await Promise.allSettled(queued)
    expect(await database.query('select text from notes')).toEqual([{ text: 'kept' }])
    expect(threads.at(-1)).not.toBe(lost)
  })

  it('can exit while it is idle', async () => {
    progress.length = 0
    await threads.at(-1)?.terminate()
    expect(readdirSync(join(directory, '.sdk-lock'))).toEqual([])
    expect(await database.query('select text from notes')).toEqual([{ text: 'kept' }])
    expect(progress.map(({ state }) => state)).toEqual(['lost', 'opening', 'open'])
  })

  it('completes a running query before it closes', async () => {
    const running = database.query(SLOW)
    await setImmediate()
    await database.close()
    expect(await running).toEqual([{ count: 300_000 }])
    expect(readdirSync(join(directory, '.sdk-lock'))).toEqual([])
  })

  it('rejects with the reason if it cannot open, and unlocks the directory', async () => {
    const garbage = join(folder.path, 'garbage')
    mkdirSync(garbage)
    writeFileSync(join(garbage, 'PG_VERSION'), 'garbage')
    const broken = openDatabase(`pglite://${garbage}`)
    await expect(broken.ready()).rejects.toThrow('PGlite failed')
    await expect(broken.ready()).rejects.toThrow('PGlite failed')
    expect(readdirSync(join(garbage, '.sdk-lock'))).toEqual([])
    await broken.close()
  })
})

describe('an embedded database that does not respond', () => {
  // No statement in these tests takes 30 s; only the timers advance.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  /** Advances the clock by 30 s during a statement. Its timer is the second one, in addition to that of the lock. */
  async function pass30Seconds(): Promise<void> {
    await expect.poll(() => vi.getTimerCount()).toBe(2)
    vi.advanceTimersByTime(30_000)
  }

  it('is terminated, and the next query opens another one', async () => {
    const directory = join(folder.path, 'stuck')
    const stuck = openDatabase(`pglite://${directory}`)
    await stuck.query('create table notes as select 1 as number')
    const endless = 'select count(*) from generate_series(1, 1e12::bigint)'
    const calls = [() => stuck.query(endless), () => stuck.transaction(({ query }) => query(endless))]
    for (const call of calls) {
      const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503 }
      await Promise.all([expect(call()).rejects.toMatchObject(unavailable), pass30Seconds()])
      expect(await stuck.query('select number from notes')).toEqual([{ number: 1 }])
    }
    await stuck.close()
    expect(readdirSync(join(directory, '.sdk-lock'))).toEqual([])
  })

  it('is not terminated during a migration', async () => {
    const migrating = openDatabase(`pglite://${join(folder.path, 'stuck')}`)
    const count = migrate(migrating, 'slow', async ({ query }) => {
      const slow = query(SLOW)
      await pass30Seconds()
      return slow
    })
    expect(await count).toEqual([{ count: 300_000 }])
    await migrating.close()
  })
})

/** Runs a script with `database`, always in the same directory, in a separate process. */
function run(script: string): Promise<RunningProcess> {
  const code = `import { openDatabase } from '@sdk/database'
    const database = openDatabase(${JSON.stringify(`pglite://${join(folder.path, 'elsewhere')}`)})
    ${script}`
  const flags = resolutionFlags()
  // Built packages need no TypeScript loader.
  const loader = flags.length > 0 ? ['--import', 'tsx'] : []
  const args = [...flags, ...loader, '--liftoff-only', '--input-type=module', '--eval', code]
  return startProcess({ command: process.execPath, args, cwd: import.meta.dirname })
}

// These tests depend on each other: each process opens the database that the previous one left.
describe('consecutive processes with an embedded database', () => {
  let acknowledged: number[]

  it('can be killed while they write', async () => {
    const killed = await run(`
      await database.query('create table numbers (number int)')
      for (let number = 1; ; number++) {
        await database.query('insert into numbers values ($1)', [number])
        console.log('wrote ' + number)
      }`)
    await killed.waitFor(/wrote 50/)
    await killed.kill()
    acknowledged = [...killed.output().matchAll(/wrote (\d+)\n/g)].map(([, number]) => Number(number))
    expect(acknowledged).toContain(50)
  })

  it('find the rows that were acknowledged before a kill, and exit after their queries, even without close', async () => {
    const left = await run(`
      console.log(JSON.stringify(await database.query('select number from numbers')))
      await database.query('create table ended (n int)')
      await database.query('insert into ended values (1)')`)
    expect(await left.exited).toEqual({ code: 0, signal: null })
    const [rows = ''] = /^\[.*\]$/m.exec(left.output()) ?? []
    const numbers = (JSON.parse(rows) as { number: number }[]).map(({ number }) => number)
    expect(numbers).toEqual(expect.arrayContaining(acknowledged))
  })

  it('stay until their queries complete, and can exit during a query', async () => {
    const exiting = await run(`void database.query('select n from ended').then((rows) => {
      console.log(rows)
      void database.query('select count(*) from generate_series(1, 1e12::bigint)')
      setTimeout(() => process.exit(7), 50)
    })`)
    expect(await exiting.exited).toEqual({ code: 7, signal: null })
    expect(exiting.output()).toContain('n: 1')
  })
})
