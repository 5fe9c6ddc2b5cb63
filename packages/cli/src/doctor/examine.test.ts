import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fileProject } from '../project.test.fixture.ts'
import { examine } from './examine.ts'

const TSCONFIG =
  '{ "compilerOptions": { "strict": true, "module": "preserve", "allowImportingTsExtensions": true, "noEmit": true } }'
const WEB_TSCONFIG = TSCONFIG.replace('{ "strict"', '{ "jsx": "react-jsx", "strict"')
const AGENT = `import { createAgent } from '@sdk/server'\n\nexport default createAgent('a', { handler: () => 1 })\n`

describe('examine', () => {
  it('reports outdated route types and updates them', async () => {
    const project = fileProject({ 'tsconfig.json': WEB_TSCONFIG, 'src/web/index.tsx': '' }, { isInstalled: true })
    const found = await examine(project.root, { PORT: '0' })
    expect(found.map(({ code }) => code)).toEqual(['ROUTE_TYPES_STALE'])
    for (const { repair } of found) repair?.()
    expect(project.read('src/sdk-routes.d.ts')).toContain('interface Routes {}')
    expect(await examine(project.root, { PORT: '0' })).toEqual([])
  })

  it('reports array inputs without a maximum length', async () => {
    // As createAgent returns it: the packages themselves cannot be loaded from a test.
    const agent = `const tags = { type: 'array', items: { type: 'string' } }
      const jsonSchema = { input: () => ({ type: 'object', properties: { tags } }) }
      const input = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }), jsonSchema } }
      export default { kind: 'agent', name: 'a', input, handler: () => 1 }`
    const files = { 'tsconfig.json': TSCONFIG, 'src/agent/a/index.ts': agent }
    const found = await examine(fileProject(files, { isInstalled: true }).root, { PORT: '0' })
    const wanted = { code: 'INPUT_UNBOUNDED', level: 'warning', place: 'POST /agent/a tags' }
    expect(found).toContainEqual(expect.objectContaining(wanted))
  })

  it('reads production variables from the production env files', async () => {
    const files = {
      'tsconfig.json': TSCONFIG,
      'package.json': '{ "type": "module", "dependencies": { "@sdk/auth": "1", "@sdk/database": "1" } }',
    }
    const codesOf = async (more: Record<string, string>): Promise<string[]> =>
      (await examine(fileProject({ ...files, ...more }).root, { PORT: '0' })).map(({ code }) => code)
    const missing = ['AUTH_SECRET_MISSING', 'AUTH_URL_MISSING', 'DATABASE_URL_MISSING']
    expect(await codesOf({})).toEqual(expect.arrayContaining(missing))
    const env = `AUTH_SECRET=${'x'.repeat(32)}\nAUTH_URL=https://app.example.com\nDATABASE_URL=postgres://db/app\n`
    const found = await codesOf({ '.env.production.local': env })
    expect(found.filter((code) => missing.includes(code))).toEqual([])
  })

  it('reports that durable agents need a database in production', async () => {
    const agent = `export default { kind: 'agent', name: 'a', durable: { keepFor: 1 }, handler: () => 1 }\n`
    const files = { 'tsconfig.json': TSCONFIG, 'src/agent/a/index.ts': agent }
    const findingOf = async (more: Record<string, string>): Promise<unknown> => {
      const found = await examine(fileProject({ ...files, ...more }, { isInstalled: true }).root, { PORT: '0' })
      return found.find(({ code }) => code === 'DATABASE_URL_MISSING')
    }
    expect(await findingOf({})).toMatchObject({
      level: 'note',
      message: expect.stringContaining('durable agents store their runs in the database'),
      fix: expect.stringContaining('postgres://'),
    })
    expect(await findingOf({ '.env.production': 'DATABASE_URL=postgres://db/app\n' })).toBeUndefined()
    expect(await findingOf({ 'src/agent/a/index.ts': AGENT })).toBeUndefined()
  })

  it('reports modules that fail to load before other problems, with their location', async () => {
    const broken = { 'src/agent/a/index.ts': AGENT.replace('=> 1', '=> ') }
    const found = await examine(fileProject(broken, { isInstalled: true }).root, { PORT: '0' })
    expect(found.map(({ code, place }) => [code, place])).toEqual([
      ['LOAD_FAILED', expect.stringMatching(/^src\/agent\/a\/index\.ts:3:\d+$/)],
      ['TSCONFIG_MISSING', 'tsconfig.json'],
    ])
  })

  it('reports a path that Vite cannot load once', async () => {
    const root = join(fileProject({ 'a#b/package.json': '{}', 'a#b/src/agent/a/index.ts': AGENT }).root, 'a#b')
    const [found] = await examine(root, { PORT: '0' })
    expect(found).toMatchObject({ code: 'INVALID_PATH', place: 'src', message: expect.stringContaining(root) })
  })

  it('reports a project with nothing to run and an invalid config', async () => {
    const empty = await examine(fileProject({ 'tsconfig.json': TSCONFIG }).root, { PORT: '0' })
    expect(empty.map(({ code }) => code)).toEqual(['NOTHING_TO_RUN'])
    const files = {
      'tsconfig.json': TSCONFIG,
      'src/agent/a/index.ts': AGENT,
      'sdk.config.ts': 'export default { prot: 1 }',
    }
    const found = await examine(fileProject(files, { isInstalled: true }).root, { PORT: '0' })
    expect(found).toMatchObject([{ code: 'INVALID_CONFIG', fix: 'did you mean port?' }])
  })
})
