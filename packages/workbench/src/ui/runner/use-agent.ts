import { useAPI } from '@sdk/react'
import { useEvents } from '../data/use-events.ts'

/** The description of an agent. */
export type AgentInfo = ReturnType<typeof useAgent>

/** Reads `GET /agent/{name}`, again after each reload of the code. */
export function useAgent(name: string) {
  const { data, isError, refetch } = useAPI('GET /agent/:name', { params: { name }, staleTime: 60_000 })
  useEvents('manifest', () => void refetch())
  const { input: schema = null, checkedBy = null } = data ?? {}
  const isSilent = schema === null && checkedBy !== null
  /** Why the schema that it has cannot be shown; null: it can, or there is none. */
  const note = isSilent
    ? `The input is checked by a schema of "${checkedBy}", which has no JSON Schema to make a form of. Write JSON: the agent says what is wrong with it.`
    : null
  return { schema, note, isKnown: data !== undefined || isError }
}
