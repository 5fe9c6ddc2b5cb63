import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The installed command. */
export const SDK: string = join(ROOT, 'packages/cli/bin/sdk.js')

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "start", "type": "module" }\n',
  'src/agent/echo/index.ts': `import { createAgent } from '@sdk/server'

export default createAgent('echo', { handler: (_ctx, input: unknown) => input })
`,
  'src/api/index.ts': `import { createRouter } from '@sdk/server'

export default createRouter().on('GET /api/status', () => ({ status: 'ok' }))
`,
  'src/web/index.tsx': `import { createRoot } from 'react-dom/client'

createRoot(document.getElementById('root') as HTMLElement).render(<h1>Hello</h1>)
`,
}

/** The same project with rows in a database. */
export const WITH_DATABASE: Readonly<Record<string, string>> = {
  ...FILES,
  'package.json':
    '{ "name": "start", "type": "module", "dependencies": { "@sdk/database": "*", "@sdk/server": "*", "zod": "*" } }\n',
  'src/api/index.ts': `import { table } from '@sdk/database'
import { createResource, createRouter } from '@sdk/server'
import { z } from 'zod'

const notes = createResource('notes', { schema: z.object({ text: z.string() }), store: table('notes'), access: 'public' })
export default createRouter().on('GET /api/status', () => ({ status: 'ok' })).resource('v1', notes)
`,
}

/** Writes a small project with an agent, an API and a page, and builds it. */
export function buildProject(folder: string, files = FILES): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  execFileSync(process.execPath, [SDK, 'build'], { cwd: folder, stdio: 'ignore' })
}
