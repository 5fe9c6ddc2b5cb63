import type { RouteIO, Typed } from '@sdk/protocol'
import type { WorkbenchApi } from '../api.ts'

/** What a route of the workbench takes and gives, as the hooks read it. */
type Known<R> = Typed<{
  input: R extends { input: infer Input } ? Input : undefined
  output: R extends { output: infer Output } ? Output : unknown
  stream: false
  query: R extends { query: infer Query } ? Query : unknown
}>

type WorkbenchRoutes = { [Name in keyof WorkbenchApi]: Known<WorkbenchApi[Name]> }

declare module '@sdk/protocol' {
  interface Routes extends WorkbenchRoutes {
    /** Which agents and routes there are is known when the page runs. */
    [agent: `POST /agent/${string}`]: Typed<RouteIO>
  }
}
