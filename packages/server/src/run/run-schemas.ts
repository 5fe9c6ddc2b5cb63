import type { Schema } from '@sdk/protocol'
import type { AnyRouteDefinition } from '../define/router.ts'
import { toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'
import { withNamedRoot } from '../schema/subschemas.ts'

/** The OpenAPI description of a route for runs. */
type RunRouteDefinition = Omit<AnyRouteDefinition, 'handler'>

const TIME = { type: 'string', format: 'date-time' }
const ID = { type: 'string', pattern: '^[0-9a-f]{32}$' }
const ERROR = {
  type: ['object', 'null'],
  description: 'The error, if the run failed.',
  properties: {
    code: { type: 'string' },
    message: { type: 'string' },
    details: { type: 'array', items: { type: 'object' } },
  },
}

const RUN: JsonSchema = {
  type: 'object',
  required: ['id', 'status', 'waiting', 'stream', 'attempt', 'input', 'output', 'error', 'createdAt', 'endedAt'],
  properties: {
    id: ID,
    status: { enum: ['queued', 'running', 'waiting', 'done', 'failed', 'cancelled'] },
    waiting: { type: ['object', 'null'], description: 'The event or time that the run is waiting for.' },
    stream: { type: 'boolean', description: 'Whether the run streams chunks instead of returning an output.' },
    attempt: { type: 'integer', minimum: 0 },
    input: { description: 'The input, if the run is queued.' },
    output: { description: 'The result, if the run is done.' },
    error: ERROR,
    createdAt: TIME,
    endedAt: { ...TIME, type: ['string', 'null'] },
  },
}

const toPage = (items: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['data', 'pagination'],
  properties: {
    data: { type: 'array', items },
    pagination: {
      type: 'object',
      properties: {
        limit: { type: 'integer' },
        hasMore: { type: 'boolean' },
        nextCursor: { type: ['string', 'null'] },
        prevCursor: { type: 'null' },
      },
    },
  },
})

/** The name of a route that every durable agent has. */
export type RunRoute = 'list' | 'get' | 'cancel' | 'chunks' | 'thread' | 'threads' | 'deleteThread'

/** The descriptions of the routes that every durable agent has. */
export const RUN_DEFINITIONS: Readonly<Record<RunRoute, RunRouteDefinition>> = {
  list: {
    description: "Lists the caller's own runs, or the runs that wait for an event and that the caller may see.",
    query: toSchema(
      toQuery({
        limit: { type: 'integer', minimum: 1, maximum: 100 },
        cursor: { type: 'string' },
        thread: { type: 'string', maxLength: 128 },
        waiting: { type: 'string', maxLength: 64 },
      }),
    ),
    output: toSchema(toPage(RUN)),
  },
  get: {
    description: 'Returns a run. With `wait`, waits up to that many seconds for the run to end.',
    query: toSchema(toQuery({ wait: { type: 'integer', minimum: 0, maximum: 60 } })),
    output: toSchema(RUN),
  },
  cancel: { description: 'Cancels a run. Has no effect if the run has ended.', status: 204 },
  chunks: {
    description: 'Streams the chunks of a run from a position onward, including new ones until the run ends.',
    query: toSchema(toQuery({ at: { type: 'string', pattern: '^\\d{1,9}\\.\\d{1,15}$' } })),
    stream: true,
  },
  thread: {
    description: "Returns the state and the newest run of one of the caller's own threads.",
    output: toSchema(toThread({})),
  },
  threads: {
    description: "Lists the caller's own threads, last used first.",
    query: toSchema(toQuery({ limit: { type: 'integer', minimum: 1, maximum: 100 }, cursor: { type: 'string' } })),
    output: toSchema(
      toPage({ type: 'object', required: ['id', 'usedAt'], properties: { id: { type: 'string' }, usedAt: TIME } }),
    ),
  },
  deleteThread: { description: 'Deletes a thread with its state and runs. Cancels unfinished runs.', status: 204 },
}

/** Returns the description of the route for a thread whose state has a schema. */
export function toThreadDefinition(state: Schema): RunRouteDefinition {
  const described = (): JsonSchema => toThread(withNamedRoot(toJsonSchema(state, 'output') ?? {}))
  return { ...RUN_DEFINITIONS.thread, output: toSchema(described) }
}

function toThread({ $defs, ...state }: JsonSchema): JsonSchema {
  const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] })
  const properties = {
    state: { description: 'The state as JSON, or null.', ...orNull({ ...state, $schema: undefined }) },
    run: orNull(RUN),
  }
  return { type: 'object', required: ['state', 'run'], properties, ...($defs !== undefined && { $defs }) }
}

/** Returns the description of the route that sends an event. */
export function toEventDefinition(event: string, input: Schema): RunRouteDefinition {
  const query = toSchema(toQuery({ id: { type: 'string', maxLength: 128 } }))
  return { description: `Sends the event ${event} to a run. Only the first one counts.`, input, query, status: 204 }
}

function toQuery(properties: Readonly<Record<string, object>>): JsonSchema {
  return { type: 'object', properties, additionalProperties: false }
}

/** Creates a schema that describes values but does not validate them. */
function toSchema(schema: JsonSchema | (() => JsonSchema)): Schema {
  const describe = typeof schema === 'function' ? schema : (): JsonSchema => schema
  const jsonSchema = { input: describe, output: describe }
  const standard = { version: 1 as const, vendor: 'sdk', validate: (value: unknown) => ({ value }), jsonSchema }
  return { '~standard': standard }
}
