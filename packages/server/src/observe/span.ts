/** One piece of recorded work. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** Runs work as part of the span: spans begun inside, also by other libraries, are its children. */
  run<T>(work: () => T): T
  /** The same for chunks, which are made while they are sent. */
  runEach<T>(chunks: AsyncIterable<T> | Iterable<T>): AsyncIterable<T>
  /** Ends the span; what comes after is not recorded. */
  end(outcome?: SpanOutcome): void
}

/** How a piece of work went. */
export interface SpanOutcome {
  /** The status of the answer; from 500 on the span has failed. */
  status?: number
  /** What was thrown. */
  error?: unknown
}
