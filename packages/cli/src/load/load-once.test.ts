import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openapi } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { discover } from '../discover.ts'
import { loadOnce } from './load-once.ts'
import { fileProject } from '../project.test.fixture.ts'

const CONFIGURED = {
  'sdk.config.ts': "export default { formatError: './src/format-error.ts' }\n",
}
const FORMAT_ERROR = 'export default ({ status, code }) => ({ status, body: { code } })\n'

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

  it('loads the formatError of sdk.config.ts', async () => {
    const { root } = fileProject({ ...CONFIGURED, 'src/format-error.ts': FORMAT_ERROR }, { isInstalled: true })
    const { app, problems } = await loadOnce(discover(root))
    const response = await app.fetch(new Request('http://localhost/api/nowhere'))
    expect([problems, response.status, await response.json()]).toEqual([[], 404, { code: 'NOT_FOUND' }])
    expect((await openapi(app)).components.schemas).not.toHaveProperty('Error')
    await app.close()
  })

  it.each([
    ['does not exist', {}, /format-error\.ts/],
    [
      'exports no function',
      { 'src/format-error.ts': 'export default 7' },
      /must be a function, got a number: write export/,
    ],
    [
      'has no default export',
      { 'src/format-error.ts': 'export const a = 1' },
      /default export is missing \(the file only/,
    ],
    ['throws', { 'src/format-error.ts': 'throw new Error("no way")' }, /no way/],
  ])('reports a formatError that %s and responds with the default envelope', async (_, files, message) => {
    const { root } = fileProject({ ...CONFIGURED, ...files }, { isInstalled: true })
    const { app, problems } = await loadOnce(discover(root))
    expect(problems).toEqual([
      expect.objectContaining({ route: 'formatError', message: expect.stringMatching(message) as unknown }),
    ])
    expect(await (await app.fetch(new Request('http://localhost/api/nowhere'))).json()).toHaveProperty('error.code')
    await app.close()
  })
})
