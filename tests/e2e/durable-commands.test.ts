import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sdkHere } from './sdk-here.ts'
import { sdk } from './workbench/bench-server.ts'
import { createDurableProject } from './workbench/durable-project.ts'
import { openStage, type Stage } from './workbench/stage.ts'

describe('durable runs in the terminal', () => {
  let stage: Stage
  let buy: string
  const run = async (...args: string[]): Promise<{ code: number; output: string }> => {
    const [code, output] = await sdkHere(stage.project.path, args)
    return { code, output }
  }
  const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? ''

  beforeAll(async () => {
    stage = await openStage(createDurableProject())
  })
  afterAll(() => stage.close())

  it('sdk run --detach prints the id of the run, and sdk runs --follow follows it', async () => {
    const { code, output } = await sdk(stage.project.path, 'run', 'research', '{"question":"Why?"}', '--detach')
    expect(code).toBe(0)
    const id = /^[0-9a-f]{32}$/m.exec(output)?.[0] ?? ''
    expect(output).toContain(`to follow this run: sdk runs ${id} --follow`)
    const followed = await sdk(stage.project.path, 'runs', id, '--follow')
    expect(followed.code).toBe(0)
    for (const line of ['step plan', 'chunk 3 {"text":"end"}', 'sleep a moment until'])
      expect(followed.output).toContain(line)
    expect(followed.output).toMatch(/step fetch \d+ ms, 2 tries/)
    expect(lastLine(followed.output)).toBe('done')
    const lines = (await run('runs', id, '--follow', '--json')).output.trimEnd().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ type: 'end', status: 'done', output: null, error: null })
  })

  it('sdk runs lists durable runs below the calls, and shows one with its steps', async () => {
    const { output } = await run('run', 'buy', '{"item":"tea","cost":7}', '--detach', '--json')
    buy = /"id":"([0-9a-f]{32})"/.exec(output)?.[1] ?? ''
    await expect.poll(async () => (await run('runs', buy)).output).toContain('waiting for approval')
    const all = await run('runs')
    expect(all.output).toMatch(/POST \/agent\/buy/)
    expect(all.output).toMatch(/^durable run +time +status/m)
    expect(all.output).toMatch(new RegExp(`^${buy} .* waiting +buy +1 +1$`, 'm'))
    const listed = JSON.parse((await run('runs', '--durable', '--json', '--status', 'waiting')).output) as object[]
    expect(listed).toMatchObject([{ id: buy, agent: 'buy', status: 'waiting' }])
    const recorded = JSON.parse((await run('runs', '--json')).output) as object[]
    expect(recorded[0]).toHaveProperty('route')
    expect((await run('runs', buy)).output).toMatch(/approval +wait/)
    expect(JSON.parse((await run('runs', buy, '--json')).output)).toMatchObject({ run: { id: buy }, chunkCount: 0 })
  })

  it('names the fix of wrong options', async () => {
    expect(await run('runs', '--follow')).toMatchObject({ code: 2, output: expect.stringContaining('--durable lists') })
    const missing = await run('runs', '0'.repeat(32))
    expect(missing).toMatchObject({ code: 2, output: expect.stringContaining('not found') })
    stage.project.write(
      'src/agent/plain/index.ts',
      `import { createAgent } from '@sdk/server'\n\nexport default createAgent('plain', { handler: () => 1 })\n`,
    )
    await expect
      .poll(async () => (await run('run', 'plain', '--detach')).output)
      .toContain('set durable: true in createAgent, or omit --detach')
  })

  it('fails with the error of a run that fails', async () => {
    const following = run('runs', buy, '--follow')
    const body = JSON.stringify({ ok: false, note: 'no' })
    const headers = { 'content-type': 'application/json' }
    const url = `${stage.server.url}/agent/buy/runs/${buy}/events/approval`
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(204)
    const { code, output } = await following
    expect(code).toBe(1)
    expect(output).toContain('event approval {"ok":false,"note":"no"}')
    expect(output).toContain('NOT_APPROVED: The purchase was not approved')
  })

  it('reads the database after sdk dev has stopped, and requires it for --detach', async () => {
    await stage.server.kill()
    const shown = await run('runs', buy)
    expect(shown).toMatchObject({ code: 0, output: expect.stringContaining('buy  failed') })
    expect((await run('runs', '--durable', '--route', 'buy')).output).toContain(buy)
    const detached = await run('run', 'buy', '{"item":"tea","cost":7}', '--detach')
    expect(detached).toMatchObject({ code: 2, output: expect.stringContaining('start sdk dev in another terminal') })
  })
})
