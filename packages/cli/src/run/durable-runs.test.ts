import { afterEach, describe, expect, it, vi } from 'vitest'
import { writeDevServerInfo } from '../dev/dev-server-info.ts'
import { fileProject } from '../project.test.fixture.ts'
import { openDurableRuns } from './durable-runs.ts'

const { root } = fileProject({})
const ID = 'f'.repeat(32)

afterEach(() => vi.unstubAllGlobals())

describe('openDurableRuns', () => {
  it('distinguishes a run that does not exist from a dev server that has stopped', async () => {
    const url = 'http://127.0.0.1:3000'
    writeDevServerInfo(root, { url, workbench: url, pid: process.pid, pass: 'secret' })
    const runs = await openDurableRuns(root)
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 404 })))
    expect(await runs?.find(ID)).toBeNull()
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
    await expect(runs?.find(ID, 3)).rejects.toThrow(`the dev server at ${url} has stopped`)
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 503 })))
    await expect(runs?.find(ID, 3)).rejects.toMatchObject({ code: 'CALL_FAILED', exitCode: 1 })
  })
})
