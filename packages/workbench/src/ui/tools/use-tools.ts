import { toApiError } from '@sdk/frontend'
import type { ApiError } from '@sdk/protocol'
import { useSdk } from '@sdk/react'
import { useEffect, useState } from 'react'
import type { Manifest } from '../../manifest.ts'
import { useChosenIdentity, type Identity } from '../data/identity.ts'
import { MCP_HEADERS, toolsIn, type McpTool } from './mcp-message.ts'

/** A tool of an MCP route, and the route that it calls. */
export interface ListedTool extends McpTool {
  /** The MCP route. */
  readonly server: string
  readonly route: string
}

/** The tools of an MCP route, or the error with which it rejects the request. */
export interface ToolList {
  readonly server: string
  readonly tools: readonly ListedTool[]
  readonly error: ApiError | null
}

/** Lists the tools of all MCP routes, as a client with the chosen identity would. Undefined until they are loaded. */
export function useTools(manifest: Manifest | undefined): readonly ToolList[] | undefined {
  const { client } = useSdk()
  const identity = useChosenIdentity()
  const [shown, setShown] = useState<{ identity: Identity; lists: readonly ToolList[] }>()
  useEffect(() => {
    if (manifest === undefined) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const read = async ({ route: server, tools: routes = [] }: Manifest['routes'][number]): Promise<ToolList> => {
      try {
        const headers = Object.fromEntries(MCP_HEADERS)
        const reply = await client.send(server, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { headers, signal })
        const answer = reply.kind === 'value' ? reply.value : (await reply.collect()).at(-1)
        // An MCP route lists its tools in the order of its routes.
        const tools = toolsIn(answer).map((tool, index) => ({ ...tool, server, route: routes[index] ?? '' }))
        return { server, tools, error: null }
      } catch (thrown) {
        return { server, tools: [], error: toApiError(thrown) }
      }
    }
    void Promise.all(manifest.routes.filter(({ tools }) => tools !== undefined).map(read)).then(
      (lists) => signal.aborted || setShown({ identity, lists }),
    )
    return () => controller.abort()
  }, [client, manifest, identity])
  // The tools of another identity are not shown.
  return shown?.identity === identity ? shown.lists : undefined
}
