import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@sdk/test-kit'

const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "demo", "type": "module" }\n',
  'src/agent/hello/words.ts': `export const word = 'zero'\n`,
  'src/agent/hello/index.ts': `import { createAgent } from '@sdk/server'
import { word } from './words.ts'

export default createAgent('hello', { handler: () => word })
`,
  'src/agent/count/index.ts': `import { createAgent } from '@sdk/server'

export default createAgent('count', {
  description: 'Counts',
  async *handler(ctx, input: unknown) {
    const { to, pause = 0 } = input as { to: number; pause?: number }
    ctx.log.info('counting')
    for (let n = 1; n <= to; n++) {
      yield { n }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  },
})
`,
  'src/api/index.ts': `// imports
import { createRouter } from '@sdk/server'

export default createRouter().on('GET /api/status', () => ({ status: 'ok' }))
`,
  'src/web/index.tsx': `import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'

createRoot(document.getElementById('root') as HTMLElement).render(<App />)
`,
  'src/web/App.tsx': `export function App() {
  return <label>Hello from the page <input /></label>
}
`,
}

/** The files of a small project. */
export interface DemoProject {
  readonly path: string
  read(file: string): string
  write(file: string, text: string): void
  edit(file: string, from: string, to: string): void
  remove(file: string): void
  rename(from: string, to: string): void
}

/** Creates a small project with the packages of this clone: these files, or others. */
export function createDemoProject(contents: Readonly<Record<string, string>> = FILES, name = ''): DemoProject {
  const path = join(temporaryFolder('cli').path, name)
  mkdirSync(path, { recursive: true })
  symlinkSync(NODE_MODULES, join(path, 'node_modules'))
  const files: DemoProject = {
    path,
    read: (file) => readFileSync(join(path, file), 'utf8'),
    write(file, text) {
      mkdirSync(dirname(join(path, file)), { recursive: true })
      writeFileSync(join(path, file), text)
    },
    edit(file, from, to) {
      if (!files.read(file).includes(from)) throw new Error(`${file} has no ${from}`)
      files.write(file, files.read(file).replace(from, to))
    },
    remove: (file) => rmSync(join(path, file), { recursive: true }),
    rename: (from, to) => renameSync(join(path, from), join(path, to)),
  }
  for (const [file, text] of Object.entries(contents)) files.write(file, text)
  return files
}
