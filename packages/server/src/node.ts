import type { ServerResponse } from 'node:http'
import type { ApiError } from '@sdk/protocol'
import { errorReply } from './http/error-response.ts'

export { RUN_ID_HEADER } from '@sdk/protocol'
export { codeFrame, type SourcePosition } from './node/code-frame.ts'
export { collectEnvErrors } from './platform/env-error.ts'
export { matrixFolder } from './node/recording-files.ts'
export { recordModelCall, type ModelRecording } from './testing/model-recording.ts'
export { findSources, pathExists, type AgentSource, type ProjectSources } from './node/project-sources.ts'
export { errorFields, wrapLog } from './log/log.ts'
export { printable } from './log/log-line.ts'
export { isSecret, toLogText } from './log/log-value.ts'
export { createTerminalStyle, type TerminalStyle } from './log/terminal-style.ts'
export { isReplyStream } from './http/reply.ts'
export { mergeDefaultHeaders } from './guard/default-headers.ts'
export type { ProcessPool } from './platform/process-pool.ts'
export { isSystemPath } from './app/system-endpoints.ts'
export { attach, type Attached, type AttachOptions } from './node/attach.ts'
export { writeErrorResponse } from './node/malformed-request.ts'
export { createNodeHandler } from './node/serve.ts'
export { inspectRun } from './run/inspect-run.ts'
export { createSocketHub, type SocketHub } from './socket/hub.ts'
export { type AcceptedClient, type ClientConnection } from './socket/accepted-client.ts'
export type { ModelStepEnd, ModelStepObserver, ModelStepStart } from './observe/model-step.ts'
export { observeLog, type SocketObserver } from './observe/request-observer.ts'
export type { SharedText, Transport } from './socket/transport.ts'

/** Sends an error response to a `node:http` request, in the same format as an app. */
export function sendError(response: ServerResponse, error: ApiError): void {
  const { status, headers, body } = errorReply(error)
  response.writeHead(status, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers })
  response.end(body)
}
