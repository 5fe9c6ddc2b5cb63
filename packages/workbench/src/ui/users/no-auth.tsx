import type { ReactNode } from 'react'
import { CodeBlock } from '../components/code-block.tsx'
import { Empty } from '../components/empty.tsx'

const AUTH_SOURCE = `// src/auth.ts
import { createAuth } from '@sdk/auth'
import { database } from './database.ts'

export const auth = createAuth({ database })`

const DATABASE_SOURCE = `// src/database.ts
import { openDatabase } from '@sdk/database'

export const database = openDatabase()`

const ROUTER_SOURCE = `// src/api/index.ts
import { createSessionMiddleware, mountAuthRoutes } from '@sdk/auth'
import { createRouter } from '@sdk/server'
import { auth } from '../auth.ts'

export default createRouter()
  .use('/api/*', createSessionMiddleware(auth, { optional: true }))
  .on('GET|POST /api/auth/*', mountAuthRoutes(auth))`

/** How to give an app users. */
export function NoAuth(): ReactNode {
  return (
    <div className="page">
      <h1>Users</h1>
      <Empty title="This app has no users to choose from">
        <p>
          With @sdk/auth people sign up and in, and ctx.auth says who calls. Save these, and their users appear here.
        </p>
        <CodeBlock title="Packages" code="npm install @sdk/auth @sdk/database" />
        <CodeBlock title="A database" code={DATABASE_SOURCE} />
        <CodeBlock title="Users and sessions in it" code={AUTH_SOURCE} />
        <CodeBlock title="Who calls, and the routes to sign in" code={ROUTER_SOURCE} />
      </Empty>
    </div>
  )
}
