import type { Servable } from './app/app.ts'
import type { ServeOptions, Server } from './node/serve.ts'
import { listen } from './node/serve.ts'

export type { ServeOptions, Server } from './node/serve.ts'
export type { DrainOptions } from './node/connections.ts'

/**
 * Serves an app and its sockets on Deno, with Deno's `node:http`: `Deno.upgradeWebSocket` can neither pause reading nor
 * send the close code of a restart. Shuts down on `SIGTERM`, Ctrl-C or `close()`, after all running requests have
 * finished.
 * @example const server = await serve(app, { port: 3000 }); await server.close()
 */
export function serve(app: Servable, options?: ServeOptions): Promise<Server> {
  return listen(app, options)
}
