import type { Servable } from './app/app.ts'
import type { ServeOptions, Server } from './node/serve.ts'

/**
 * Serves an app and its sockets on Node. Shuts down on `SIGTERM`, Ctrl-C or `close()`, after all running requests have
 * finished.
 * @example const server = await serve(app, { port: 3000 }); await server.close()
 */
export async function serve(app: Servable, options?: ServeOptions): Promise<Server> {
  // Loaded lazily, and by a condition in package.json, since bundlers for Cloudflare Workers must not find `node:http`.
  const { listen } = await import('#node-server')
  return listen(app, options)
}
