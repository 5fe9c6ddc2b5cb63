import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDemoProject, type DemoProject } from '../../e2e/demo-project.ts'
import { sdkHere } from '../../e2e/sdk-here.ts'
import { startWorkerd } from './start-workerd.ts'

async function build({ path }: DemoProject): Promise<{ code: number | null; output: string }> {
  const [code, output] = await sdkHere(path, ['build', '--target', 'workers'])
  return { code, output }
}

describe('sdk build --target workers', () => {
  it('builds one module that runs in workerd, and creates wrangler.jsonc once', async () => {
    const project = createDemoProject()
    const { code, output } = await build(project)
    expect([code, output]).toEqual([0, expect.stringMatching(/created wrangler\.jsonc[^]*npx wrangler deploy/)])
    const config = JSON.parse(project.read('wrangler.jsonc')) as Record<string, unknown>
    expect(config).toMatchObject({ name: 'demo', main: 'dist/server/worker.js', assets: { directory: 'dist/web' } })
    expect(existsSync(join(project.path, 'dist/web/index.html'))).toBe(true)

    const workerd = await startWorkerd(join(project.path, 'dist/server/worker.js'))
    expect(workerd.imports).toEqual([])
    expect(await (await fetch(`${workerd.url}/api/status`)).json()).toEqual({ status: 'ok' })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"to":2}' }
    expect(await (await fetch(`${workerd.url}/agent/count`, init)).text()).toBe('{"n":1}\n{"n":2}\n')
    await workerd.stop()

    project.write('wrangler.jsonc', '{ "main": "own.js" }')
    expect((await build(project)).code).toBe(0)
    expect(project.read('wrangler.jsonc')).toBe('{ "main": "own.js" }')
  })

  it('rejects the database, with the files that import it', async () => {
    const project = createDemoProject()
    project.edit('src/api/index.ts', '// imports', `import '@sdk/database'`)
    const message = 'Cloudflare Workers cannot run @sdk/database, imported by src/api/index.ts'
    expect(await build(project)).toEqual({ code: 1, output: expect.stringContaining(message) })
  })

  it('rejects durable agents and modules of Node with the fix', async () => {
    const project = createDemoProject()
    project.write(
      'src/agent/report/index.ts',
      `import { createAgent } from '@sdk/server'\nexport default createAgent('report', { durable: true, handler: () => 1 })\n`,
    )
    expect(await build(project)).toEqual({ code: 1, output: expect.stringContaining('durable agents cannot run') })
    project.remove('src/agent/report')
    project.edit('src/api/index.ts', '// imports', `import { hostname } from 'node:os'`)
    project.edit('src/api/index.ts', `'ok'`, 'hostname()')
    expect(await build(project)).toEqual({ code: 1, output: expect.stringContaining('the server imports node:os') })
    project.edit('wrangler.jsonc', '"enable_request_signal"', '"enable_request_signal", "nodejs_compat"')
    expect((await build(project)).code).toBe(0)
  })
})
