import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWeb } from './build/bundle-web.ts'
import { discover } from './discover.ts'
import { fileProject } from './project.test.fixture.ts'
import { viteLoadConfig } from './vite-config.ts'

const project = fileProject(
  {
    'src/api/articles.ts': `export const fields = { title: 'text' }\nexport interface Article { title: string }\n`,
    'src/api/plain.js': `export const limit = 10\n`,
    'src/api/list.tsx': `export const List = () => <p>rows</p>\n`,
    'src/api/card.css': `.card { color: teal }\n`,
    'src/api/logo.svg': `<svg xmlns="http://www.w3.org/2000/svg" />\n`,
    'src/api/countries.json': `["NZ"]\n`,
    'src/agent/plan/index.ts': `export const steps = 4\n`,
    'src/auth.ts': `export const auth = 'secret'\n`,
    'src/database.ts': `import { openDatabase } from '@sdk/database'\nexport const database = openDatabase()\n`,
    'src/shared/two.ts': `export { fields } from '../api/articles.ts'\n`,
    'src/shared/one.ts': `export * from './two.ts'\n`,
    'src/shared/hash.ts': `import { createHash } from 'node:crypto'\nexport const hash = createHash\n`,
    'src/shared/schema.ts': `export const schema = { title: 'text' }\n`,
    'src/web/src/api/client.ts': `export const client = 1\n`,
    'src/web/page.tsx': '',
    'src/web/index.tsx': `import './page.tsx'\n`,
    'src/web/worker.ts': `import { fields } from '../api/articles.ts'\npostMessage(fields)\n`,
  },
  { isInstalled: true },
)

const PAGE = 'src/web/page.tsx'

/** The kind, the page's code, and the rejected import: the file, the module, and the files in between. */
const REJECTED: readonly [form: string, page: string, file: string, module: string, between?: string][] = [
  ['a static import', `import { fields } from '../api/articles.ts'\nconsole.log(fields)`, PAGE, 'src/api/articles.ts'],
  ['an import without its extension', `import { fields } from '../api/articles'\nfields`, PAGE, 'src/api/articles.ts'],
  ['an import for its effects', `import '../api/articles.ts'`, PAGE, 'src/api/articles.ts'],
  ['a re-export', `export { fields } from '../api/articles.ts'`, PAGE, 'src/api/articles.ts'],
  ['a dynamic import', `void import('../api/articles.ts')`, PAGE, 'src/api/articles.ts'],
  ['a glob', `console.log(import.meta.glob('../api/articles.ts'))`, PAGE, 'src/api/articles.ts'],
  ['a .js file', `import { limit } from '../api/plain.js'\nlimit`, PAGE, 'src/api/plain.js'],
  ['a .tsx file', `import { List } from '../api/list.tsx'\nList`, PAGE, 'src/api/list.tsx'],
  ['an agent', `import { steps } from '../agent/plan/index.ts'\nsteps`, PAGE, 'src/agent/plan/index.ts'],
  ['src/auth.ts', `import { auth } from '../auth.ts'\nauth`, PAGE, 'src/auth.ts'],
  ['src/database.ts', `import { database } from '../database.ts'\ndatabase`, PAGE, 'src/database.ts'],
  ['a server package', `import { createRouter } from '@sdk/server'\ncreateRouter`, PAGE, '@sdk/server'],
  ['an entry of a server package', `import { serve } from '@sdk/server/node'\nserve`, PAGE, '@sdk/server/node'],
  ['a module of Node', `import { join } from 'node:path'\njoin`, PAGE, 'node:path'],
  ['a module of Node without its prefix', `import { join } from 'path'\njoin`, PAGE, 'path'],
  [
    'a deep chain',
    `import { fields } from '../shared/one.ts'\nfields`,
    'src/shared/two.ts',
    'src/api/articles.ts',
    'src/web/page.tsx → src/shared/one.ts → ',
  ],
  [
    'a chain to a module of Node',
    `import { hash } from '../shared/hash.ts'\nhash`,
    'src/shared/hash.ts',
    'node:crypto',
    'src/web/page.tsx → ',
  ],
]

