import type { Servable } from './app/app.ts'
import type { ServeOptions, Server } from './node/serve.ts'

/**
 * Serves an app on plain Node, with its sockets. Ends on `SIGTERM`, on Ctrl-C or by `close()`, when all requests that
 * were begun are answered.
 * @example const server = await serve(app, { port: 3000 }); await server.close()
 */
export async function serve(app: Servable, options?: ServeOptions): Promise<Server> {
  // Loaded when called, so that the package itself runs where there is no `node:http`.
  const { listen } = await import('./node/serve.ts')
  return listen(app, options)
}
