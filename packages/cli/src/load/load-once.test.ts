import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { discover } from '../discover.ts'
import { loadOnce } from './load-once.ts'
import { fileProject } from '../project.test.fixture.ts'

describe('loadOnce', () => {
  it('does not change the optimized dependencies of a running sdk dev', async () => {
    const web = "import { createRoot } from 'react-dom/client'\nconsole.log(createRoot)\n"
    const { root } = fileProject({ 'src/web/index.tsx': web }, { isInstalled: true })
    const prepared = join(root, '.sdk/vite/deps')
    mkdirSync(prepared, { recursive: true })
    writeFileSync(join(prepared, 'react-dom_client.js'), 'export {}')
    const { app } = await loadOnce(discover(root))
    await app.close()
    expect(existsSync(join(prepared, 'react-dom_client.js'))).toBe(true)
    expect(existsSync(join(prepared, '_metadata.json'))).toBe(false)
  })
})
