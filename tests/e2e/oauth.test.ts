import { type RunningProcess, startProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'
import { build, SDK, URL_LINE } from './build-project.ts'
import { createDemoProject } from './demo-project.ts'

const project = createDemoProject()
project.write(
  'src/api/index.ts',
  `import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createRouter } from '@sdk/server'

const mcp = { loginPage: '/login', consentPage: '/consent' }
const auth = createAuth({ connectionString: process.env['DATABASE_URL'] ?? 'pglite://memory', mcp })

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .on('POST /api/mcp', () => ({ done: true }))
`,
)
project.write('src/web/public/.well-known/security.txt', 'Contact: mailto:security@example.com')

// Both find the documents in the same router, so a short run builds nothing.
describe.each(choose(['dev', 'start'], ['dev']))('OAuth in sdk %s', (command) => {
  let running: RunningProcess
  let url: string
  beforeAll(async () => {
    if (command === 'start') expect(await build(project)).toEqual({ code: 0, output: expect.any(String) as string })
    const env = {
      DATABASE_URL: 'pglite://memory',
      AUTH_SECRET: 'Zb3xV9qLw7Rk2Tn5Yc8Hd4Jf6Gs1Pm0Aa',
      ...(command === 'start' && { AUTH_URL: 'https://app.example.com' }),
    }
    const args = [SDK, command, '--port', '0']
    running = await startProcess({ command: process.execPath, args, cwd: project.path, env })
    url = URL_LINE.exec(await running.waitFor(URL_LINE))?.[0] ?? ''
  })
  afterAll(() => running?.stop())

  it('serves its documents beside the files of the web app', async () => {
    const origin = command === 'start' ? 'https://app.example.com' : url
    const refused = await fetch(`${url}/api/mcp`, { method: 'POST' })
    const metadata = `/.well-known/oauth-protected-resource/api/mcp`
    expect(refused.headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${origin}${metadata}"`)
    const read = async (path: string): Promise<unknown> => (await fetch(url + path)).json()
    const resource = { resource: `${origin}/api/mcp`, authorization_servers: [`${origin}/api/auth`] }
    expect(await read(metadata)).toMatchObject(resource)
    expect(await read('/.well-known/oauth-protected-resource')).toMatchObject(resource)
    for (const path of ['', '/api/auth'])
      expect(await read(`/.well-known/oauth-authorization-server${path}`)).toMatchObject({
        issuer: `${origin}/api/auth`,
      })
    expect(await (await fetch(`${url}/.well-known/security.txt`)).text()).toContain('security@example.com')
  })

  it('answers preflights of every page', async () => {
    const headers = { origin: 'https://client.example', 'access-control-request-method': 'GET' }
    const preflight = await fetch(`${url}/.well-known/oauth-authorization-server`, { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  })
})
