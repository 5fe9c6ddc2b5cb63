/** A kind of module that `sdk add` can add to a project. */
export type AddableKind = 'agent' | 'route' | 'socket' | 'resource' | 'chat' | 'mcp'

/** Values for a template. */
export interface TemplateOptions {
  /** The name as given, such as `daily-report`. */
  readonly name: string
  /** The name as a variable, such as `dailyReport`. */
  readonly variable: string
  /** Whether the project depends on `@sdk/database`. */
  readonly hasDatabase: boolean
  /** Whether `src/database.ts` exports a database. */
  readonly sharesDatabase: boolean
  /** The resource that each row of a new resource belongs to, or null. */
  readonly belongsTo: string | null
}

/** Returns the source of a working agent with example schemas. */
export function agentSource({ name }: TemplateOptions): string {
  return `import { createAgent } from '@sdk/server'
import { z } from 'zod'

export default createAgent('${name}', {
  description: 'Echoes its input',
  input: z.object({ text: z.string().min(1) }),
  output: z.object({ text: z.string() }),
  handler(ctx, input) {
    ctx.log.info('${name}', { length: input.text.length })
    return { text: input.text }
  },
})
`
}

/** The source of an agent's `index.ts`. */
export const AGENT_INDEX = `export { default } from './agent.ts'\n`

/** Returns the source of a router with routes under one path. */
export function routeSource({ variable, name }: TemplateOptions): string {
  return `import { createRouter } from '@sdk/server'

/** The routes under /api/${name}. */
export const ${variable} = createRouter()
  .on('GET /', () => ({ ${variable}: 'ok' }))
  .on('GET /:id', (ctx) => ({ id: ctx.params.id }))
`
}

/** Returns the source of a socket with one room. */
export function socketSource({ variable, name }: TemplateOptions): string {
  return `import { createSocket } from '@sdk/server'
import { z } from 'zod'

export const ${variable} = createSocket({
  description: 'Sends each message to all clients',
  receive: z.object({ text: z.string().min(1).max(2000) }),
  send: z.object({ from: z.string(), text: z.string() }),
  async open(peer) {
    await peer.join('${name}')
  },
  async message(peer, message) {
    const user = await peer.auth?.getUser()
    await peer.publish('${name}', { from: user?.name ?? 'guest', text: message.text })
  },
})
`
}

/** Returns the source of a resource that is stored in the database, or in memory if the project has no database. */
export function resourceSource(facts: TemplateOptions): string {
  const { name, variable, hasDatabase, sharesDatabase, belongsTo } = facts
  const parent = belongsTo === null ? null : `${toSingular(belongsTo)}Id`
  const lines = hasDatabase
    ? [
        `import { table } from '@sdk/database'`,
        `import { createResource } from '@sdk/server'`,
        `import { z } from 'zod'`,
      ]
    : [`import { createResource, memoryStore } from '@sdk/server'`, `import { z } from 'zod'`]
  if (hasDatabase && sharesDatabase) lines.push(`import { database } from '../database.ts'`)
  const tableName = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const store = sharesDatabase ? `table('${tableName}', { database })` : `table('${tableName}')`
  return `${lines.join('\n')}

export const ${variable} = createResource('${name}', {
  schema: z.object({
    title: z.string().trim().min(1).max(200),
    done: z.boolean().default(false),${parent === null ? '' : `\n    ${parent}: z.int(),`}
  }),
  store: ${hasDatabase ? store : 'memoryStore()'},${hasDatabase ? '' : ' // rows are lost at every restart: npm install @sdk/database'}
  access: 'public', // for rows that only their owner sees: ({ user }) => (user ? { ownerId: user.id } : false)
  filter: ['done'${parent === null ? '' : `, '${parent}'`}],
  sort: ['createdAt'],${parent === null ? '' : `\n  references: { ${parent}: { to: '${belongsTo}', onDelete: 'cascade' } },`}
})
`
}

/** Returns the source of a route that offers agents to MCP clients. */
export function mcpSource(agents: readonly string[]): string {
  return `import { mcp } from '@sdk/mcp'

/** The routes that MCP clients can call as tools. Add others to the list, such as 'GET /api/v1/tasks'. */
export const mcpRoute = mcp([${agents.map((name) => `'POST /agent/${name}'`).join(', ')}])
`
}

/** Returns the singular of a resource's name. */
export function toSingular(name: string): string {
  if (/[^aeiou]ies$/.test(name)) return `${name.slice(0, -3)}y`
  return name.replace(/(?<=ss|x|ch|sh)es$|(?<=[^s])s$/, '')
}

/** The source of an empty API. */
export const EMPTY_API = `import { createRouter } from '@sdk/server'

export default createRouter()
`
