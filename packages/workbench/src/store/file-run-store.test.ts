import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, type TemporaryFolder } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openRunStore } from './file-run-store.ts'
import { recorderOf, makeRun } from './run.test.fixture.ts'
import type { RunStore, RunStoreOptions } from './run-store.ts'

let folder: TemporaryFolder
let warnings: string[]
const opened: RunStore[] = []
beforeEach(() => {
  folder = temporaryFolder('runs')
  warnings = []
})
afterEach(async () => {
  vi.useRealTimers()
  for (const store of opened.splice(0)) await store.close()
  folder.remove()
})

function open(options: Partial<RunStoreOptions> = {}): RunStore {
  const store = openRunStore({ folder: folder.path, onWarning: (message) => warnings.push(message), ...options })
  opened.push(store)
  return store
}

async function add(store: RunStore, ...runs: readonly ReturnType<typeof makeRun>[]): Promise<void> {
  for (const run of runs) {
    const recorder = recorderOf(run)
    store.add(recorder)
    store.update(recorder)
  }
  await store.flush()
}

const files = (): string[] => readdirSync(folder.path).toSorted()
const pathOf = (at: number): string => join(folder.path, files().at(at) ?? '')
const numbersIn = async (store: RunStore): Promise<number[]> =>
  (await store.list({ limit: 500 })).runs.map(({ startedAt }) => startedAt)
const many = (count: number, from = 1): ReturnType<typeof makeRun>[] =>
  Array.from({ length: count }, (_, at) => makeRun(from + at))
const idOf = (number: number): string => makeRun(number).id

