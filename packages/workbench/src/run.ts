/**
 * The state of a run. `failed` means a 5xx response or a failed stream, `refused` means a 4xx response, and `cancelled`
 * means that the client disconnected.
 */
export type RunState = 'running' | 'done' | 'failed' | 'refused' | 'cancelled'

/** The user who made the call. */
export interface RunIdentity {
  readonly userId: string
  /** The user's email, or null if the user could not be loaded. */
  readonly email: string | null
  readonly name: string | null
}

/** A call to an agent or a route, or a socket connection, as shown in lists. */
export interface RunSummary {
  /** The id. Later runs have greater ids. */
  readonly id: string
  readonly requestId: string
  /** The full name of the route, or null if no route matched. */
  readonly route: string | null
  /** The route that the request was sent to, if the client calls `route` as a tool, such as `POST /api/mcp`. */
  readonly via?: string
  readonly kind: 'agent' | 'route' | 'socket'
  readonly method: string
  /** The path and query as sent, with secrets in the query redacted. */
  readonly target: string
  readonly state: RunState
  /** The response status, or 0 until it is known. */
  readonly status: number
  /** The start time, in ms since the Unix epoch. */
  readonly startedAt: number
  /** The duration in ms, or null while the run is in progress. */
  readonly ms: number | null
  /** The size of the response body or of all socket frames, in bytes. */
  readonly bytes: number
  /** The number of chunks in a stream, or of socket frames in both directions; 0 if the body was not streamed. */
  readonly chunks: number
  /** The kind of client: `workbench`, `browser`, `sdk run`, `curl`, or the first word of its user agent. */
  readonly caller: string
  /** The user, or null if the caller was not signed in. */
  readonly identity: RunIdentity | null
  /** The error as a single line, or null if there was none. */
  readonly error: string | null
  /** The version of the code that ran. It starts at 1 and increases each time the dev server loads the code. */
  readonly revision: number
  readonly isPinned: boolean
  /** The id of the durable run whose handler the call executed. @default none */
  readonly durableRun?: string
}

/** A body or a part of one. At most 1 MB of text is stored per run. */
export interface RunText {
  readonly text: string
  /** The original size in bytes, even if the text is truncated. */
  readonly bytes: number
  readonly isCut: boolean
  /** The encoding of `text`, set if the bytes are not valid UTF-8. @default 'utf-8' */
  readonly encoding?: 'base64'
}

/** One chunk of a body, or one frame of a socket, as sent over the wire. */
export interface RunChunk extends RunText {
  /** The time since the run started, in ms. */
  readonly at: number
  /** The sender of a socket frame; not set for bodies. */
  readonly from?: 'client' | 'server'
}

/** A call to an agent that was made during a run. */
export interface RunSpan {
  /** The span's number, starting at 1; 0 is the run itself. */
  readonly id: number
  readonly parentId: number
  readonly route: string
  /** The start time, in ms since the run started. */
  readonly startedAt: number
  /** The end time, in ms since the run started, or null if the span was still open when the run ended. */
  readonly endedAt: number | null
  readonly input: RunText | null
  /** The value, or all chunks as NDJSON if the output was streamed. */
  readonly output: RunText | null
  readonly chunks: number
  readonly error: RunError | null
  /** The id of the tool call with which a model has called the agent. @default none */
  readonly toolCallId?: string | undefined
}

/** The tokens of a model call. `cached` is a part of `input`, and `reasoning` is a part of `output`. */
export type RunTokens = Readonly<Record<'input' | 'cached' | 'output' | 'reasoning', number>>

/** A tool that the AI SDK executed because a model called it. */
export interface RunToolCall {
  readonly id: string
  readonly name: string
  readonly startedAt: number
  readonly endedAt: number | null
  readonly hasFailed: boolean
}

/** A step of a model: one request to it, made with the AI SDK. */
export interface RunModelStep {
  /** The span that called the model; 0 is the run itself. */
  readonly spanId: number
  /** A number that the steps of one call of the AI SDK share. */
  readonly call: number
  /** The index of the step in its call. */
  readonly index: number
  readonly provider: string
  readonly model: string
  /** The start time, in ms since the run started. */
  readonly startedAt: number
  /** The end time, or null if the step had not ended when the run was stored. */
  readonly endedAt: number | null
  /** The time until the first chunk in ms, or null if it is not known. */
  readonly firstMs: number | null
  /** The finish reason of the model, `error`, or `aborted`. Null until the step ends. */
  readonly finishReason: string | null
  /** The tokens, or null if the provider did not report them. */
  readonly tokens: RunTokens | null
  /** The request as JSON: the system prompt, the messages, and the tools. */
  readonly input: RunText
  /** The parts of the answer as JSON. */
  readonly output: RunText | null
  readonly toolCalls: readonly RunToolCall[]
  readonly error: RunError | null
}

/** A request to a model and its response, as a file that `testApp` replays. */
export interface RunRecording {
  /** The name of the file, without a folder. */
  readonly file: string
  /** The JSON. It is truncated if it is too large, or contains a value that must not be stored. */
  readonly json: RunText
}

/** A line that a handler logged. */
export interface RunLog {
  /** The time since the run started, in ms. */
  readonly at: number
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  /** The redacted fields as JSON, or null if there are none. */
  readonly fields: string | null
  /** The span that logged the line; 0 is the run itself. */
  readonly spanId: number
}

/** One line of a stack trace. */
export interface RunFrame {
  readonly name: string
  /** The path relative to the project if the file is inside it, otherwise as it appears in the stack. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Whether the frame is in Node or a library; the UI collapses these frames. */
  readonly isForeign: boolean
}

/** An error that a handler threw. */
export interface RunError {
  readonly name: string
  readonly message: string
  /** The code if the error is an `ApiError`, otherwise null. */
  readonly code: string | null
  readonly frames: readonly RunFrame[]
  /** The source lines around the first frame in the project, or an empty string if there is no such frame. */
  readonly codeFrame: string
  readonly cause: RunError | null
}

/** Header lines in order, with lower-case names. Secrets are redacted. */
export type RunHeaders = readonly (readonly [name: string, value: string])[]

/** A recorded run with all its data. */
export interface Run extends RunSummary {
  readonly request: { readonly headers: RunHeaders; readonly body: RunText | null }
  /**
   * The response, or null if none was sent. `at` is the time at which the head was sent, in ms since the run started.
   */
  readonly response: { readonly headers: RunHeaders; readonly at: number } | null
  /** The body as sent: one entry for a complete body, or one entry per stream chunk or socket frame. */
  readonly pieces: readonly RunChunk[]
  readonly spans: readonly RunSpan[]
  /** The model calls, in the order in which they started. */
  readonly models: readonly RunModelStep[]
  /** The requests to models, in the order of their responses. */
  readonly recordings: readonly RunRecording[]
  readonly logs: readonly RunLog[]
  readonly thrown: RunError | null
  readonly traceId: string | null
  /** The code and reason with which a socket was closed. */
  readonly closed: { readonly code: number; readonly reason: string } | null
}

/** Returns the part of a run that is shown in lists. */
export function toSummary({ request: _1, response: _2, pieces: _3, spans: _4, logs: _5, ...run }: Run): RunSummary {
  const { models: _6, recordings: _7, thrown: _8, traceId: _9, closed: _10, ...summary } = run
  return summary
}
