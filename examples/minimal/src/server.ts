// The server: an agent that streams, and the frontend that calls it.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createAgent, createApp, serve } from '@sdk/server'
import { build } from 'esbuild'
import { z } from 'zod'

const greet = createAgent('greet', {
  input: z.object({ name: z.string().trim().min(1).max(40) }),
  output: z.object({ word: z.string() }), // the schema of one chunk, because the handler streams
  async *handler(ctx, { name }) {
    for (const word of ['Hello,', `${name}.`, 'Every', 'word', 'is', 'a', 'chunk.']) {
      yield { word }
      await pause(150, undefined, { signal: ctx.signal }) // aborted when the client disconnects
    }
  },
})

// `sdk dev` generates this declaration. Without it, add one line per route.
declare module '@sdk/protocol' {
  interface Routes {
    'POST /agent/greet': typeof greet
  }
}

const page = join(import.meta.dirname, 'page.tsx')
const { outputFiles } = await build({ entryPoints: [page], bundle: true, minify: true, format: 'esm', write: false })

const HTML = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Minimal</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<style>:root { color-scheme: light dark; font: 1.1rem/1.6 system-ui; padding: 2rem } input, button { font: inherit }</style>
<main id="root"></main><script type="module" src="/page.js"></script></html>`

const server = await serve(createApp({ agents: [greet] }), {
  port: Number(process.env['PORT'] ?? 3000),
  // Handles all paths that are not part of the app: here, two files.
  fallback(request, response) {
    const isScript = request.url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? outputFiles[0]?.contents : HTML)
  },
})
console.log(`listening at ${server.url}`)
