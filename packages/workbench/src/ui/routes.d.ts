import type { RouteIO, Typed } from '@sdk/protocol'
import type { Manifest } from '../manifest.ts'

declare module '@sdk/protocol' {
  interface Routes {
    'GET /_workbench/api/manifest': Typed<{ input: undefined; output: Manifest; stream: false; query: unknown }>
    /** Which agents there are is known when the page runs. */
    [agent: `POST /agent/${string}`]: Typed<RouteIO>
  }
}
