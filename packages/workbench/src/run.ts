/** The state of a run. `failed`: a 5xx, or a stream that broke; `refused`: a 4xx; `cancelled`: the caller left. */
export type RunState = 'running' | 'done' | 'failed' | 'refused' | 'cancelled'

/** The user who made the call. */
export interface RunIdentity {
  readonly userId: string
  /** Null where the user could not be read. */
  readonly email: string | null
  readonly name: string | null
}

/** One call of an agent or a route, or one connection of a socket, in a line of a list. */
export interface RunSummary {
  /** Later runs have greater ids. */
  readonly id: string
  readonly requestId: string
  /** Null where no route answered. */
  readonly route: string | null
  readonly kind: 'agent' | 'route' | 'socket'
  readonly method: string
  /** Path and query as they were sent; secrets in the query are hidden. */
  readonly target: string
  readonly state: RunState
  /** 0 until there is one. */
  readonly status: number
  /** ms since 1970. */
  readonly startedAt: number
  /** ms from the call to the end; null while it runs. */
  readonly ms: number | null
  /** The bytes of the response body, or of the frames of a socket. */
  readonly bytes: number
  /** Chunks of a stream, or frames of a socket both ways; 0 for a whole answer. */
  readonly chunks: number
  /** The kind of client: `workbench`, `browser`, `sdk run`, `curl`, or the first word of its user agent. */
  readonly caller: string
  /** Null: nobody was signed in. */
  readonly identity: RunIdentity | null
  /** The error, in one line. */
  readonly error: string | null
  /** Which version of the code answered: counts the loads of a dev server, from 1. */
  readonly revision: number
  readonly isPinned: boolean
}

/** A text of a body. At most 1 MB of a run's texts is kept. */
export interface RunText {
  readonly text: string
  /** The original size, also where the text is cut. */
  readonly bytes: number
  readonly isCut: boolean
  /** Set where the bytes are not UTF-8. @default 'utf-8' */
  readonly encoding?: 'base64'
}

/** One piece of a body, or one frame of a socket, as it went over the wire. */
export interface RunChunk extends RunText {
  /** ms after the call came. */
  readonly at: number
  /** Only of a socket: who sent it. */
  readonly from?: 'client' | 'server'
}

/** A run of an agent inside of another. */
export interface RunSpan {
  /** Counts from 1; the run itself is 0. */
  readonly id: number
  readonly parentId: number
  readonly route: string
  /** ms after the call came. */
  readonly startedAt: number
  /** Null: it had not ended when the run did. */
  readonly endedAt: number | null
  readonly input: RunText | null
  /** The value, or all its chunks as NDJSON. */
  readonly output: RunText | null
  readonly chunks: number
  readonly error: RunError | null
}

/** A log line of a handler. */
export interface RunLog {
  /** ms after the call came. */
  readonly at: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** As JSON, secrets hidden; null where there are none. */
  readonly fields: string | null
  /** The span that wrote it; 0: the run itself. */
  readonly spanId: number
}

/** One line of a stack. */
export interface RunFrame {
  readonly name: string
  /** Relative to the project where it is inside, else as the stack has it. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Is it code of Node or of a library? The UI folds it. */
  readonly isForeign: boolean
}

/** An error that a handler threw. */
export interface RunError {
  readonly name: string
  readonly message: string
  /** The code of an `ApiError`, else null. */
  readonly code: string | null
  readonly frames: readonly RunFrame[]
  /** The lines around the first frame of the project; empty where there is none. */
  readonly codeFrame: string
  readonly cause: RunError | null
}

/** Header lines by lower-case name, in their order; secrets are hidden. */
export type RunHeaders = readonly (readonly [name: string, value: string])[]

/** Everything that was recorded of a run. */
export interface Run extends RunSummary {
  readonly request: { readonly headers: RunHeaders; readonly body: RunText | null }
  /** Null where none was sent. `at`: ms after the call came until the head was sent. */
  readonly response: { readonly headers: RunHeaders; readonly at: number } | null
  /** The body in the pieces it was sent in: one for a whole answer, one a chunk of a stream, one a frame of a socket. */
  readonly pieces: readonly RunChunk[]
  readonly spans: readonly RunSpan[]
  readonly logs: readonly RunLog[]
  readonly thrown: RunError | null
  readonly traceId: string | null
  /** The close code and reason of a socket. */
  readonly closed: { readonly code: number; readonly reason: string } | null
}

/** The part of a run that lists show. */
export function toSummary({ request: _1, response: _2, pieces: _3, spans: _4, logs: _5, ...run }: Run): RunSummary {
  const { thrown: _6, traceId: _7, closed: _8, ...summary } = run
  return summary
}
