import { useAPI } from '@sdk/react'
import { useEvents } from '../data/use-events.ts'
import type { JsonSchema } from '../input/input-editor.tsx'

/** The description of an agent. */
export interface AgentInfo {
  /** The schema of its input; null where it has none, or none as JSON Schema. */
  readonly schema: JsonSchema | null
  /** Why the schema that it has cannot be shown; null: it can, or there is none. */
  readonly note: string | null
  /** Has the description been read, or failed to be? */
  readonly isKnown: boolean
}

/** Reads `GET /agent/{name}`, again after each reload of the code. */
export function useAgent(name: string): AgentInfo {
  const { data, isError, refetch } = useAPI('GET /agent/:name', { params: { name }, staleTime: 60_000 })
  useEvents('manifest', () => void refetch())
  const { input: schema = null, checkedBy = null } = data ?? {}
  const isSilent = schema === null && checkedBy !== null
  const note = isSilent
    ? `The input is checked by a schema of "${checkedBy}", which has no JSON Schema to make a form of. Write JSON: the agent says what is wrong with it.`
    : null
  return { schema, note, isKnown: data !== undefined || isError }
}
