import type { CallToolResult, Client } from '@modelcontextprotocol/client'
import { type Database, openDatabase } from '@sdk/database'
import {
  type Browser,
  createDatabase,
  freePort,
  hasChromium,
  hasPostgres,
  type NodeProcess,
  type Page,
  shareBrowser,
  spawnNode,
} from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SDK, URL_LINE } from './build-project.ts'
import { installClient, type InstalledClient } from './mcp-oauth/client.ts'
import { createOAuthProject } from './mcp-oauth/project.ts'
import { sdkHere } from './sdk-here.ts'

/** A user with a browser. */
interface User {
  readonly email: string
  readonly page: Page
  /** Whether the user must sign up first. */
  isNew: boolean
  /** The pages that the browser showed. */
  readonly pages: string[]
}

const PASSWORD = 'a long password'
const METADATA = '/.well-known/oauth-protected-resource'

describe.skipIf(!hasChromium() || !hasPostgres())('OAuth with the official MCP client in a browser', () => {
  const installed: InstalledClient[] = []
  let [url, database, server, browser]: [string, Database, NodeProcess, Browser] = [] as never
  let ada: User
  let ofAda: InstalledClient

  beforeAll(async () => {
    const project = createOAuthProject()
    expect(await sdkHere(project.path, ['build'])).toEqual([0, expect.any(String)])
    const [port, databaseUrl] = await Promise.all([freePort(), createDatabase()])
    url = `http://127.0.0.1:${port}`
    const env = { DATABASE_URL: databaseUrl, AUTH_URL: url, AUTH_SECRET: 'Zb3xV9qLw7Rk2Tn5Yc8Hd4Jf6Gs1Pm0Aa' }
    const args = ['start', '--port', String(port)]
    ;[server, browser] = await Promise.all([
      spawnNode({ file: SDK, args, cwd: project.path, env, ready: URL_LINE }),
      shareBrowser(),
    ])
    database = openDatabase(databaseUrl)
    ada = await createUser('ada@example.com')
  })
  afterAll(async () => {
    for (const client of installed) client.close()
    await browser?.close()
    await server?.stop()
    await database?.close()
  })

  const createUser = async (email: string): Promise<User> => {
    const page = await (await browser.newContext()).newPage()
    return { email, page, isNew: true, pages: [] }
  }
  const install = async (user: User, scope?: string): Promise<InstalledClient> => {
    const client = await installClient({ open: (link) => approve(user, link), ...(scope !== undefined && { scope }) })
    installed.push(client)
    return client
  }
  /** Sends a message to an MCP route. Returns the status and the challenge. */
  const send = async (path: string, token?: string): Promise<[status: number, challenge: string | null]> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    await response.text()
    return [response.status, response.headers.get('www-authenticate')]
  }
  const invalidAt = (path: string): [number, string] => [
    401,
    `Bearer error="invalid_token", resource_metadata="${url}${METADATA}${path}"`,
  ]

  it('leads a client from a 401 to the rows of the user', async () => {
    expect(await send('/api/mcp')).toEqual([401, `Bearer resource_metadata="${url}${METADATA}/api/mcp"`])
    ofAda = await install(ada)
    const client = await ofAda.connect(`${url}/api/mcp`)
    expect(ada.pages).toEqual(['/login', '/consent: tasks:read tasks:write offline_access', '/callback'])
    expect(ofAda.authorizations).toHaveLength(1)
    await client.callTool({ name: 'createTask', arguments: { title: 'Tea of Ada' } })

    const bob = await createUser('bob@example.com')
    const other = await (await install(bob)).connect(`${url}/api/mcp`)
    await other.callTool({ name: 'createTask', arguments: { title: 'Tea of Bob' } })
    expect(await titles(client)).toEqual(['Tea of Ada'])
    expect(await titles(other)).toEqual(['Tea of Bob'])
  })

  it('accepts a token only at the resource that the user approved', async () => {
    const token = tokenOf(ofAda)
    expect((await send('/api/mcp', token))[0]).toBe(200)
    expect(await send('/api/other', token)).toEqual(invalidAt('/api/other'))
    expect(await send('/api/v1/tasks', token)).toEqual([401, 'Bearer'])
  })

  it('requires no sign-in for a second resource, but the approval of the user', async () => {
    ada.pages.length = 0
    const client = await (await install(ada)).connect(`${url}/api/other`)
    expect(ada.pages).toEqual([expect.stringContaining('/consent'), '/callback'])
    expect(await titles(client)).toEqual(['Tea of Ada'])
  })

  it('renews an expired token without the user', async () => {
    const expired = tokenOf(ofAda)
    await database.query(`update "oauthAccessToken" set "expiresAt" = now() - interval '1 second'`)
    expect(await send('/api/mcp', expired)).toEqual(invalidAt('/api/mcp'))
    const client = await ofAda.connect(`${url}/api/mcp`)
    expect(ofAda.authorizations).toHaveLength(1)
    expect(tokenOf(ofAda)).not.toBe(expired)
    expect(await titles(client)).toEqual(['Tea of Ada'])
  })

  it('rejects a revoked token', async () => {
    const token = tokenOf(ofAda)
    const body = new URLSearchParams({ client_id: ofAda.id(), token })
    expect((await fetch(`${url}/api/auth/oauth2/revoke`, { method: 'POST', body })).status).toBe(200)
    expect(await send('/api/mcp', token)).toEqual(invalidAt('/api/mcp'))
  })

  describe('without a scope', () => {
    it('returns the error of a tool to the model', async () => {
      const client = await (await install(ada, 'tasks:read')).connect(`${url}/api/mcp`)
      expect(await titles(client)).toEqual(['Tea of Ada'])
      const { isError, content } = await client.callTool({ name: 'clearTasks' })
      expect([isError, JSON.parse(textOf(content))]).toEqual([
        true,
        {
          error: {
            code: 'INSUFFICIENT_SCOPE',
            message: 'the access token needs the scope tasks:write',
            details: [],
          },
        },
      ])
    })

    it('leads the client to another approval if the MCP route requires the scope', async () => {
      ada.pages.length = 0
      const narrow = await install(ada, 'tasks:read')
      const client = await narrow.connect(`${url}/api/write`)
      expect(ada.pages).toEqual([
        '/consent: tasks:read offline_access',
        '/callback',
        '/consent: tasks:read offline_access tasks:write',
        '/callback',
      ])
      const challenge = `Bearer error="insufficient_scope", scope="tasks:write", resource_metadata="${url}${METADATA}/api/write"`
      expect(await send('/api/write', narrow.tokens[0]?.access_token)).toEqual([403, challenge])
      expect(await client.callTool({ name: 'clearTasks' })).toMatchObject({ structuredContent: { cleared: true } })
    })
  })
})

/** Signs the user in if necessary, and approves the client. */
async function approve(user: User, link: URL): Promise<void> {
  const { page, pages, email } = user
  await page.goto(link.href)
  for (;;) {
    const { pathname, searchParams } = new URL(page.url())
    pages.push(pathname === '/consent' ? `/consent: ${searchParams.get('scope')}` : pathname)
    if (pathname === '/login') {
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByLabel('New').setChecked(user.isNew)
      user.isNew = false
      await page.getByRole('button', { name: 'Continue' }).click()
    } else if (pathname === '/consent') await page.getByRole('button', { name: 'Allow' }).click()
    else return
    await page.waitForURL((next) => next.pathname !== pathname)
  }
}

async function titles(client: Client): Promise<string[]> {
  const { structuredContent } = await client.callTool({ name: 'listTasks' })
  return (structuredContent as { data: { title: string }[] }).data.map(({ title }) => title)
}

function tokenOf({ tokens }: InstalledClient): string {
  return tokens.at(-1)?.access_token ?? ''
}

function textOf([block]: CallToolResult['content']): string {
  return block?.type === 'text' ? block.text : ''
}
