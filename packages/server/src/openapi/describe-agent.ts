import type { Agent } from '../define/agent.ts'
import { toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'

/** What `GET /agent/{name}` tells in development. */
export interface AgentDescription {
  readonly name: string
  readonly route: string
  readonly description: string | null
  /** What callers send; null: anything, or not known. */
  readonly input: JsonSchema | null
  /** The library that checks it, though it may not be able to say how; null: nothing is checked. */
  readonly checkedBy: string | null
  /** What they get, whole or as one chunk; null: not known. */
  readonly output: JsonSchema | null
}

/** An agent as people and tools may read it. */
export function describeAgent({ name, description, input, output }: Agent): AgentDescription {
  return {
    name,
    route: `POST /agent/${name}`,
    description: description ?? null,
    input: input === undefined ? null : toJsonSchema(input, 'input'),
    checkedBy: input?.['~standard'].vendor ?? null,
    output: output === undefined ? null : toJsonSchema(output, 'output'),
  }
}
