import type { NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject } from './demo-project.ts'
import { startDev, toNeutral } from './mistakes/terminal.ts'
import { soon } from './soon.ts'

/** Ticks and streams, each with its version. The order of the ticks shows which version was running. */
const API = `import { connect } from 'node:net'
import { createRouter } from '@sdk/server'

const version = 0
const ticks = ((globalThis as { ticks?: number[] }).ticks ??= [])

export default createRouter()
  .on('GET /api/version', () => version)
  .on('GET /api/ticks', () => ticks)
  .on('GET /api/stream', async function* (ctx) {
    for (;;) {
      yield version
      if (await ctx.kv.get('test', 'enough')) return
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })
  .on('POST /api/enough', async (ctx) => void (await ctx.kv.set('test', 'enough', true)))
  .onStart(() => {
    const timer = setInterval(() => ticks.push(version), 2)
    return () => clearInterval(timer)
  })
`

describe('onStart in sdk dev', () => {
  const project = createDemoProject()
  const api = 'src/api/index.ts'
  let server: NodeProcess

  beforeAll(async () => {
    project.remove('src/web')
    project.write(api, API)
    project.write('sdk.config.ts', 'export default { rateLimit: false }\n')
    server = await startDev(project, { DATABASE_URL: undefined })
  })
  afterAll(() => server.kill())

  it('cleans up the old onStart when new code is loaded, while old streams continue', async () => {
    const stream = (await fetch(`${server.url}/api/stream`)).body?.pipeThrough(new TextDecoderStream()).getReader()
    let streamed = (await stream?.read())?.value ?? ''
    for (let version = 1; version <= 3; version++) {
      project.edit(api, `version = ${version - 1}`, `version = ${version}`)
      await soon(async () => expect(await get('/api/version')).toBe(version))
      await soon(async () => expect(await get('/api/ticks')).toContain(version))
    }
    const ticks = (await get('/api/ticks')) as number[]
    expect(ticks).toEqual(ticks.toSorted((a, b) => a - b))
    await fetch(`${server.url}/api/enough`, { method: 'POST' })
    for (let part = await stream?.read(); part?.done === false; part = await stream?.read()) streamed += part.value
    expect(new Set(streamed.trim().split('\n'))).toEqual(new Set(['0']))
  })

  it('prints the location of an error, keeps running, and recovers with the next save', async () => {
    const failing = `.onStart(() => {
    throw new Error('the queue is away')`
    expect(await outputOf('.onStart(() => {', failing)).toMatchInlineSnapshot(`
      "✗ src/api/index.ts:19:11
        onStart failed: the queue is away
          17 |   .on('POST /api/enough', async (ctx) => void (await ctx.kv.set('test', 'enough', true)))
          18 |   .onStart(() => {
        > 19 |     throw new Error('the queue is away')
             |           ^
          20 |     const timer = setInterval(() => ticks.push(version), 2)
          21 |     return () => clearInterval(timer)"
    `)
    const ticks = ((await get('/api/ticks')) as number[]).length
    await soon(async () => expect(((await get('/api/ticks')) as number[]).length).toBeGreaterThan(ticks))
  })

  it('prints the line of onStart if the stack has no file of the project', async () => {
    const failing = `.onStart(() => new Promise((_, reject) => connect(1, '127.0.0.1').on('error', reject)))
  .onStart(() => {`
    expect(await outputOf('.onStart(() => {', failing)).toMatchInlineSnapshot(`
      "✗ src/api/index.ts:18:4
        onStart failed: connect ECONNREFUSED 127.0.0.1:<port>
          16 |   })
          17 |   .on('POST /api/enough', async (ctx) => void (await ctx.kv.set('test', 'enough', true)))
        > 18 |   .onStart(() => new Promise((_, reject) => connect(1, '127.0.0.1').on('error', reject)))
             |    ^
          19 |   .onStart(() => {
          20 |     const timer = setInterval(() => ticks.push(version), 2)"
    `)
  })

  async function get(path: string): Promise<unknown> {
    return (await fetch(server.url + path)).json()
  }

  /** Returns the output between a change and its reversal. */
  async function outputOf(from: string, to: string): Promise<string> {
    const start = server.output().length
    const printed = (): string =>
      server
        .output()
        .slice(start)
        .replace(/^\d.*\n/gm, '') // without calls
    project.edit(api, from, to)
    await soon(() => expect(printed()).toMatch(/^✗ .*\n.*onStart failed/m))
    expect(await get('/api/version')).toBe(3)
    project.edit(api, to, from)
    await soon(() => expect(printed()).toMatch(/^✗ [^]*^↻ /m))
    return toNeutral(/^✗ [^]*?(?=^↻ )/m.exec(printed())?.[0] ?? '', project.path)
  }
})
