import { createDemoProject, type DemoProject } from '../demo-project.ts'

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "demo", "type": "module" }\n',
  'src/api/index.ts': `import { createAuth, createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { openDatabase, table } from '@sdk/database'
import { mcp } from '@sdk/mcp'
import { createResource, createRouter, requireScope } from '@sdk/server'
import { z } from 'zod'

const database = openDatabase()
const auth = createAuth({
  database,
  throttle: { signUp: { quota: 50, window: 60 } }, // all clients and users have one address
  mcp: {
    loginPage: '/login',
    consentPage: '/consent',
    registration: 'dynamic',
    resources: ['/api/mcp', '/api/other', '/api/write'],
    scopes: ['tasks:read', 'tasks:write'],
  },
})
const tasks = createResource('tasks', {
  schema: z.object({ title: z.string().max(99) }),
  store: table('tasks', { database, assigned: { ownerId: 'string' } }),
  access: ({ user }) => (user ? { ownerId: user.id } : false),
  assign: ({ user }) => ({ ownerId: user?.id ?? '' }),
})
const tools = { listTasks: 'GET /api/v1/tasks', createTask: 'POST /api/v1/tasks', clearTasks: 'POST /api/clear' }

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth))
  .use('/api/write', async (ctx, next) => {
    requireScope(ctx, 'tasks:write')
    return next()
  })
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))
  .resource('v1', tasks)
  .on('POST /api/clear', (ctx) => {
    requireScope(ctx, 'tasks:write')
    return { cleared: true }
  })
  .on('POST /api/mcp', mcp(tools))
  .on('POST /api/other', mcp(tools))
  .on('POST /api/write', mcp(tools))
`,
  'src/web/index.tsx': `import { createRoot } from 'react-dom/client'
import { Consent, Login } from './McpPages.tsx'

const Page = location.pathname === '/consent' ? Consent : Login
createRoot(document.getElementById('root') as HTMLElement).render(<Page />)
`,
  'src/web/McpPages.tsx': `import { createAuthClient } from '@sdk/auth/client'

const auth = createAuthClient()

export function Login() {
  const submit = async (data: FormData) => {
    const [email, password] = [String(data.get('email')), String(data.get('password'))]
    if (data.get('new')) await auth.signUp({ name: email, email, password })
    else await auth.signIn({ email, password })
    location.href = await auth.authorizeClient({ query: location.search })
  }
  return (
    <form action={submit}>
      <label>Email <input name="email" /></label>
      <label>Password <input name="password" type="password" /></label>
      <label>New <input name="new" type="checkbox" /></label>
      <button>Continue</button>
    </form>
  )
}

export function Consent() {
  const query = new URLSearchParams(location.search)
  const decide = async (accept: boolean) => {
    location.href = await auth.authorizeClient({ query: location.search, accept })
  }
  return (
    <>
      <p>Permissions: {query.get('scope')}</p>
      <button onClick={() => void decide(true)}>Allow</button>
      <button onClick={() => void decide(false)}>Deny</button>
    </>
  )
}
`,
}

/** Creates a project with users, tasks of each user, MCP routes, and a login and a consent page. */
export function createOAuthProject(): DemoProject {
  return createDemoProject(FILES)
}
