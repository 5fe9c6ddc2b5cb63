import { z } from 'zod'

/** The name and version of a peer's server. */
export const OPTIONS = { name: 'bench', version: '1.0.0' }

export const input = z.object({ a: z.number(), b: z.number() })
export const output = z.object({ sum: z.number() })

/** Registers the tool with a server of the official SDK, version 1 or 2. */
export function addTool(server) {
  const description = 'Adds two numbers.'
  server.registerTool('add', { description, inputSchema: input, outputSchema: output }, ({ a, b }) => toResult(a + b))
}

function toResult(sum) {
  return { content: [{ type: 'text', text: JSON.stringify({ sum }) }], structuredContent: { sum } }
}
