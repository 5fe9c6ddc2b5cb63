import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as auth from '@sdk/auth'
import * as authClient from '@sdk/auth/client'
import { discover } from '@sdk/cli'
import { createProject } from '@sdk/create'
import * as frontend from '@sdk/frontend'
import * as react from '@sdk/react'
import { createAgent, createApp, createLog, createResource, memoryStore, serve } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { temporaryFolder } from '@sdk/test-kit'
import { createWorkbench, openRecording, workbenchHeaders } from '@sdk/workbench'
import { createElement } from 'react'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { goTo, Public, renderHook, waitFor } from './page.ts'
import type { Apps, Section } from './section.ts'

const resolver = createRequire(import.meta.url)

/** Section 1. */
export const section1: Section = {
  number: '1',
  title: 'purpose of the service',
  tests(apps) {
    testEndpoints(apps)
    testPackages()
    testProvider(apps)
    testLayout()
  },
}

function testEndpoints(apps: Apps): void {
  it('1.1 endpoints respond with JSON, also for errors', async () => {
    for (const line of ['GET /api/v1/tasks', 'GET /api/v1/tasks/0', 'GET /api/nowhere'])
      expect((await apps.open.call(line)).headers['content-type']).toBe('application/json')
  })

  it('1.1 createResource throws if the name is not in camelCase', () => {
    const define = (name: string) => () =>
      createResource(name, { schema: z.object({}), store: memoryStore(), access: 'public' })
    for (const name of ['create task', 'tasks/create', 'create-task', 'Tasks']) expect(define(name)).toThrow(TypeError)
  })

  it('1.1 one URL accepts the methods of all actions, and a URL with a verb returns 404', async () => {
    const item = await apps.open.call('OPTIONS /api/v1/tasks/1')
    expect(item.headers['allow']?.split(', ').toSorted()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'])
    for (const line of ['POST /api/v1/tasks/1/delete', 'GET /api/v1/getTasks'])
      expect((await apps.open.call(line)).status).toBe(404)
  })

  it('1.2 agents are served under /agent, other routes under /api', async () => {
    expect((await apps.open.call('POST /agent/echo', 'hello')).body).toMatchObject({ input: 'hello' })
    expect((await apps.open.call('GET /api/tenant')).body).toEqual({ tenant: null })
    expect((await apps.open.call('POST /api/echo', 'hello')).status).toBe(404)
    expect((await apps.open.call('GET /tenant')).status).toBe(404)
  })
}

function testPackages(): void {
  it('1.3 @sdk/react exports hooks and providers', () => {
    const { useAPI, useWebsocket, useAuth, SdkProvider, AuthProvider } = react
    const all = [useAPI, useWebsocket, useAuth, SdkProvider, AuthProvider]
    expect(all.map((way) => typeof way)).toEqual(all.map(() => 'function'))
  })

  it('1.3 @sdk/frontend exports helpers for URLs and sockets without a framework, and @sdk/react uses it', () => {
    expect(frontend.buildUrl('https://x.dev/', '/api/v1/tasks/:id', { params: { id: 7 }, query: { full: true } })).toBe(
      'https://x.dev/api/v1/tasks/7?full=true',
    )
    expect(typeof frontend.createReconnectingSocket).toBe('function')
    expect(dependenciesOf('@sdk/frontend')).toEqual(['@sdk/protocol'])
    expect(dependenciesOf('@sdk/react')).toContain('@sdk/frontend')
  })

  it('1.3 @sdk/auth exports functions for server and client, and uses better-auth', () => {
    const ofServer = [auth.createAuth, auth.mountAuthRoutes, auth.createSessionMiddleware]
    expect([...ofServer, authClient.createAuthClient].map((way) => typeof way)).toEqual(Array(4).fill('function'))
    expect(dependenciesOf('@sdk/auth')).toContain('better-auth')
  })

  it('1.3 @sdk/workbench lists the agents of an app', async () => {
    const log = createLog({ write: () => {} })
    const app = createApp({ agents: [createAgent('hello', { handler: () => 'hi' })], log })
    const recording = openRecording({ root: temporaryFolder('spec').path })
    const workbench = createWorkbench({ app, recording, log })
    const server = await serve(recording.recordApp(app), { port: 0, signals: false, fallback: workbench.handle })
    goTo(server.url)
    const link = workbench.linkAt(server.url)
    await fetch(link, { redirect: 'manual' })
    const headers = workbenchHeaders(server.url, new URL(link).searchParams.get('token') ?? '')
    const manifest = await fetch(`${server.url}/_workbench/api/manifest`, { headers })
    expect([manifest.status, await manifest.text()]).toEqual([200, expect.stringContaining('POST /agent/hello')])
    await workbench.close()
    await server.close()
    await recording.close()
  })
}

function testProvider(apps: Apps): void {
  it('1.4 useAPI works inside the provider and throws an error that names it outside', async () => {
    goTo(apps.open.url)
    const { result } = renderHook(() => react.useAPI('GET /api/tenant'), { wrapper: Public })
    await waitFor(() => expect(result.current.data).toEqual({ tenant: null }))
    vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(() => renderHook(() => react.useAPI('GET /api/tenant'))).toThrow('<SdkProvider>')
    vi.restoreAllMocks()
  })

  it('1.5 baseUrl defaults to the origin of the page', async () => {
    goTo(`${apps.open.url}/some/page?of=it`)
    const { result } = renderHook(() => react.useSdk().client.url('/api/tenant'), { wrapper: Public })
    expect(result.current).toBe(`${apps.open.url}/api/tenant`)
  })

  it('1.5 the provider warns if baseUrl equals the default', () => {
    goTo('http://own.test')
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    renderHook(() => react.useSdk().client.url('/api/tenant'), { wrapper: providerOf('http://own.test') })
    expect(warn.mock.calls.join()).toContain('is the default: remove it')
    vi.restoreAllMocks()
  })

  it('1.5 baseUrl sets the server for a page on another origin', async () => {
    goTo('http://elsewhere.test')
    const wrapper = providerOf(apps.open.url)
    const { result } = renderHook(() => react.useAPI('GET /api/tenant'), { wrapper })
    await waitFor(() => expect(result.current.data).toEqual({ tenant: null }))
  })
}

function testLayout(): void {
  const FILES = {
    'src/agent/hello/agent.ts': `import { createAgent } from '@sdk/server'
      export default createAgent('hello', { handler: async (ctx, input) => ({ hello: input }) })`,
    'src/agent/hello/index.ts': `export { default } from './agent.ts'`,
    'src/api/index.ts': `import { createRouter } from '@sdk/server'
      export default createRouter().on('GET /api/status', () => ({ status: 'ok' }))`,
    'src/web/index.tsx': '',
  }

  it('1 agents, API and web app are loaded from their folders', async () => {
    const { path } = temporaryFolder('spec')
    symlinkSync(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(path, 'node_modules'))
    for (const [file, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...FILES })) {
      mkdirSync(dirname(join(path, file)), { recursive: true })
      writeFileSync(join(path, file), text)
    }
    const app = await testApp(path)
    expect(await app.agent('hello').call('Ada')).toEqual({ hello: 'Ada' })
    expect(await app.call('GET /api/status')).toEqual({ status: 'ok' })
    await app.close()
    expect(discover(path).web).toEqual({ folder: join(path, 'src/web'), html: null })
  })

  it('1 a new project has the same folders', () => {
    const directory = join(temporaryFolder('spec').path, 'app')
    createProject({ directory, template: 'default' })
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    const agents = files.filter((file) => /^src\/agent\/\w+\/(?:agent|index)\.ts$/.test(file))
    expect(agents.toSorted()).toEqual(['src/agent/plan/agent.ts', 'src/agent/plan/index.ts'])
    expect(files).toEqual(
      expect.arrayContaining(['src/api/index.ts', 'src/web/App.tsx', 'src/web/index.tsx', 'src/web/components']),
    )
  })
}

/** A provider with the URL of the server. */
function providerOf(baseUrl: string): typeof Public {
  return ({ children }) => createElement(react.SdkProvider, { baseUrl }, children)
}

/** Returns the names of a package's dependencies. */
function dependenciesOf(name: string): string[] {
  const manifest = JSON.parse(readFileSync(resolver.resolve(`${name}/package.json`), 'utf8')) as {
    dependencies: object
  }
  return Object.keys(manifest.dependencies)
}