describe('openRunStore', () => {
  it('keeps runs across restarts, and creates no files before the first run', async () => {
    const first = open()
    expect([await numbersIn(first), files()]).toEqual([[], []])
    await add(first, makeRun(1), makeRun(2))
    await first.close()
    const second = open()
    expect(await numbersIn(second)).toEqual([2, 1])
    expect(await second.read(idOf(1))).toEqual(makeRun(1))
    expect(await second.read('no-such-run')).toBeNull()
  })

  it('writes to a new file if its folder is deleted, and forgets the runs in the deleted files', async () => {
    const store = open()
    await add(store, makeRun(1))
    rmSync(folder.path, { recursive: true })
    await add(store, makeRun(2))
    expect([await numbersIn(store), await store.read(idOf(2)), files().length]).toEqual([[2], makeRun(2), 1])
    expect(warnings).toEqual([])
  })

  it('writes files that other users cannot read', async () => {
    await add(open(), makeRun(1))
    expect(statSync(pathOf(0)).mode & 0o777).toBe(0o600)
  })

  it('lists a run while it is running, and writes it when it has ended', async () => {
    const store = open()
    const recorder = recorderOf(makeRun(1, { state: 'running', ms: null }))
    store.add(recorder)
    expect((await store.list()).runs[0]?.state).toBe('running')
    recorder.run = makeRun(1, { error: 'changed' })
    expect((await store.read(idOf(1)))?.error).toBe('changed')
    store.update(recorder)
    await store.flush()
    expect([recorder.isReleased, (await store.read(idOf(1)))?.error]).toEqual([true, 'changed'])
  })

  it('marks a run as cancelled if its process exits while it is running', async () => {
    const store = open()
    const recorder = recorderOf(makeRun(1, { state: 'running', ms: null }))
    store.add(recorder)
    await store.flush()
    recorder.run = { ...recorder.run, chunks: 77 }
    store.update(recorder)
    await store.close()
    const next = open()
    expect(await next.read(idOf(1))).toMatchObject({ chunks: 77 })
    expect(await next.read(idOf(1))).toMatchObject({ state: 'cancelled', error: 'the server exited' })
    expect((await next.list({ status: 'cancelled' })).total).toBe(1)
  })

  it('drops an incomplete last line without a warning', async () => {
    await add(open(), ...many(3))
    truncateSync(pathOf(0), statSync(pathOf(0)).size - 20)
    expect(await numbersIn(open())).toEqual([2, 1])
    expect(warnings).toEqual([])
  })

  it('skips a corrupt line with a warning', async () => {
    await add(open(), ...many(3))
    const lines = readFileSync(pathOf(0), 'utf8').split('\n')
    lines[1] = lines[1]?.replace('{', '#') ?? ''
    writeFileSync(pathOf(0), lines.join('\n'))
    expect(await numbersIn(open())).toEqual([3, 1])
    expect(warnings).toEqual([expect.stringContaining('1 invalid line')])
  })

  it('keeps the newest runs and deletes files that contain only older runs', async () => {
    const store = open({ maxRuns: 5, maxBytes: 16_000 })
    for (let at = 0; at < 20; at++) await add(store, makeRun(at))
    expect(await numbersIn(store)).toEqual([19, 18, 17, 16, 15])
    expect(files().length).toBeLessThan(6)
    expect(await store.read(idOf(3))).toBeNull()
    expect(await numbersIn(open({ maxRuns: 5 }))).toEqual(await numbersIn(store))
  })

  it('keeps new runs if older ones have a time in the future', async () => {
    const ahead = Date.now() + 86_400_000
    await add(open({ maxRuns: 3 }), ...many(3, 500_000).map((run) => ({ ...run, startedAt: ahead })))
    const store = open({ maxRuns: 3 })
    await add(store, makeRun(1), makeRun(2))
    expect(await numbersIn(store)).toEqual([ahead, 2, 1])
  })

  it('does not exceed its size limit', async () => {
    const store = open({ maxBytes: 40_000 })
    const text = 'x'.repeat(3_000)
    for (let at = 0; at < 50; at++) await add(store, makeRun(at, { target: text }))
    const size = files().reduce((sum, _, at) => sum + statSync(pathOf(at)).size, 0)
    expect(size).toBeLessThan(40_000)
    const numbers = await numbersIn(store)
    expect(numbers[0]).toBe(49)
    expect(numbers.length).toBeGreaterThan(5)
  })

  it('does not drop runs because of earlier versions of another run', async () => {
    const store = open({ maxBytes: 100_000 })
    const long = makeRun(0, { target: 'x'.repeat(10_000) })
    for (let at = 1; at <= 40; at++) await add(store, makeRun(at), long)
    expect(await numbersIn(store)).toEqual(Array.from({ length: 41 }, (_, at) => 40 - at))
    const size = files().reduce((sum, _, at) => sum + statSync(pathOf(at)).size, 0)
    expect(size).toBeLessThan(120_000)
    expect(await numbersIn(open())).toHaveLength(41)
  })

  it('keeps pinned runs when it deletes older runs', async () => {
    const store = open({ maxRuns: 3, maxBytes: 16_000 })
    await add(store, makeRun(1), makeRun(2))
    expect(await store.pin(idOf(1), true)).toMatchObject({ id: idOf(1), isPinned: true })
    for (let at = 3; at < 60; at++) await add(store, makeRun(at))
    expect(await numbersIn(store)).toEqual([59, 58, 57, 1])
    const next = open({ maxRuns: 3 })
    expect(await next.read(idOf(1))).toEqual(makeRun(1, { isPinned: true }))
    await next.pin(idOf(1), false)
    await add(next, makeRun(60))
    expect(await numbersIn(next)).toEqual([60, 59, 58])
    expect(await next.pin('no-such-run', true)).toBeNull()
  })

  it('pins a running run', async () => {
    const store = open()
    const recorder = recorderOf(makeRun(1, { state: 'running' }))
    store.add(recorder)
    await store.pin(idOf(1), true)
    recorder.run = makeRun(1)
    store.update(recorder)
    await store.flush()
    expect((await open().read(idOf(1)))?.isPinned).toBe(true)
  })

  it('clears all runs that are not pinned', async () => {
    const store = open()
    await add(store, ...many(4))
    await store.pin(idOf(2), true)
    expect(await store.clear()).toBe(3)
    expect(await numbersIn(store)).toEqual([2])
    await add(store, makeRun(9))
    expect(await numbersIn(open())).toEqual([9, 2])
  })

  it('does not serialize runs that would be dropped immediately', async () => {
    const store = open({ maxRuns: 10 })
    const recorders = many(95).map(recorderOf)
    for (const recorder of recorders) {
      store.add(recorder)
      store.update(recorder)
    }
    await store.flush()
    expect(recorders.filter(({ written }) => written > 0).map(({ run }) => run.startedAt)).toEqual(
      many(10, 86).map(({ startedAt }) => startedAt),
    )
    expect(recorders.every(({ isReleased }) => isReleased)).toBe(true)
  })

  it('writes a new run soon, even right after many others', async () => {
    const store = open()
    // On a busy machine each pause follows ten runs and takes up to 480 ms: 120 runs are written within 6 s even then.
    const loaded = many(120).map(recorderOf)
    for (const recorder of loaded) store.add(recorder)
    await expect.poll(() => files().length).toBe(1)
    store.add(recorderOf(makeRun(900)))
    await expect.poll(() => readFileSync(pathOf(0), 'utf8').includes(idOf(900))).toBe(true)
    await expect.poll(() => loaded.every(({ isReleased }) => isReleased)).toBe(true)
  })

  it('writes runs that start or end while others are written', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const store = open()
    const going = recorderOf(makeRun(1, { state: 'running' }))
    let finish = (): void => {}
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    const slow = { ...recorderOf(makeRun(2)), isEnded: true, load: vi.fn<() => Promise<void>>(() => gate) }
    store.add(going)
    await vi.advanceTimersByTimeAsync(20)
    await expect.poll(() => going.written).toBe(1)
    store.add(slow)
    await vi.advanceTimersByTimeAsync(20)
    await expect.poll(() => slow.load.mock.calls.length).toBe(1)
    going.run = makeRun(1)
    store.update(going)
    store.add(recorderOf(makeRun(3)))
    await vi.advanceTimersByTimeAsync(1_000)
    finish()
    await expect.poll(() => slow.isReleased).toBe(true)
    await expect
      .poll(async () => {
        await vi.advanceTimersByTimeAsync(20)
        return readFileSync(pathOf(0), 'utf8')
      })
      .toMatch(new RegExp(`"id":"${idOf(3)}"`))
    await expect.poll(() => going.isReleased).toBe(true)
  })

  it('applies lower limits', async () => {
    const store = open()
    await add(store, ...many(20))
    store.limit({ maxRuns: 5, maxBytes: 1_000_000 })
    await store.flush()
    expect((await numbersIn(store)).length).toBe(5)
  })

  it('groups failed runs, including those not written yet', async () => {
    const store = open()
    await add(store, makeRun(1, { state: 'failed', error: 'BROKEN: it 1' }))
    const recorder = recorderOf(makeRun(2, { state: 'failed', error: 'BROKEN: it 2' }))
    store.add(recorder)
    store.update(recorder)
    expect(await store.errors()).toMatchObject([{ count: 2, runIds: [idOf(2), idOf(1)] }])
  })

  it('does not delete the files of another running process', async () => {
    // The parent of this process runs at least as long as the test.
    const foreign = join(folder.path, `runs-000000000-0000-${process.ppid}.ndjson`)
    const target = 'x'.repeat(20_000) // above our limit, which does not apply to other processes
    writeFileSync(foreign, `${JSON.stringify(makeRun(1, { state: 'running', target }))}\n`)
    const store = open({ maxRuns: 5, maxBytes: 8_000 })
    expect((await store.list()).runs[0]?.state).toBe('running')
    for (let at = 2; at < 30; at++) await add(store, makeRun(at))
    expect(await numbersIn(store)).toEqual([29, 28, 27, 26, 25, 1])
    await store.clear()
    appendFileSync(foreign, `${JSON.stringify(makeRun(1))}\n`)
    expect((await open().read(idOf(1)))?.state).toBe('done')
  })

  it('warns once if it cannot write, and continues', async () => {
    const path = join(folder.path, 'a-file')
    writeFileSync(path, '')
    const store = open({ folder: join(path, 'below') })
    for (const number of [1, 2, 3]) await add(store, makeRun(number))
    expect(warnings).toEqual([expect.stringContaining('cannot write runs')])
    expect(await store.list()).toMatchObject({ runs: [] })
  })
})
