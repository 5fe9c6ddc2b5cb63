import { compileProject, sourceConditions } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import { add, addMcp } from './add.ts'
import { fileProject } from '../project.test.fixture.ts'

const MANIFEST = '{ "name": "demo", "type": "module", "dependencies": { "@sdk/database": "0.1.0" } }'
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    module: 'preserve',
    customConditions: sourceConditions(),
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['src'],
})

describe('add', () => {
  it('writes files that compile, and creates a missing API', async () => {
    const { root, read, write } = fileProject(
      { 'package.json': MANIFEST, 'tsconfig.json': TSCONFIG },
      { isInstalled: true },
    )
    expect(add(root, 'agent', 'daily-report')).toEqual({
      route: 'POST /agent/daily-report',
      written: ['src/agent/daily-report/agent.ts', 'src/agent/daily-report/index.ts'],
      changed: [],
      missing: [],
    })
    expect(add(root, 'resource', 'tasks').written).toEqual(['src/api/tasks.ts', 'src/api/index.ts'])
    write({
      'src/database.ts': `import { openDatabase } from '@sdk/database'\n\nexport const database = openDatabase()\n`,
    })
    expect(add(root, 'resource', 'notes')).toMatchObject({ changed: ['src/api/index.ts'], missing: [] })
    expect(add(root, 'resource', { name: 'comments', belongsTo: 'categories' }).missing).toEqual([])
    expect(read('src/api/comments.ts')).toContain('categoryId: z.int(),')
    expect(read('src/api/comments.ts')).toContain(`filter: ['done', 'categoryId'],`)
    expect(read('src/api/comments.ts')).toContain(`{ categoryId: { to: 'categories', onDelete: 'cascade' } }`)
    add(root, 'resource', 'lineItems')
    add(root, 'route', 'monthly-reports')
    add(root, 'socket', 'chat')
    expect(read('src/api/tasks.ts')).toContain(`store: table('tasks'),`)
    expect(read('src/api/notes.ts')).toContain(`table('notes', { database })`)
    expect(read('src/api/lineItems.ts')).toContain(`table('line_items', { database })`)
    expect(read('src/api/index.ts')).toBe(`import { createRouter } from '@sdk/server'
import { tasks } from './tasks.ts'
import { notes } from './notes.ts'
import { comments } from './comments.ts'
import { lineItems } from './lineItems.ts'
import { monthlyReports } from './monthly-reports.ts'
import { chat } from './chat.ts'

export default createRouter()
  .resource('v1', tasks)
  .resource('v1', notes)
  .resource('v1', comments)
  .resource('v1', lineItems)
  .mount('/api/monthly-reports', monthlyReports)
  .socket('/ws/chat', chat)
`)
    expect(await compileProject(root)).toBe('')
  })

  it('adds MCP with the agents of the project that are not durable', async () => {
    const manifest = { name: 'demo', type: 'module', dependencies: { '@sdk/server': 'file:vendor/sdk-server.tgz' } }
    const { root, read, write } = fileProject(
      { 'package.json': JSON.stringify(manifest), 'tsconfig.json': TSCONFIG },
      { isInstalled: true },
    )
    add(root, 'agent', 'daily-report')
    write({
      'src/agent/nightly/index.ts': `export { default } from './agent.ts'\n`,
      'src/agent/nightly/agent.ts': `import { createAgent } from '@sdk/server'\n\nexport default createAgent('nightly', { durable: true, handler: () => 1 })\n`,
    })
    expect(addMcp(root)).toEqual({
      route: 'POST /api/mcp',
      written: ['src/api/mcp.ts', 'src/api/index.ts'],
      changed: ['package.json'],
      missing: [],
    })
    expect(read('src/api/mcp.ts')).toContain(`mcp(['POST /agent/daily-report'])`)
    expect(read('src/api/index.ts')).toContain(`.on('POST /api/mcp', mcpRoute)`)
    expect(JSON.parse(read('package.json'))).toEqual({
      ...manifest,
      dependencies: {
        '@modelcontextprotocol/server': '^2.4.0',
        '@sdk/mcp': 'file:vendor/sdk-mcp.tgz',
        '@sdk/server': 'file:vendor/sdk-server.tgz',
      },
    })
    expect(await compileProject(root)).toBe('')
    expect(() => addMcp(root)).toThrow('src/api/mcp.ts already exists')
  })

  it('throws and writes nothing if one of the files exists', () => {
    const { root, read } = fileProject({ 'src/agent/a/index.ts': 'mine' }, { isInstalled: true })
    expect(() => add(root, 'agent', 'a')).toThrow(
      'src/agent/a/index.ts already exists: sdk add does not overwrite files',
    )
    expect(read('src/agent/a/index.ts')).toBe('mine')
    expect(() => read('src/agent/a/agent.ts')).toThrow('ENOENT')
  })

  it('returns the lines to add if it cannot edit safely', () => {
    const api = `import { api } from './other.ts'\n\nexport default api\n`
    const { root, read } = fileProject({ 'src/api/index.ts': api }, { isInstalled: true })
    expect(add(root, 'socket', 'chat')).toMatchObject({
      written: ['src/api/chat.ts'],
      changed: [],
      missing: [`import { chat } from './chat.ts'`, `.socket('/ws/chat', chat)`],
    })
    expect(read('src/api/index.ts')).toBe(api)
  })

  it.each([
    ['agent', 'Report', 'the name of an agent must start with a lowercase letter'],
    ['agent', '../x', 'the name of an agent'],
    ['resource', 'my-tasks', 'the name of a resource must be a plural noun in camelCase'],
    ['route', 'delete', '"delete" is reserved'],
    ['route', 'index', '"index" is'],
    ['route', 'v1', '/api/v1 is reserved for resources'],
    ['route', 'auth', '/api/auth is reserved for auth'],
  ] as const)('rejects the %s name %s', (kind, name, message) => {
    const { root } = fileProject({}, { isInstalled: true })
    expect(() => add(root, kind, name)).toThrow(message)
  })

  it('uses memoryStore() without @sdk/database, and throws if a required package is missing', () => {
    const bare = fileProject({})
    expect(() => add(bare.root, 'agent', 'a')).toThrow('the new files import zod, which is not installed')
    bare.write({ 'node_modules/zod/package.json': '{}' })
    add(bare.root, 'resource', 'tasks')
    expect(bare.read('src/api/tasks.ts')).toContain('store: memoryStore(), // rows are lost at every restart')
  })
})
