import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { PgliteEngine, PgliteEngineOptions } from './pglite-engine.ts'

/** The URL of the worker file, which has the same name next to the sources and in `dist`. */
const WORKER_URL = new URL('./pglite-worker.js', import.meta.url)

/** Returns whether the worker file exists. It may be missing from a bundle. */
export function hasWorkerFile(): boolean {
  return WORKER_URL.protocol === 'file:' && existsSync(WORKER_URL)
}

/** The `workerData` of pglite-worker.js. */
export interface ThreadOptions extends PgliteEngineOptions {
  /** The WebAssembly module, if an earlier thread has compiled it. */
  readonly compiled: unknown
}

/** A request to pglite-worker.js: messages of the PostgreSQL protocol, or `close`. */
export type WorkerRequest = Uint8Array<ArrayBuffer> | 'close'

/** The compiled module. It is kept for later threads, since compiling takes most of the first thread's startup time. */
let compiled: unknown

/** Starts PGlite in a worker thread, so that queries do not block this thread. */
export async function startThreadEngine(options: PgliteEngineOptions): Promise<PgliteEngine> {
  const thread = new PgliteThread({ ...options, compiled })
  compiled = await thread.opened
  return thread
}

/**
 * A PGlite instance in a worker thread, which sends one reply for each request, in order. The first reply, the compiled
 * module, is sent when the database is open. While no reply is pending, the thread does not keep the process alive, so
 * that a finished script exits without closing the database.
 */
class PgliteThread implements PgliteEngine {
  readonly opened: Promise<unknown>
  readonly #worker: Worker
  readonly #exited: Promise<void>
  readonly #lost = new AbortController()
  readonly #pending: { resolve(reply: unknown): void; reject(error: unknown): void }[] = []
  #hasEnded = false
  #isClosing = false
  #error: Error | undefined

  constructor(options: ThreadOptions) {
    const transferList = options.template === null ? [] : [options.template.buffer]
    // The flags of this process, such as a TypeScript loader, are not needed in the worker.
    this.#worker = new Worker(WORKER_URL, { name: 'pglite', workerData: options, transferList, execArgv: [] })
    this.opened = this.#waitForReply().catch((error: Error) => {
      throw this.#error ?? error
    })
    this.#worker.on('message', (reply: unknown) => {
      this.#pending.shift()?.resolve(reply)
      if (this.#pending.length === 0 && !this.#isClosing) this.#worker.unref()
    })
    this.#worker.on('error', (error: Error) => {
      this.#error = error
    })
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => resolve(this.#end()))
    })
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  exec(messages: Uint8Array<ArrayBuffer>): Promise<Uint8Array[]> {
    if (this.#hasEnded) return Promise.reject(this.#toLostError())
    this.#send(messages, [messages.buffer])
    return this.#waitForReply<Uint8Array[]>()
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate()
    await this.#exited
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#worker.ref()
    this.#send('close')
    await this.#exited
    if (this.#error !== undefined) throw this.#error
  }

  #send(request: WorkerRequest, transferList: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transferList)
  }

  #waitForReply<T>(): Promise<T> {
    this.#worker.ref()
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ resolve: (reply) => resolve(reply as T), reject })
    })
  }

  #end(): void {
    this.#hasEnded = true
    if (!this.#isClosing) this.#lost.abort(this.#toLostError())
    for (const { reject } of this.#pending.splice(0)) reject(this.#toLostError())
  }

  /** Creates the error that callers receive. It is the same as if a server had closed the connection. */
  #toLostError(): Error {
    const error = new Error('The embedded database stopped unexpectedly', { cause: this.#error })
    return Object.assign(error, { code: 'ECONNRESET' })
  }
}
