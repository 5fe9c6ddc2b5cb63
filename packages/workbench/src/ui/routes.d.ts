import type { RouteIO, HasTypes } from '@sdk/protocol'
import type { WorkbenchApi } from '../api.ts'

/** The input and output of a workbench route, as the hooks read them. */
type Known<R> = HasTypes<{
  input: R extends { input: infer Input } ? Input : undefined
  output: R extends { output: infer Output } ? Output : unknown
  stream: false
  query: R extends { query: infer Query } ? Query : unknown
}>

interface AgentDescription {
  readonly description: string | null
  /** A JSON Schema; null if it is missing or unknown. */
  readonly input: Readonly<Record<string, unknown>> | null
  /** The library that validates the input, even if it provides no JSON Schema; null if nothing is validated. */
  readonly checkedBy: string | null
}

type WorkbenchRoutes = { [Name in keyof WorkbenchApi]: Known<WorkbenchApi[Name]> }

declare module '@sdk/protocol' {
  interface Routes extends WorkbenchRoutes {
    /** The app's description of an agent, in development. */
    'GET /agent/:name': Known<{ output: AgentDescription }>
    /** The agents and routes are known only at run time. */
    [agent: `POST /agent/${string}`]: HasTypes<RouteIO>
  }
}
