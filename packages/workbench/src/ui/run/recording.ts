/** A chunk as it came in. */
export interface Chunk {
  readonly value: unknown
  /** Milliseconds after the call was sent. */
  readonly at: number
  readonly bytes: number
}

/** What one run of an agent gave, and when. */
export interface Recording {
  readonly chunks: readonly Chunk[]
  /** Milliseconds from call to end; null while it runs. */
  readonly total: number | null
}

/** Keeps the time of every chunk of the latest run. */
export interface Recorder {
  /** A new run begins now. */
  start(): void
  add(value: unknown): void
  /** Milliseconds since the run began. */
  elapsed(): number
  /** The chunks so far. */
  snapshot(): readonly Chunk[]
}

/** A recorder; it is cheap to add to, so that a fast stream is not slowed down. */
export function createRecorder(now: () => number = () => performance.now()): Recorder {
  let started = now()
  let chunks: Chunk[] = []
  const elapsed = (): number => now() - started
  return {
    start() {
      started = now()
      chunks = []
    },
    add: (value) => void chunks.push({ value, at: elapsed(), bytes: sizeOf(value) }),
    elapsed,
    snapshot: () => [...chunks],
  }
}

/** Everything came at once, so something between the agent and here holds chunks back. */
export function isBuffered({ chunks }: Recording): boolean {
  const first = chunks[0]
  const last = chunks.at(-1)
  return first !== undefined && last !== undefined && chunks.length > 2 && last.at - first.at < 1
}

/** The bytes of a value as JSON. */
export function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value) ?? 'null').length
}
