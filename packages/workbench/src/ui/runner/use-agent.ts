import { useAPI } from '@sdk/react'
import { useEvents } from '../data/use-events.ts'

/** An agent's description. */
export type AgentInfo = ReturnType<typeof useAgent>

/** Loads an agent's description, and reloads it whenever the code has been reloaded. */
export function useAgent(name: string) {
  const { data, isError, refetch } = useAPI('GET /agent/:name', { params: { name }, staleTime: 60_000 })
  useEvents('manifest', () => void refetch())
  const { input: schema = null, checkedBy = null } = data ?? {}
  const isSilent = schema === null && checkedBy !== null
  /** The reason why the schema cannot be shown, or null if it can. */
  const note = isSilent
    ? `The validator "${checkedBy}" provides no JSON Schema, so there is no form. Enter JSON; the agent validates it.`
    : null
  return { schema, note, isKnown: data !== undefined || isError }
}
