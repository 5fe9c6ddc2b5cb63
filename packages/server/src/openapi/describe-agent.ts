import type { Agent } from '../define/agent.ts'
import { toJsonSchema, type JsonSchema } from '../schema/json-schema.ts'

/** The response to `GET /agent/{name}` in development. */
export interface AgentDescription {
  readonly name: string
  readonly route: string
  readonly description: string | null
  /** The JSON Schema of the input, or null if any input is accepted or the schema is unknown. */
  readonly input: JsonSchema | null
  /** The schema library that validates the input, even if `input` is null. Null if the input is not validated. */
  readonly checkedBy: string | null
  /** The JSON Schema of the result or of each chunk, or null if unknown. */
  readonly output: JsonSchema | null
}

/** Describes an agent for developers and tools. */
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
