/** A running PGlite, wherever it runs. */
export interface PgliteEngine {
  /** Answers whole messages of the PostgreSQL protocol, in the order in which they are asked. The bytes become its own. */
  exec(messages: Uint8Array<ArrayBuffer>): Promise<readonly Uint8Array[]>
  /** Aborts, with the reason, when the engine ended by itself. */
  readonly lost: AbortSignal
  /** Ends one that no longer replies, which is lost then. Resolves when it has ended. */
  terminate(): Promise<void>
  /** Answers what was asked before, flushes and ends. */
  close(): Promise<void>
}

/** What an engine is started with. */
export interface PgliteEngineOptions {
  /** Where its files are; in memory when null. */
  readonly directory: string | null
  /** An archive of the files that a new database begins with; without one `initdb` makes them. */
  readonly template: Uint8Array<ArrayBuffer> | null
}

/** Starts PGlite in this thread, which stands still while a query runs: for bundles that left the worker file behind. */
export async function startInlineEngine({ directory, template }: PgliteEngineOptions): Promise<PgliteEngine> {
  const { PGlite } = await import('@electric-sql/pglite')
  const options = template ? { loadDataDir: new Blob([template]) } : {}
  const pglite = await (directory === null ? PGlite.create(options) : PGlite.create(directory, options))
  return {
    async exec(messages) {
      const answer: Uint8Array[] = []
      // Not execProtocolRaw, which also keeps every message it ever answered.
      await pglite.execProtocolRawStream(messages, { onRawData: (bytes) => answer.push(bytes.slice()) })
      return answer
    },
    lost: new AbortController().signal,
    // Nothing else runs in this thread while it works, so that it is never late, and cannot be ended.
    terminate: () => Promise.reject(new Error('an embedded database in the main thread cannot be ended')),
    close: () => pglite.close(),
  }
}
