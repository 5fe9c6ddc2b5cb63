import { toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { PublicEndpoint } from '../endpoint/endpoint.ts'
import { offeredTools } from '../tool/resolve-tools.ts'

/** An entry in the app's route list. */
export interface RouteInfo {
  /** The unique name, such as `POST /agent/summarize` or `/ws/chat`. */
  readonly route: string
  /** The kind of definition. */
  readonly kind: 'agent' | 'route' | 'resource' | 'socket'
  /** The description from the definition. */
  readonly description: string | undefined
  /** The schema of the messages that a socket receives. Present only in development, and only if it is known. */
  readonly receive?: JsonSchema
  /** The routes that this route offers as tools with MCP, in the order in which it lists them. */
  readonly tools?: readonly string[]
}

/** Creates the route list from endpoints and sockets. */
export function listRoutes(
  endpoints: readonly PublicEndpoint[],
  sockets: ReadonlyMap<string, AnySocketDefinition>,
  isDevelopment: boolean,
): RouteInfo[] {
  const receiveOf = ({ receive }: AnySocketDefinition): Pick<RouteInfo, 'receive'> => {
    const schema = receive === undefined || !isDevelopment ? null : toJsonSchema(receive, 'input')
    return schema === null ? {} : { receive: schema }
  }
  return [
    ...endpoints.map(({ route, kind, definition: { description, handler } }) => {
      const offered = offeredTools(handler)
      return { route, kind, description, ...(offered !== null && { tools: Object.values(offered) }) }
    }),
    ...Array.from(sockets, ([route, socket]) => ({
      route,
      kind: 'socket' as const,
      description: socket.description,
      ...receiveOf(socket),
    })),
  ]
}
