import type { AnySocketDefinition } from '../define/socket.ts'
import type { PublicEndpoint } from '../endpoint/endpoint.ts'
import { inputSchemaOf } from '../schema/alternatives.ts'
import { findUnbounded, type JsonLimits } from '../schema/json-bounds.ts'

interface InputDefinitions {
  readonly endpoints: readonly PublicEndpoint[]
  readonly sockets: ReadonlyMap<string, AnySocketDefinition>
  /** The limits from the app's options. */
  readonly limits: JsonLimits | undefined
}

/**
 * Lists the inputs that have no maximum size, such as `POST /agent/chat messages`: lists, records and, in resources,
 * strings, since a page contains many rows. Definitions that set `limits` are skipped. If the app sets `limits`, the
 * list is empty.
 */
export function listUnboundedInput({ endpoints, sockets, limits: own }: InputDefinitions): string[] {
  if (own?.objects !== undefined || own?.values !== undefined) return []
  const places = endpoints.flatMap((endpoint) => unboundedIn(endpoint).map((name) => `${endpoint.route} ${name}`))
  const messages = Array.from(sockets).flatMap(([path, { receive, limits }]) => {
    const schema = receive === undefined || limits !== undefined ? null : inputSchemaOf(receive)
    return schema === null ? [] : findUnbounded(schema).map((name) => `${path} ${name}`)
  })
  return [...places, ...messages]
}

function unboundedIn({ definition, resource }: PublicEndpoint): string[] {
  if (resource !== undefined) {
    const { fieldSchema } = resource.resource
    if (resource.action !== 'create') return []
    const texts = fieldSchema.fields.filter(({ type, maxLength }) => type === 'string' && maxLength === undefined)
    return [...findUnbounded(fieldSchema.input), ...texts.map(({ name }) => name)]
  }
  const { input, limits } = definition
  const schema = input === undefined || limits !== undefined ? null : inputSchemaOf(input)
  return schema === null ? [] : findUnbounded(schema)
}
