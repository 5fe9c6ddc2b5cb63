/** The state of a run. `failed`: a 5xx, or a failed stream; `refused`: a 4xx; `cancelled`: the client disconnected. */
export type RunState = 'running' | 'done' | 'failed' | 'refused' | 'cancelled'

/** The user who made the call. */
export interface RunIdentity {
  readonly userId: string
  /** Null if the user could not be read. */
  readonly email: string | null
  readonly name: string | null
}

/** A call of an agent or a route, or a connection of a socket, as lists show it. */
export interface RunSummary {
  /** Later runs have greater ids. */
  readonly id: string
  readonly requestId: string
  /** Null if no route matched. */
  readonly route: string | null
  readonly kind: 'agent' | 'route' | 'socket'
  readonly method: string
  /** Path and query as they were sent; secrets in the query are redacted. */
  readonly target: string
  readonly state: RunState
  /** The response status; 0 until it is known. */
  readonly status: number
  /** ms since 1970. */
  readonly startedAt: number
  /** The duration in ms; null while it is running. */
  readonly ms: number | null
  /** The bytes of the response body, or of a socket's frames. */
  readonly bytes: number
  /** The number of chunks of a stream, or of frames of a socket in both directions; 0 for a whole body. */
  readonly chunks: number
  /** The kind of client: `workbench`, `browser`, `sdk run`, `curl`, or the first word of its user agent. */
  readonly caller: string
  /** Null if the caller was not signed in. */
  readonly identity: RunIdentity | null
  /** The error, in one line. */
  readonly error: string | null
  /** The version of the code that ran: counts the loads of a dev server, from 1. */
  readonly revision: number
  readonly isPinned: boolean
}

/** A text of a body. At most 1 MB of a run's texts is stored. */
export interface RunText {
  readonly text: string
  /** The original size, even if the text is truncated. */
  readonly bytes: number
  readonly isCut: boolean
  /** Set if the bytes are not UTF-8. @default 'utf-8' */
  readonly encoding?: 'base64'
}

/** One chunk of a body, or one frame of a socket, as sent over the wire. */
export interface RunChunk extends RunText {
  /** ms since the run started. */
  readonly at: number
  /** The sender of a frame; only of sockets. */
  readonly from?: 'client' | 'server'
}

/** A run of an agent inside another run. */
export interface RunSpan {
  /** The number of the span, from 1; the run itself is 0. */
  readonly id: number
  readonly parentId: number
  readonly route: string
  /** ms since the run started. */
  readonly startedAt: number
  /** Null if it had not ended when the run did. */
  readonly endedAt: number | null
  readonly input: RunText | null
  /** The value, or all its chunks as NDJSON. */
  readonly output: RunText | null
  readonly chunks: number
  readonly error: RunError | null
}

/** A log line of a handler. */
export interface RunLog {
  /** ms since the run started. */
  readonly at: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** The redacted fields as JSON, or null. */
  readonly fields: string | null
  /** The span that logged it; 0 is the run itself. */
  readonly spanId: number
}

/** One line of a stack. */
export interface RunFrame {
  readonly name: string
  /** Relative to the project for files inside it, otherwise as in the stack. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Whether it is code of Node or of a library, which the UI collapses. */
  readonly isForeign: boolean
}

/** An error that a handler threw. */
export interface RunError {
  readonly name: string
  readonly message: string
  /** The code of an `ApiError`, otherwise null. */
  readonly code: string | null
  readonly frames: readonly RunFrame[]
  /** The source lines around the first frame of the project; empty without such a frame. */
  readonly codeFrame: string
  readonly cause: RunError | null
}

/** Header lines with lower-case names, in order; secrets are redacted. */
export type RunHeaders = readonly (readonly [name: string, value: string])[]

/** A recorded run with all its data. */
export interface Run extends RunSummary {
  readonly request: { readonly headers: RunHeaders; readonly body: RunText | null }
  /** Null if no response was sent. `at`: ms from the start of the run until the head was sent. */
  readonly response: { readonly headers: RunHeaders; readonly at: number } | null
  /** The body as it was sent: one entry for a whole body, for each chunk of a stream, or for each frame of a socket. */
  readonly pieces: readonly RunChunk[]
  readonly spans: readonly RunSpan[]
  readonly logs: readonly RunLog[]
  readonly thrown: RunError | null
  readonly traceId: string | null
  /** The close code and reason of a socket. */
  readonly closed: { readonly code: number; readonly reason: string } | null
}

/** Returns the part of a run that lists show. */
export function toSummary({ request: _1, response: _2, pieces: _3, spans: _4, logs: _5, ...run }: Run): RunSummary {
  const { thrown: _6, traceId: _7, closed: _8, ...summary } = run
  return summary
}
