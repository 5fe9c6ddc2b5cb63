import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { testApp } from './testing.ts'

describe('testApp with a folder', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('loads the project in the folder', async () => {
    const folder = projectOf({
      'src/agent/hello/index.ts': `export { default } from './agent.ts'`,
      'src/agent/hello/agent.ts': `import { createAgent } from '@sdk/server'
        export default createAgent('hello', { handler: (_ctx, input) => ({ hello: input }) })`,
      'src/api/index.ts': `import { createRouter } from '@sdk/server'
        export default createRouter().on('GET /api/database', () => process.env['DATABASE_URL'])`,
    })
    const project = await testApp(folder)
    expect(await project.agent('hello').call('Ada')).toEqual({ hello: 'Ada' })
    expect(await project.call('GET /api/database')).toBe('pglite://memory')
    await project.close()
  })

  it('replaces the development database when it is imported', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://localhost/development')
    vi.resetModules()
    await import('./testing.ts') // like the first line of a test, before it imports src/database.ts
    expect(process.env['DATABASE_URL']).toBe('pglite://memory')
  })

  it('uses another database if the test sets DATABASE_URL', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://localhost/tests')
    const router = `createRouter().on('GET /api/database', () => process.env['DATABASE_URL'])`
    const folder = projectOf({
      'src/api/index.ts': `import { createRouter } from '@sdk/server'; export default ${router}`,
    })
    const project = await testApp(folder)
    expect(await project.call('GET /api/database')).toBe('postgres://localhost/tests')
    await project.close()
  })

  it('opens the stores of a project before the first call', async () => {
    const folder = projectOf({
      'src/api/index.ts': `import { createResource, createRouter } from '@sdk/server'
        import { z } from 'zod'
        const schema = z.object({ title: z.string() })
        const opened = []
        const storeOf = (name, fault) => ({
          list: async () => ({ rows: [] }),
          ready: async () => {
            await new Promise((resolve) => setTimeout(resolve, 20))
            if (fault) throw new Error(fault)
            opened.push(name)
          },
        })
        const tasks = createResource('tasks', { schema, access: 'public', store: storeOf('tasks') })
        const broken = createResource('broken', { schema, access: 'public', store: storeOf('broken', 'no such disk') })
        export default createRouter().resource('v1', tasks).resource('v1', broken).on('GET /api/opened', () => opened)`,
    })
    const project = await testApp(folder)
    expect(await project.call('GET /api/opened')).toContain('tasks')
    await project.close()
  })

  it('rejects if a file is missing or invalid', async () => {
    await expect(testApp(projectOf({}))).rejects.toThrow('neither src/agent/<name>/index.ts nor src/api/index.ts')
    const folder = projectOf({ 'src/agent/a/index.ts': 'export default 7' })
    await expect(testApp(folder)).rejects.toThrow('is not an agent: export default createAgent(name, { handler })')
  })
})

const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })))

function projectOf(files: Record<string, string>): string {
  // Next to this package, where its name can be resolved.
  const folder = mkdtempSync(join(import.meta.dirname, '../.project-'))
  folders.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}
