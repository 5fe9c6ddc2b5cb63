import type { NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject } from './demo-project.ts'
import { startDev } from './mistakes/terminal.ts'
import { soon } from './soon.ts'

/** More than `sdk dev` loads at once: the others wait until they are called. */
const NAMES = Array.from({ length: 12 }, (_, index) => `agent-${index}`)

/** An agent that says when it was loaded, so that a test sees whether it was. */
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

  it('answers every one of them, and with its schema', async () => {
    for (const name of NAMES) expect(await call(name, { times: 2 })).toEqual([200, ['word-0', 'word-0']])
    expect(await call('agent-7', { times: 'two' })).toMatchObject([400, {}])
  })

  it('never answers with old code again once a shared file is saved, whoever is called, and drops no call', async () => {
    for (let version = 1; version <= 3; version++) {
      project.write('src/shared.ts', `export const word = 'word-${version}'\n`)
      await until('agent-3', `word-${version}`)
      const answers = await Promise.all(NAMES.map((name) => call(name, {})))
      expect(answers).toEqual(NAMES.map(() => [200, [`word-${version}`]]))
    }
  })

  it('loads those that nobody calls too, each once', async () => {
    project.write('src/shared.ts', `export const word = 'word-alone'\n`)
    for (const name of NAMES) await soon(() => expect(server.output()).toContain(`loads ${name} with word-alone`))
    expect(server.output().match(/with word-alone/g)).toHaveLength(NAMES.length)
  })

  it('describes all of them in the document, also those that are still to be loaded', async () => {
    project.write('src/shared.ts', `export const word = 'told'\n`)
    await until('agent-3', 'told')
    expect(await descriptions()).toEqual(NAMES.map(() => 'says told'))
  })

  it('tells what is wrong with one that nobody calls', async () => {
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

  it('answers with the fault of a file that all share, and goes on when it is mended', async () => {
    project.write('src/shared.ts', `export const word = = 'x'\n`)
    await soon(async () => expect(await call('agent-1', {})).toMatchObject([500, {}]))
    expect(await call('agent-11', {})).toMatchObject([
      500,
      { error: { details: [{ file: 'src/shared.ts', line: 1 }] } },
    ])
    project.write('src/shared.ts', `export const word = 'mended'\n`)
    await until('agent-1', 'mended')
    expect(await call('agent-11', {})).toEqual([200, ['mended']])
  })

  it('follows agents that are added and removed while others are still to be loaded', async () => {
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

  /** As the document tells them; the demo's own agents are left out. */
  async function descriptions(): Promise<unknown[]> {
    const document = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as {
      paths: Record<string, { post?: { description?: string } }>
    }
    return NAMES.map((name) => document.paths[`/agent/${name}`]?.post?.description)
  }
})
