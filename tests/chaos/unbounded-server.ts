// Agents and sockets whose schemas set no maximum, as beginners write them, and two that declare a maximum.
import { createAgent, createApp, createRouter, createSocket, serve } from '@sdk/server'
import { z } from 'zod'

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `field${at}`)
const textsOf = (count: number) => z.object(Object.fromEntries(names(count).map((name) => [name, z.string()])))
const kinds = ['text', 'image', 'file', 'call', 'result', 'error'] as const
const [first, ...others] = kinds.map((kind) => z.object({ kind: z.literal(kind), id: z.string(), [kind]: z.string() }))

/** The items of the lists, by the name of the agent or socket. */
const items = {
  three: z.object({ id: z.string(), role: z.string(), content: z.string() }),
  twelve: textsOf(12),
  union: z.union([first ?? z.never(), ...others]),
}

/** The name of an agent and a socket whose input has no maximum. */
export type Unbounded = keyof typeof items

const agents = []
const router = createRouter()
for (const [name, item] of Object.entries<z.ZodType>(items)) {
  const input = z.object({
    messages: z.array(item).optional(),
    byName: z.record(z.string(), item).optional(),
    tags: z.array(z.string()).optional(),
  })
  agents.push(createAgent(name, { input, handler: () => 'accepted' }))
  router.socket(`/ws/${name}`, createSocket({ receive: input, message: (peer) => peer.send('accepted') }))
}
agents.push(
  createAgent('numbers', { input: z.array(z.number()).max(50_000), handler: (_ctx, { length }) => length }),
  createAgent('rows', {
    input: z.object({ rows: z.array(textsOf(25)).max(1_000) }),
    handler: (_ctx, { rows }) => rows.length,
  }),
  createAgent('many', { input: z.array(items.three).max(20_000), handler: (_ctx, { length }) => length }),
)
const app = createApp({ agents, router, rateLimit: false, limits: { socket: { rate: false } } })
const { url } = await serve(app, { port: 0 })
console.log(url)