const ALLOWED: readonly [form: string, page: string][] = [
  ['import type', `import type { Article } from '../api/articles.ts'\nexport const a: Article = { title: '' }`],
  ['an import of types only', `import { type Article } from '../api/articles.ts'\nexport type B = Article`],
  ['a type of a server package', `import type { Context } from '@sdk/server'\nexport type C = Context`],
  ['CSS', `import '../api/card.css'`],
  ['an image', `import logo from '../api/logo.svg'\nconsole.log(logo)`],
  ['JSON', `import list from '../api/countries.json'\nconsole.log(list)`],
  ['the text of a file', `import text from '../api/articles.ts?raw'\nconsole.log(text)`],
  ['a folder of the web app with the same name', `import { client } from './src/api/client.ts'\nconsole.log(client)`],
  ['a shared file', `import { schema } from '../shared/schema.ts'\nconsole.log(schema)`],
  ['the client of @sdk/auth', `export * from '@sdk/auth/client'`],
]

function write(page: string): void {
  project.write({ 'src/web/page.tsx': `${page}\n` })
}

describe('serverOnlyPlugin in sdk build', () => {
  const outDir = join(temporaryFolder('server-only').path, 'web')
  const build = (): Promise<unknown> => bundleWeb(discover(project.root), { config: {}, outDir })

  it.each(REJECTED)('rejects %s', async (_, page, file, module, between = '') => {
    write(page)
    const failure: unknown = await build().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'LOAD_FAILED' })
    const text = (failure as { lines: string[] }).lines.join('\n')
    expect(text).toContain(`${file} is part of the web app and imports ${module}, which only runs on the server`)
    expect(text).toContain(`(src/web/index.tsx → ${between}${file} → ${module})`)
  })

  it('reports the file, the line and the import chain', async () => {
    write(`// the page\nimport { fields } from '../shared/one.ts'\nfields`)
    const { lines } = (await build().catch((error: unknown) => error)) as { lines: string[] }
    expect(lines.join('\n')).toMatchInlineSnapshot(`
      "✗ src/shared/two.ts:1:25
        src/shared/two.ts is part of the web app and imports src/api/articles.ts, which only runs on the server: move shared code to a file such as src/shared/schemas.ts, and import types with import type (src/web/index.tsx → src/web/page.tsx → src/shared/one.ts → src/shared/two.ts → src/api/articles.ts)
        > 1 | export { fields } from '../api/articles.ts'
            |                         ^
          2 |"
    `)
  })

  it('rejects a server import in a worker', async () => {
    write(`new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })`)
    const { lines } = (await build().catch((error: unknown) => error)) as { lines: string[] }
    expect(lines.join('\n')).toContain('src/web/worker.ts is part of the web app and imports src/api/articles.ts')
  })

  it('accepts allowed imports', async () => {
    write(ALLOWED.map(([, page]) => page).join('\n'))
    await expect(build()).resolves.toBeDefined()
  })
})

describe('serverOnlyPlugin in sdk dev', () => {
  let vite: ViteDevServer

  beforeAll(async () => {
    vite = await createServer({ ...viteLoadConfig(discover(project.root)), logLevel: 'silent' })
  })
  afterAll(() => vite.close())

  /** Loads the page as a browser does, file by file. Returns the first error. */
  async function load(url = '/index.tsx', seen = new Set<string>()): Promise<Error | null> {
    if (seen.has(url)) return null
    seen.add(url)
    try {
      await vite.environments.client.transformRequest(url)
    } catch (error) {
      return error as Error
    }
    const module = await vite.environments.client.moduleGraph.getModuleByUrl(url)
    for (const next of module?.importedModules ?? []) {
      // Vite lists the text of a file as an import of the file, which browsers never request.
      const isSkipped = next.file === module?.file || /^\/@(?!fs)/.test(next.url)
      const error = isSkipped ? null : await load(next.url, seen)
      if (error !== null) return error
    }
    return null
  }

  async function visit(page: string): Promise<Error | null> {
    write(page)
    await vite.environments.client.pluginContainer.watchChange(join(project.root, 'src/web/page.tsx'), {
      event: 'update',
    })
    vite.environments.client.moduleGraph.invalidateAll()
    return load()
  }

  it.each(REJECTED)('rejects %s', async (_, page, file, module, between = '') => {
    const error = await visit(page)
    expect(error?.message).toContain(
      `${file} is part of the web app and imports ${module}, which only runs on the server`,
    )
    expect(error?.message).toContain(`(src/web/index.tsx → ${between}${file} → ${module})`)
    expect(error).toMatchObject({ loc: { file: join(project.root, file) } })
  })

  it.each(ALLOWED)('accepts %s', async (_, page) => {
    expect(await visit(page)).toBeNull()
  })
})
