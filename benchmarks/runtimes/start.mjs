// Serves a `fetch` function on the current runtime and prints its port.

/** The runtime that runs this program. */
export const RUNTIME = globalThis.Bun ? 'bun' : globalThis.Deno ? 'deno' : 'node'

/** Serves with the runtime's own server, as Hono's documentation recommends. */
export async function startFetch(fetch) {
  if (RUNTIME === 'bun') return printPort(globalThis.Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }).port)
  if (RUNTIME === 'deno')
    return void globalThis.Deno.serve(
      { port: 0, hostname: '127.0.0.1', onListen: ({ port }) => printPort(port) },
      fetch,
    )
  const { serve } = await import('@hono/node-server')
  serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => printPort(port))
}

/** Prints the port, which the benchmark waits for. */
export function printPort(port) {
  console.log(`port ${port}`)
}
