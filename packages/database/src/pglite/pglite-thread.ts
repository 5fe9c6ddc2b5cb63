import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { PgliteEngine, PgliteEngineOptions } from './pglite-engine.ts'

/** The same name beside the sources and in `dist`. */
const WORKER_URL = new URL('./pglite-worker.js', import.meta.url)

/** Is the file there that the thread starts from? A bundle may have left it behind. */
export function hasWorkerFile(): boolean {
  return WORKER_URL.protocol === 'file:' && existsSync(WORKER_URL)
}

/** What pglite-worker.js is given. */
export interface ThreadOptions extends PgliteEngineOptions {
  /** The WebAssembly module, where an earlier thread has compiled it already. */
  readonly compiled: unknown
}

/** What pglite-worker.js is asked: messages of the PostgreSQL protocol, which it answers, and at last to close. */
export type WorkerRequest = Uint8Array<ArrayBuffer> | 'close'

/** Outlives the threads, because compiling is most of the time that the first one takes to open. */
let compiled: unknown

/** Starts PGlite in a thread of its own, so that this one goes on while a query runs. */
export async function startThreadEngine(options: PgliteEngineOptions): Promise<PgliteEngine> {
  const thread = new PgliteThread({ ...options, compiled })
  compiled = await thread.opened
  return thread
}

interface PendingReply {
  resolve(answer: unknown): void
  reject(error: unknown): void
}

/**
 * One answer for each request, in order. The first one comes unasked, when the database is open: the compiled module. While
 * nobody waits for an answer the thread keeps no process alive: a test or a script that is done ends, though it closed nothing.
 */
class PgliteThread implements PgliteEngine {
  readonly opened: Promise<unknown>
  readonly #worker: Worker
  readonly #exited: Promise<void>
  readonly #lost = new AbortController()
  readonly #questions: PendingReply[] = []
  #hasEnded = false
  #isClosing = false
  #error: Error | undefined

  constructor(options: ThreadOptions) {
    const transferList = options.template === null ? [] : [options.template.buffer]
    // What this process was started with, such as a loader for TypeScript, is of no use there.
    this.#worker = new Worker(WORKER_URL, { name: 'pglite', workerData: options, transferList, execArgv: [] })
    this.opened = this.#ask().catch((error: Error) => {
      throw this.#error ?? error
    })
    this.#worker.on('message', (answer: unknown) => {
      this.#questions.shift()?.resolve(answer)
      if (this.#questions.length === 0 && !this.#isClosing) this.#worker.unref()
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
    if (this.#hasEnded) return Promise.reject(this.#loss())
    this.#send(messages, [messages.buffer])
    return this.#ask<Uint8Array[]>()
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

  #ask<T>(): Promise<T> {
    this.#worker.ref()
    return new Promise<T>((resolve, reject) => {
      this.#questions.push({ resolve: (answer) => resolve(answer as T), reject })
    })
  }

  #end(): void {
    this.#hasEnded = true
    if (!this.#isClosing) this.#lost.abort(this.#loss())
    for (const { reject } of this.#questions.splice(0)) reject(this.#loss())
  }

  /** To callers the thread is a server that went away. */
  #loss(): Error {
    const error = new Error('The embedded database stopped unexpectedly', { cause: this.#error })
    return Object.assign(error, { code: 'ECONNRESET' })
  }
}
