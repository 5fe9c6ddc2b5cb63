import { useAPI } from '@sdk/react'
import { useEvents } from '../data/use-events.ts'
import type { JsonSchema } from '../input/input-editor.tsx'

/** What an agent tells of itself. */
export interface AgentFacts {
  /** Of what it takes; null: it has none, or cannot say it. */
  readonly schema: JsonSchema | null
  /** Why there is no schema; null where there is one, or it is not known yet. */
  readonly note: string | null
  /** Is it known by now? */
  readonly isKnown: boolean
}

/** What the app says at `GET /agent/{name}`, read again when the code was loaded again. */
export function useAgent(name: string): AgentFacts {
  const { data, isError, refetch } = useAPI('GET /agent/:name', { params: { name }, staleTime: 60_000 })
  useEvents('manifest', () => void refetch())
  const schema = data?.input ?? null
  return {
    schema,
    note: schema === null && data !== undefined ? noteOf(data.checkedBy) : null,
    isKnown: data !== undefined || isError,
  }
}

function noteOf(checkedBy: string | null): string {
  if (checkedBy === null)
    return 'This agent has no input schema: it gets the JSON that is sent. Add `input` to get a form.'
  return `The input is checked by ${checkedBy}, which cannot say it as JSON Schema: write JSON, and the agent tells what is wrong with it.`
}
