import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject } from './demo-project.ts'
import { soon } from './soon.ts'
import { startBench, type BenchServer } from './workbench/bench-server.ts'

/** Root can write to any folder, so a file replaces a folder, and a folder replaces a file. */
describe('sdk dev in a read-only project', () => {
  const project = createDemoProject()
  const { path: elsewhere } = temporaryFolder('elsewhere')
  let server: BenchServer
  beforeAll(async () => {
    writeFileSync(join(project.path, '.sdk'), '')
    project.write('src/sdk-routes.d.ts/a-file', '')
    server = await startBench(project.path, [], { TMPDIR: elsewhere })
    return () => server.kill()
  })

  it('prints one warning for each file that it cannot write', async () => {
    const count = (text: string): number => server.output().split(text).length - 1
    await server.waitFor(/ready in/)
    project.edit('src/agent/hello/words.ts', 'zero', 'one')
    await server.waitFor(/words\.ts/)
    expect([count('cannot write to .sdk'), count('cannot write src/sdk-routes.d.ts')]).toEqual([1, 1])
  })

  it('runs agents, reloads, serves the page with its packages, and records runs', async () => {
    const agent = await fetch(`${server.url}/agent/hello`, { method: 'POST' })
    expect([agent.status, await agent.json()]).toEqual([200, 'one'])
    const page = await (await fetch(`${server.url}/index.tsx`)).text()
    const [, react = ''] = /from "([^"]*react-dom_client[^"]*)"/.exec(page) ?? []
    const script = await fetch(server.url + react)
    expect([react, script.status]).toEqual([expect.stringContaining('.js'), 200])
    await soon(async () =>
      expect(await server.api('GET /runs')).toMatchObject([200, { runs: [{ route: 'POST /agent/hello' }] }]),
    )
    const settings = { maxRuns: 50, maxBytes: 5_000_000, redact: [], isRecording: true }
    expect(await server.api('PUT /settings', settings)).toMatchObject([200, { fault: expect.stringContaining('.sdk') }])
  })

  it('removes its temporary folder on exit', async () => {
    expect(readdirSync(elsewhere)).toEqual([expect.stringMatching(/^sdk-dev-/)])
    expect(await server.stop()).toMatchObject({ code: 0 })
    expect(readdirSync(elsewhere)).toEqual([])
  })
})
