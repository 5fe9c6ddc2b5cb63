import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { bundle } from '../bundle.ts'

const FILE = join(import.meta.dirname, '../../../examples/tasks/src/web/components/DevLinks.tsx')
const PROGRAM = `import { renderToStaticMarkup } from 'react-dom/server'
import { DevLinks } from ${JSON.stringify(FILE)}

export const html = renderToStaticMarkup(<DevLinks />)
`

/** Returns the HTML of the links that the showcase has only in development. */
export async function renderDevLinks(mode: 'development' | 'production'): Promise<string> {
  const folder = temporaryFolder('dev-links')
  const file = join(folder.path, 'links.cjs')
  writeFileSync(file, await bundle({ files: { 'links.tsx': PROGRAM }, mode, platform: 'node' }))
  const { html } = createRequire(file)(file) as { html: string }
  folder.remove()
  return html
}
