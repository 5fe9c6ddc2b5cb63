import { toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'
import type { AnySocketDefinition } from '../define/socket.ts'
import type { PublicEndpoint } from '../endpoint/endpoint.ts'

/** One line of the app's table of contents. */
export interface RouteInfo {
  /** Its one name, such as `POST /agent/summarize` or `/ws/chat`. */
  readonly route: string
  /** What it is. */
  readonly kind: 'agent' | 'route' | 'resource' | 'socket'
  /** What its definition says it does. */
  readonly description: string | undefined
  /** What a socket takes from its clients; left out where it is not known, and outside of development. */
  readonly receive?: JsonSchema
}

/** The table of contents of these endpoints and sockets. */
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
    ...endpoints.map(({ route, kind, definition: { description } }) => ({ route, kind, description })),
    ...Array.from(sockets, ([route, socket]) => ({
      route,
      kind: 'socket' as const,
      description: socket.description,
      ...receiveOf(socket),
    })),
  ]
}
