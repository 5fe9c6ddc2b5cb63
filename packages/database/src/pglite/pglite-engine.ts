/** A running PGlite instance, in this thread or another. */
export interface PgliteEngine {
  /** Executes complete messages of the PostgreSQL protocol, in order. Takes ownership of the bytes. */
  exec(messages: Uint8Array<ArrayBuffer>): Promise<readonly Uint8Array[]>
  /** A signal that is aborted, with the reason, if the engine ends unexpectedly. */
  readonly lost: AbortSignal
  /** Terminates an engine that no longer replies. Resolves when it has ended. */
  terminate(): Promise<void>
  /** Finishes pending requests, flushes the data and shuts down. */
  close(): Promise<void>
}

/** Options for an engine. */
export interface PgliteEngineOptions {
  /** The directory for the data, or null to keep it in memory. */
  readonly directory: string | null
  /** An archive with the files of a new database. If it is null, `initdb` creates them. */
  readonly template: Uint8Array<ArrayBuffer> | null
}

/** Starts PGlite in this thread, which is blocked during queries. Used by bundles that lack the worker file. */
export async function startInlineEngine({ directory, template }: PgliteEngineOptions): Promise<PgliteEngine> {
  const { PGlite } = await import('@electric-sql/pglite')
  const options = template ? { loadDataDir: new Blob([template]) } : {}
  const pglite = await (directory === null ? PGlite.create(options) : PGlite.create(directory, options))
  return {
    async exec(messages) {
      const answer: Uint8Array[] = []
      // `execProtocolRaw` would also keep every message in memory.
      await pglite.execProtocolRawStream(messages, { onRawData: (bytes) => answer.push(bytes.slice()) })
      return answer
    },
    lost: new AbortController().signal,
    // Nothing else runs in this thread during a query, so a query cannot time out, and the engine cannot be terminated.
    terminate: () => Promise.reject(new Error('an embedded database in the main thread cannot be terminated')),
    close: () => pglite.close(),
  }
}
