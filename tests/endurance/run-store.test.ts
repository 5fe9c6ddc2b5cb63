import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { openRecording, recordingFolder, type Run } from '@sdk/workbench'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { startChild } from './child.ts'
import type { RecordedReport } from './run-store-server.ts'

const KILLS = choose(6, 2)
const CALLERS = 8
/** The number of calls between a report and the kill. */
const MORE = 40

const folder = temporaryFolder('run-store')
const confirmed = new Set<string>()
const faults: string[] = []
let sent = 0
let cutOff = 0
let runs: Run[] = []
let states: string[] = []

beforeAll(async () => {
  process.env['SDK_RECORDED'] = folder.path
  for (let kill = 0; kill < KILLS; kill++) await live()
  delete process.env['SDK_RECORDED']
  await reopen()
}, 300_000)
afterAll(() => folder.remove())

/** Runs a server under load until it is killed. */
async function live(): Promise<void> {
  const child = await startChild<RecordedReport>('run-store-server.ts')
  const url = `http://127.0.0.1:${child.port}`
  const callers = Array.from({ length: CALLERS }, () => callUntilDead(url))
  const report = await child.report()
  for (const id of report.confirmed) confirmed.add(id)
  const enough = sent + MORE
  while (sent < enough) await call(url)
  await child.stop()
  await Promise.all(callers)
}

async function callUntilDead(url: string): Promise<void> {
  try {
    for (;;) await call(url)
  } catch {
    cutOff += 1
  }
}

async function call(url: string): Promise<void> {
  const n = sent++
  const text = `call ${n} ✓ ${'x'.repeat(n % 500)}`
  const isStream = n % 5 === 0
  const response = await fetch(`${url}/agent/${isStream ? 'repeat' : 'echo'}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, times: 20 }),
  })
  await response.text()
}

async function reopen(): Promise<void> {
  const { store, close } = openRecording({ root: folder.path, onWarning: (fault) => faults.push(fault) })
  store.limit({ maxRuns: 100_000, maxBytes: 1_000_000_000 })
  const all = await Promise.all([...confirmed].map((id) => store.read(id)))
  runs = all.filter((run) => run !== null)
  states = (await store.list({ limit: 500 })).runs.map(({ state }) => state)
  await close()
}

/** Returns whether the response of a run contains the text of its request. */
function isWhole({ request, pieces, state }: Run): boolean {
  const body = JSON.parse(request.body?.text ?? '{}') as { text: string; times: number }
  const response = pieces.map(({ text }) => text).join('')
  const lines = Array.from({ length: body.times }, (_, n) => `${JSON.stringify({ n, text: body.text })}\n`).join('')
  return state === 'done' && (response === request.body?.text || response === lines)
}

describe(`a recorded server that is killed ${KILLS} times under load`, () => {
  it('has running calls when it is killed', () => {
    expect(cutOff).toBe(KILLS * CALLERS)
    expect(confirmed.size).toBeGreaterThan(KILLS * 10)
  })

  it('keeps every confirmed run completely', () => {
    expect(runs.length).toBe(confirmed.size)
    expect(runs.filter((run) => !isWhole(run))).toEqual([])
  })

  it('causes no warnings about broken lines', () => {
    expect(faults).toEqual([])
  })

  it('does not list interrupted runs as running', () => {
    expect(states).not.toContain('running')
    expect(states.length).toBeGreaterThan(0)
  })

  it('writes only files that other users cannot read', () => {
    const names = readdirSync(recordingFolder(folder.path)).filter((name) => name.endsWith('.ndjson'))
    const modes = names.map((name) => statSync(join(recordingFolder(folder.path), name)).mode & 0o777)
    expect(names.length).toBeGreaterThanOrEqual(KILLS)
    expect(new Set(modes)).toEqual(new Set([0o600]))
    expect(readFileSync(join(recordingFolder(folder.path), names[0] ?? ''), 'utf8')).toContain('POST /agent/')
  })
})
