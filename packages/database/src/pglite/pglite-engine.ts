/** A running PGlite, in this thread or another. */
export interface PgliteEngine {
  /** Executes whole messages of the PostgreSQL protocol, in order. It takes ownership of the bytes. */
  exec(messages: Uint8Array<ArrayBuffer>): Promise<readonly Uint8Array[]>
  /** Aborts, with the reason, if the engine ends unexpectedly. */
  readonly lost: AbortSignal
  /** Terminates an engine that no longer replies. Resolves when it has ended. */
  terminate(): Promise<void>
  /** Finishes pending requests, flushes and ends. */
  close(): Promise<void>
}

/** Options for an engine. */
export interface PgliteEngineOptions {
  /** The directory of its files; in memory if null. */
  readonly directory: string | null
  /** An archive with the files of a new database; without it, `initdb` creates them. */
  readonly template: Uint8Array<ArrayBuffer> | null
}

/** Starts PGlite in this thread, which is blocked while a query runs: for bundles that lack the worker file. */
export async function startInlineEngine({ directory, template }: PgliteEngineOptions): Promise<PgliteEngine> {
  const { PGlite } = await import('@electric-sql/pglite')
  const options = template ? { loadDataDir: new Blob([template]) } : {}
  const pglite = await (directory === null ? PGlite.create(options) : PGlite.create(directory, options))
  return {
    async exec(messages) {
      const answer: Uint8Array[] = []
      // Not execProtocolRaw, which also keeps every message in memory.
      await pglite.execProtocolRawStream(messages, { onRawData: (bytes) => answer.push(bytes.slice()) })
      return answer
    },
    lost: new AbortController().signal,
    // Nothing else runs in this thread during a query, so there is no timeout, and it cannot be terminated.
    terminate: () => Promise.reject(new Error('an embedded database in the main thread cannot be terminated')),
    close: () => pglite.close(),
  }
}
