import type { Servable } from './app/app.ts'
import { listen, type ServeOptions, type Server } from './node/serve.ts'

/**
 * Serves an app and its sockets on Deno. Shuts down on `SIGTERM`, Ctrl-C or `close()`, after all running requests have
 * finished.
 * @example const server = await serve(app, { port: 3000 }); await server.close()
 */
export function serve(app: Servable, options?: ServeOptions): Promise<Server> {
  // With Deno's `node:http`, since the sockets of `Deno.upgradeWebSocket` can neither pause reading nor send 1012.
  return listen(app, options)
}
