import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { compileProject, startProcess } from '@sdk/test-kit'
import { beforeAll, describe, expect, it } from 'vitest'
import { createDemoProject } from './demo-project.ts'

const SDK = join(dirname(createRequire(import.meta.url).resolve('@sdk/cli/package.json')), 'bin/sdk.js')

const MANY = Array.from({ length: 150 }, (_, n) => `\n  .on('GET /r${n}', () => ({ n${n}: ${n} }))`).join('')

const FILES: Readonly<Record<string, string>> = {
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      target: 'ES2023',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      module: 'preserve',
      moduleResolution: 'bundler',
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    },
    include: ['src'],
  }),
  'src/api/tasks.ts': `import { createResource, memoryStore } from '@sdk/server'
import { z } from 'zod'

export const tasks = createResource('tasks', {
  schema: z.object({ title: z.string() }),
  store: memoryStore(),
  access: 'public',
})
`,
  'src/api/chat.ts': `import { createSocket } from '@sdk/server'
import { z } from 'zod'

export const chat = createSocket({ receive: z.object({ text: z.string() }), send: z.object({ from: z.string() }) })
`,
  'src/api/reports.ts': `import { createRouter } from '@sdk/server'
import { z } from 'zod'

export const reports = createRouter()
  .on('GET /', () => ({ all: 1 }))
  .on('POST /:id', { input: z.object({ year: z.number() }), handler: (ctx, input) => ({ one: input.year }) })
`,
  'src/api/many.ts': `import { createRouter } from '@sdk/server'\n\nexport const many = createRouter()${MANY}\n`,
  'src/api/index.ts': `import { createRouter, type Router } from '@sdk/server'
import { chat } from './chat.ts'
import { many } from './many.ts'
import { reports } from './reports.ts'
import { tasks } from './tasks.ts'

const untyped: Router = createRouter()
untyped.on('GET /untyped', () => 1)

export default createRouter()
  .on('GET /api/status', () => ({ status: 'ok' }))
  .mount('/api', untyped)
  .mount('/api/reports', reports)
  .mount('/api/many', many)
  .resource('v2', tasks)
  .socket('/ws/chat', chat)
`,
  'src/web/client.ts': `import { createClient } from '@sdk/frontend'

const client = createClient()

export async function look() {
  const { status } = await client.call('GET /api/status')
  const { all } = await client.call('GET /api/reports')
  const { one } = await client.call('POST /api/reports/:id', { year: 2026 }, { params: { id: 7 } })
  const { n149 } = await client.call('GET /api/many/r149')
  const { data } = await client.call('GET /api/v2/tasks')
  const { id } = await client.call('PATCH /api/v2/tasks/:id', { title: 'Tea' }, { params: { id: 7 } })
  const [chunk] = await client.call('POST /agent/count', {})
  client.socket('/ws/chat').send({ text: status })
  return [all, one, n149, data[0]?.title, id, chunk?.n] satisfies (number | string | undefined)[]
}

// With an implicit any, none of these would be an error.
export async function lookAgain() {
  // @ts-expect-error -- a route of the API itself
  void (await client.call('GET /api/status')).nope
  // @ts-expect-error -- a route of a mounted router
  void (await client.call('GET /api/reports')).nope
  // @ts-expect-error -- its input
  void client.call('POST /api/reports/:id', { year: '2026' }, { params: { id: 7 } })
  // @ts-expect-error -- a route of a large router
  void (await client.call('GET /api/many/r149')).nope
  // @ts-expect-error -- a resource
  void (await client.call('GET /api/v2/tasks')).data[0]?.nope
  // @ts-expect-error -- its input
  void client.call('POST /api/v2/tasks', { title: 7 })
  // @ts-expect-error -- an agent
  void (await client.call('POST /agent/count', {}))[0]?.nope
  // @ts-expect-error -- a socket
  client.socket('/ws/chat').send({ nope: 1 })
  // @ts-expect-error -- a route that is not in the type of its router: unknown
  void (await client.call('GET /api/untyped')).nope
  // @ts-expect-error -- no such route
  void client.call('GET /api/nope')
}
`,
}

describe('sdk types', () => {
  const project = createDemoProject()

  beforeAll(async () => {
    project.remove('src/web')
    for (const [file, text] of Object.entries(FILES)) project.write(file, text)
    const types = await startProcess({ command: process.execPath, args: [SDK, 'types'], cwd: project.path })
    expect((await types.exited).code, types.output()).toBe(0)
  })

  it('references the file that defines each route', () => {
    const lines = project.read('src/sdk-routes.d.ts').split('\n')
    expect(lines.filter((line) => !line.includes('many')).slice(3)).toEqual([
      `declare module '@sdk/protocol' {`,
      `  interface Routes {`,
      ...['DELETE /api/v2/tasks/:id'].map(ofTasks),
      `    'GET /api/reports': RoutesOf<typeof import('./api/reports.ts').reports>['GET /']`,
      `    'GET /api/status': RoutesOf<typeof import('./api/index.ts').default>['GET /api/status']`,
      `    'GET /api/untyped': RoutesOf<typeof import('./api/index.ts').default>['GET /api/untyped']`,
      ...['GET /api/v2/tasks', 'GET /api/v2/tasks/:id', 'PATCH /api/v2/tasks/:id'].map(ofTasks),
      `    'POST /agent/count': typeof import('./agent/count/index.ts').default`,
      `    'POST /agent/hello': typeof import('./agent/hello/index.ts').default`,
      `    'POST /api/reports/:id': RoutesOf<typeof import('./api/reports.ts').reports>['POST /:id']`,
      ...['POST /api/v2/tasks', 'PUT /api/v2/tasks/:id'].map(ofTasks),
      `  }`,
      `  interface Sockets {`,
      `    '/ws/chat': typeof import('./api/chat.ts').chat`,
      `  }`,
      `}`,
      '',
    ])
  })

  it('generates types for every route, none of them any', async () => {
    expect(await compileProject(project.path)).toBe('')
  })
})

function ofTasks(route: string): string {
  return `    '${route}': ResourceRoutes<'v2', typeof import('./api/tasks.ts').tasks>['${route}']`
}
