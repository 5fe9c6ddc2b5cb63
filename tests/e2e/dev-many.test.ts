import type { NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject } from './demo-project.ts'
import { startDev } from './mistakes/terminal.ts'
import { soon } from './soon.ts'

/** More agents than `sdk dev` loads at the start; it loads the others on demand. */
const NAMES = Array.from({ length: 12 }, (_, index) => `agent-${index}`)

/** An agent that prints a line when it is loaded. */
const toAgent = (name: string): string => `import { createAgent } from '@sdk/server'
import { z } from 'zod'
import { word } from '../../shared.ts'

console.log('loads ${name} with ' + word)

export default createAgent('${name}', {
  description: 'says ' + word,
  input: z.object({ times: z.number().default(1) }),
  handler: (ctx, { times }) => Array.from({ length: times }, () => word),
})
`

describe('sdk dev with many agents', () => {
  const project = createDemoProject()
  let server: NodeProcess

  beforeAll(async () => {
    project.remove('src/web')
    project.write('src/shared.ts', `export const word = 'word-0'\n`)
    for (const name of NAMES) project.write(`src/agent/${name}/index.ts`, toAgent(name))
    project.write('sdk.config.ts', 'export default { rateLimit: false }\n')
    server = await startDev(project, { DATABASE_URL: undefined })
  })
  afterAll(() => server.kill())

  it('runs every agent and validates its input', async () => {
    for (const name of NAMES) expect(await call(name, { times: 2 })).toEqual([200, ['word-0', 'word-0']])
    expect(await call('agent-7', { times: 'two' })).toMatchObject([400, {}])
  })

  it('never runs old code in any agent after a shared file was saved', async () => {
    for (let version = 1; version <= 3; version++) {
      project.write('src/shared.ts', `export const word = 'word-${version}'\n`)
      await until('agent-3', `word-${version}`)
      const responses = await Promise.all(NAMES.map((name) => call(name, {})))
      expect(responses).toEqual(NAMES.map(() => [200, [`word-${version}`]]))
    }
  })

  it('loads agents that are not called, each once', async () => {
    project.write('src/shared.ts', `export const word = 'word-alone'\n`)
    for (const name of NAMES) await soon(() => expect(server.output()).toContain(`loads ${name} with word-alone`))
    expect(server.output().match(/with word-alone/g)).toHaveLength(NAMES.length)
  })

  it('describes all agents in the OpenAPI document, including those not loaded yet', async () => {
    project.write('src/shared.ts', `export const word = 'described'\n`)
    await until('agent-3', 'described')
    expect(await descriptions()).toEqual(NAMES.map(() => 'says described'))
  })

  it('reports the load error of an agent that is not called', async () => {
    project.edit(
      'src/agent/agent-9/index.ts',
      'console.log(',
      `if (word === 'bad') throw new Error('not that word')\nconsole.log(`,
    )
    project.write('src/shared.ts', `export const word = 'bad'\n`)
    await soon(() => expect(server.output()).toContain('✗ src/agent/agent-9/index.ts:5:'))
    expect(await call('agent-9', {})).toMatchObject([500, { error: { code: 'LOAD_FAILED' } }])
    expect(await call('agent-8', {})).toEqual([200, ['bad']])
    project.write('src/shared.ts', `export const word = 'good'\n`)
    await until('agent-9', 'good')
  })

  it('returns the error of a broken shared file and recovers when it is fixed', async () => {
    project.write('src/shared.ts', `export const word = = 'x'\n`)
    await soon(async () => expect(await call('agent-1', {})).toMatchObject([500, {}]))
    expect(await call('agent-11', {})).toMatchObject([
      500,
      { error: { details: [{ file: 'src/shared.ts', line: 1 }] } },
    ])
    project.write('src/shared.ts', `export const word = 'fixed'\n`)
    for (const name of ['agent-1', 'agent-11']) await until(name, 'fixed')
  })

  it('adds and removes agents while others are not loaded yet', async () => {
    project.write('src/shared.ts', `export const word = 'again'\n`)
    project.write('src/agent/late/index.ts', toAgent('late'))
    project.remove('src/agent/agent-2')
    await until('late', 'again')
    await soon(async () => expect(await call('agent-2', {})).toMatchObject([404, {}]))
    expect(await call('agent-10', {})).toEqual([200, ['again']])
    await soon(() => expect(project.read('src/sdk-routes.d.ts')).toContain('POST /agent/late'))
    expect(project.read('src/sdk-routes.d.ts')).not.toContain("agent-2'")
  })

  async function call(name: string, input: unknown): Promise<[number, unknown]> {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }
    const response = await fetch(`${server.url}/agent/${name}`, request)
    return [response.status, await response.json()]
  }

  async function until(name: string, word: string): Promise<void> {
    await soon(async () => expect(await call(name, {})).toEqual([200, [word]]))
  }

  /** Returns the descriptions in the OpenAPI document, without the demo's own agents. */
  async function descriptions(): Promise<unknown[]> {
    const document = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, { post?: { description?: string } }>
    }
    return NAMES.map((name) => document.paths[`/agent/${name}`]?.post?.description)
  }
})
