// Runs the embedded PostgreSQL in a separate thread. This file is plain JavaScript, so that the same file works next to
// the sources and in `dist`, without compilation. The types of the messages are in pglite-thread.ts.
import { on } from 'node:events'
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

const { directory, template, compiled } = /** @type {import('./pglite-thread.ts').ThreadOptions} */ (workerData)
// Listens before the database opens, so that requests that arrive earlier are queued.
const requests = /** @type {AsyncIterable<[import('./pglite-thread.ts').WorkerRequest]>} */ (on(parentPort, 'message'))

const pgliteWasmModule = compiled ?? (await compile())
const options = { pgliteWasmModule, ...(template && { loadDataDir: new Blob([template]) }) }
const pglite = await (directory === null ? PGlite.create(options) : PGlite.create(directory, options))
parentPort.postMessage(pgliteWasmModule, [])

for await (const [request] of requests) {
  if (request === 'close') break
  const reply = /** @type {Uint8Array<ArrayBuffer>[]} */ ([])
  // `execProtocolRaw` would also keep every message in memory.
  await pglite.execProtocolRawStream(request, { onRawData: (bytes) => reply.push(bytes.slice()) })
  parentPort.postMessage(
    reply,
    reply.map(({ buffer }) => buffer),
  )
}
await pglite.close()
// Ends only this thread, which PostgreSQL's timers would otherwise keep alive for seconds.
process.exit()

async function compile() {
  return WebAssembly.compile(await readFile(new URL(import.meta.resolve('@electric-sql/pglite/pglite.wasm'))))
}
