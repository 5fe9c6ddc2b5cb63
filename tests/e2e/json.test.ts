import { startProcess } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { SDK } from './build-project.ts'
import { createDemoProject, type DemoProject } from './demo-project.ts'
import { sdkHere } from './sdk-here.ts'

describe('--json', () => {
  it('prints the events of sdk dev line by line', async () => {
    const project = createDemoProject()
    project.remove('src/web')
    const args = [SDK, 'dev', '--json', '--port', '0']
    const dev = await startProcess({ command: process.execPath, args, cwd: project.path })
    await dev.waitFor(/"event":"ready".*\n/)
    project.edit('src/agent/hello/words.ts', 'zero', 'one')
    await dev.waitFor(/"event":"reload".*\n/)
    project.edit('src/agent/hello/words.ts', 'export', 'exprt')
    await dev.waitFor(/"event":"problem".*\n/)
    const { url } = eventsOf(dev.output()).find(({ event }) => event === 'ready') ?? {}
    expect(
      (await fetch(`${String(url)}/agent/count`, { method: 'POST', body: '{"to":1}', headers: JSON_TYPE })).ok,
    ).toBe(true)
    await dev.waitFor(/"counting".*\n/)
    expect(await dev.stop('SIGINT')).toEqual({ code: 0, signal: null })
    const events = eventsOf(dev.output())
    expect(events.map(({ event }) => event).filter((event) => event !== undefined)).toEqual([
      'ready',
      'reload',
      'reload',
      'problem',
      'closing',
    ])
    expect(events).toContainEqual(expect.objectContaining({ event: 'problem', route: 'POST /agent/hello' }))
  })

  it('prints the files of sdk types and the error of sdk start', async () => {
    const project = createDemoProject()
    expect(await sdk(project, 'types')).toEqual([0, [{ file: 'src/sdk-routes.d.ts', isWritten: true }]])
    expect(await sdk(project, 'types')).toEqual([0, [{ file: 'src/sdk-routes.d.ts', isWritten: false }]])
    expect(await sdk(project, 'openapi', '--out', 'api.json')).toMatchObject([0, { file: 'api.json' }])
    expect(await sdk(project, 'start')).toMatchObject([1, { error: { code: 'NO_BUILD' } }])
  })
})

const JSON_TYPE = { 'content-type': 'application/json' }

/** Parses the output: every line is a JSON object, including those of the log. */
function eventsOf(output: string): { readonly event?: string; readonly url?: string }[] {
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event?: string; url?: string })
}

async function sdk({ path }: DemoProject, ...args: string[]): Promise<[number, unknown]> {
  const [code, output] = await sdkHere(path, [...args, '--json'])
  return [code, JSON.parse(output)]
}
