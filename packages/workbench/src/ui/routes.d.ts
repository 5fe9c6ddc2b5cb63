import type { RouteIO, HasTypes } from '@sdk/protocol'
import type { WorkbenchApi } from '../api.ts'

/** The input and output of a workbench route, in the form that the hooks expect. */
type Known<R> = HasTypes<{
  input: R extends { input: infer Input } ? Input : undefined
  output: R extends { output: infer Output } ? Output : unknown
  stream: false
  query: R extends { query: infer Query } ? Query : unknown
}>

interface AgentDescription {
  readonly description: string | null
  /** The input's JSON Schema, or null if it is missing or unknown. */
  readonly input: Readonly<Record<string, unknown>> | null
  /** The library that validates the input, even if it provides no JSON Schema. Null if the input is not validated. */
  readonly checkedBy: string | null
}

type WorkbenchRoutes = { [Name in keyof WorkbenchApi]: Known<WorkbenchApi[Name]> }

declare module '@sdk/protocol' {
  interface Routes extends WorkbenchRoutes {
    /** The description of an agent, which is available only in development. */
    'GET /agent/:name': Known<{ output: AgentDescription }>
    /** The app's agents, which are known only at run time. */
    [agent: `POST /agent/${string}`]: HasTypes<RouteIO>
  }
}
