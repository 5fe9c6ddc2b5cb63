import { type NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject } from './demo-project.ts'
import { startDev, toNeutral } from './mistakes/terminal.ts'
import { soon } from './soon.ts'

describe('sdk dev', () => {
  const project = createDemoProject()
  let server: NodeProcess
  const hello = 'src/agent/hello/index.ts'
  const api = 'src/api/index.ts'

  beforeAll(async () => {
    server = await startDev(project)
  })
  afterAll(() => server.kill())

  it('reports a syntax error', async () => {
    expect(await replaced(hello, 'handler:', 'handler::')).toMatchInlineSnapshot(`
      "✗ src/agent/hello/index.ts:4:47
        Unexpected token
          2 | import { word } from './words.ts'
          3 |
        > 4 | export default createAgent('hello', { handler:: () => word })
            |                                               ^
          5 |"
    `)
  })

  it('reports an import that the other file does not export', async () => {
    expect(await replaced('src/agent/hello/words.ts', 'word', 'wort')).toMatchInlineSnapshot(
      `
      "✗ src/agent/hello/index.ts:2:10
        src/agent/hello/words.ts does not export word: did you mean wort?
          1 | import { createAgent } from '@sdk/server'
        > 2 | import { word } from './words.ts'
            |          ^
          3 |
          4 | export default createAgent('hello', { handler: () => word })"
    `,
    )
  })

  it('reports an import of a missing file', async () => {
    expect(await replaced(hello, './words.ts', './word.ts')).toMatchInlineSnapshot(`
      "✗ src/agent/hello/index.ts:2:1
        file not found: ./word.ts
          1 | import { createAgent } from '@sdk/server'
        > 2 | import { word } from './word.ts'
            | ^
          3 |
          4 | export default createAgent('hello', { handler: () => word })"
    `)
  })

  it('reports an import of a package that is not installed', async () => {
    expect(await replaced(hello, './words.ts', 'left-padding')).toMatchInlineSnapshot(`
      "✗ src/agent/hello/index.ts:2:1
        the package left-padding is not installed: npm install left-padding
          1 | import { createAgent } from '@sdk/server'
        > 2 | import { word } from 'left-padding'
            | ^
          3 |
          4 | export default createAgent('hello', { handler: () => word })"
    `)
  })

  it('reports an agent without a default export', async () => {
    expect(await replaced(hello, 'export default', 'export const hello =')).toMatchInlineSnapshot(
      `
      "✗ src/agent/hello/index.ts
        the default export is missing (the file only exports hello): write export default createAgent('hello', { handler }), or export { default } from './agent.ts'"
    `,
    )
  })

  it('reports a default export that is not an agent', async () => {
    expect(await replaced(hello, `createAgent('hello', { handler: () => word })`, '() => word')).toMatchInlineSnapshot(
      `
      "✗ src/agent/hello/index.ts
        the default export must be an agent, got a function: write export default createAgent('hello', { handler }), or export { default } from './agent.ts'"
    `,
    )
  })

  it('reports an agent without a handler', async () => {
    expect(await replaced(hello, 'handler: () => word', 'run: () => word')).toMatchInlineSnapshot(`
      "✗ src/agent/hello/index.ts:4:16
        agent "hello" has no handler: pass one to createAgent(name, { handler })
          2 | import { word } from './words.ts'
          3 |
        > 4 | export default createAgent('hello', { run: () => word })
            |                ^
          5 |"
    `)
  })

  it('reports an agent whose name differs from its folder', async () => {
    const text = project.read('src/agent/count/index.ts').replace(`'count'`, `'hello'`)
    expect(await replaced('src/agent/count/index.ts', project.read('src/agent/count/index.ts'), text))
      .toMatchInlineSnapshot(`
        "✗ src/agent/count/index.ts
          the folder is named "count" and its agent "hello": use the same name for both, since the agent is called as POST /agent/count"
      `)
  })

  it('reports an invalid name of an agent', async () => {
    const file = 'src/agent/My_Agent/index.ts'
    const text = project.read(hello).replace('./words.ts', '../hello/words.ts').replace(`'hello'`, `'My_Agent'`)
    expect(await added(file, text)).toMatchInlineSnapshot(`
      "✗ src/agent/My_Agent/index.ts:4:16
        an agent's name must start with a-z and have at most 64 letters, digits and "-", got "My_Agent"
          2 | import { word } from '../hello/words.ts'
          3 |
        > 4 | export default createAgent('My_Agent', { handler: () => word })
            |                ^
          5 |"
    `)
  })

  it('reports an error that a module throws, such as a missing variable', async () => {
    const line = `if (!process.env.MODEL_KEY) throw new Error('MODEL_KEY is not set: put it into .env')`
    expect(await replaced(hello, 'export default', `${line}\n\nexport default`)).toMatchInlineSnapshot(`
      "✗ src/agent/hello/index.ts:4:35
        MODEL_KEY is not set: put it into .env
          2 | import { word } from './words.ts'
          3 |
        > 4 | if (!process.env.MODEL_KEY) throw new Error('MODEL_KEY is not set: put it into .env')
            |                                   ^
          5 |
          6 | export default createAgent('hello', { handler: () => word })"
    `)
  })

  it('reports an API without a default export', async () => {
    expect(await replaced(api, 'export default createRouter()', 'export const routes = createRouter()'))
      .toMatchInlineSnapshot(`
        "✗ src/api/index.ts
          the default export is missing (the file only exports routes): write export default createRouter().on(…)"
      `)
  })

  it('reports a duplicate route', async () => {
    expect(await replaced(api, '.on(', `.on('GET /api/status', () => 1)\n  .on(`)).toMatchInlineSnapshot(`
      "✗ src/api/index.ts:5:4
        GET /api/status is defined twice: at src/api/index.ts:4:31 and at src/api/index.ts:5:4
          3 |
          4 | export default createRouter().on('GET /api/status', () => 1)
        > 5 |   .on('GET /api/status', () => ({ status: 'ok' }))
            |    ^
          6 |"
    `)
  })

  it('reports a route without a method', async () => {
    expect(await replaced(api, 'GET /api/status', '/api/status')).toMatchInlineSnapshot(`
      "✗ src/api/index.ts:4:31
        a route must be "METHOD /path" (GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS), got "/api/status"
          2 | import { createRouter } from '@sdk/server'
          3 |
        > 4 | export default createRouter().on('/api/status', () => ({ status: 'ok' }))
            |                               ^
          5 |"
    `)
  })

  it('reports a route outside of /api', async () => {
    expect(await replaced(api, 'GET /api/status', 'GET /status')).toMatchInlineSnapshot(`
      "✗ src/api/index.ts
        GET /status is unreachable: paths outside /api, /agent and /ws belong to the web app. Rename it to GET /api/status"
    `)
  })

  it('reports a resource without access', async () => {
    expect(
      await replaced(
        api,
        'export default createRouter()',
        `import { createResource, memoryStore } from '@sdk/server'
import { z } from 'zod'

const notes = createResource('notes', { schema: z.object({}), store: memoryStore() })

export default createRouter().resource('v1', notes)`,
      ),
    ).toMatchInlineSnapshot(`
      "✗ src/api/index.ts:7:15
        resource "notes": access must be 'public', or a function that returns which rows the caller may access
          5 | import { z } from 'zod'
          6 |
        > 7 | const notes = createResource('notes', { schema: z.object({}), store: memoryStore() })
            |               ^
          8 |
          9 | export default createRouter().resource('v1', notes).on('GET /api/status', () => ({ status: 'ok' }))"
    `)
  })

  it('reports a web file that does not compile', async () => {
    const from = server.output().length
    project.edit('src/web/App.tsx', '<input />', '<input>')
    await soon(async () => expect(await (await fetch(`${server.url}/App.tsx`)).text()).not.toContain('Hello'))
    await soon(() => expect(server.output().slice(from)).toMatch(/^✗ /m))
    project.edit('src/web/App.tsx', '<input>', '<input />')
    expect(toNeutral(server.output().slice(from), project.path)).toMatchInlineSnapshot(`
      "✗ src/web/App.tsx:2:46
        Expected corresponding JSX closing tag for 'input'.
          1 | export function App() {
        > 2 |   return <label>Hello from the page <input></label>
            |                                              ^
          3 | }
          4 |"
    `)
  })

  it('reports a page that imports a module of the server', async () => {
    const from = server.output().length
    project.edit('src/web/App.tsx', 'export', `import '../api/index.ts'\n\nexport`)
    await soon(async () => expect(await (await fetch(`${server.url}/App.tsx`)).text()).toContain('/api/index.ts'))
    expect((await fetch(`${server.url}/@fs${project.path}/src/api/index.ts`)).ok).toBe(false)
    await soon(() => expect(server.output().slice(from)).toMatch(/3 \| export/))
    project.edit('src/web/App.tsx', `import '../api/index.ts'\n\n`, '')
    // The overlay names the file in which it can be disabled.
    const overlay = await (await fetch(`${server.url}/@vite/client`)).text()
    expect([overlay.includes('vite.config.js'), overlay.includes('"sdk.config.ts"')]).toEqual([false, true])
    expect(toNeutral(server.output().slice(from), project.path)).toMatchInlineSnapshot(`
      "✗ src/web/App.tsx:1:9
        src/web/App.tsx is part of the web app and imports src/api/index.ts, which only runs on the server: move shared code to a file such as src/shared/schemas.ts, and import types with import type (src/web/index.tsx → src/web/App.tsx → src/api/index.ts)
        > 1 | import '../api/index.ts'
            |         ^
          2 |
          3 | export function App() {"
    `)
  })

  it('reports a missing package of a web file once for many requests', async () => {
    const from = server.output().length
    project.edit('src/web/App.tsx', 'export', `import 'confetti/now'\n\nexport`)
    let count = 0
    const request = async (): Promise<boolean> => (await fetch(`${server.url}/App.tsx?t=${++count}`)).ok
    await soon(async () => expect(await request()).toBe(false))
    for (let more = 0; more < 10; more++) expect(await request()).toBe(false)
    await soon(() => expect(server.output().slice(from)).toMatch(/3 \| export/))
    project.edit('src/web/App.tsx', `import 'confetti/now'\n\n`, '')
    const blocks = toNeutral(server.output().slice(from), project.path).split(/^(?=✗)/m)
    expect(blocks.length).toBeLessThanOrEqual(3) // the first requests may precede the detection of the change
    expect(blocks.at(-1)).toMatchInlineSnapshot(`
      "✗ src/web/App.tsx:1:8
        the package confetti is not installed: npm install confetti
        > 1 | import 'confetti/now'
            |        ^
          2 |
          3 | export function App() {"
    `)
  })

  it('reports a deleted file that another file imports', async () => {
    const text = project.read('src/agent/hello/words.ts')
    expect(
      await outputOf(
        () => project.remove('src/agent/hello/words.ts'),
        () => project.write('src/agent/hello/words.ts', text),
      ),
      // The path is printed as in the import, or as resolved.
    ).toMatch(/^✗ src\/agent\/hello\/index\.ts:2:1\n {2}file not found: (?:\.|src\/agent\/hello)\/words\.ts\n/)
  })

  /** Returns the output between the change and its reversal. */
  async function replaced(file: string, from: string, to: string): Promise<string> {
    return outputOf(
      () => project.edit(file, from, to),
      () => project.edit(file, to, from),
    )
  }

  async function added(file: string, text: string): Promise<string> {
    return outputOf(
      () => project.write(file, text),
      () => project.remove(file.split('/').slice(0, -1).join('/')),
    )
  }

  async function outputOf(change: () => void, repair: () => void): Promise<string> {
    const from = server.output().length
    const printed = (): string => server.output().slice(from)
    change()
    try {
      await soon(() => expect(printed()).toMatch(/^✗ /m))
    } finally {
      repair() // also for the next test
    }
    await soon(() => expect(printed()).toMatch(PROBLEM))
    return toNeutral(PROBLEM.exec(printed())?.[0] ?? '', project.path)
  }
})

/** The output until the next change of a file. */
const PROBLEM = /^✗ [^]*?(?=^↻ )/m
