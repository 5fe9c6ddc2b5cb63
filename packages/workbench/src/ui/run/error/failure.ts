import { isEnvelope, toEnvelope, type ErrorEnvelope } from '@sdk/protocol'
import type { Run, RunError } from '../../../run.ts'
import { parseJson } from '../../components/parse-json.ts'
import type { CallInput } from '../../input/call-input.ts'
import type { RunnerCall } from '../../runner/runner-call.ts'
import { toOutputText } from '../stream/output.ts'
import type { StreamRecording } from '../stream/recording.ts'
import type { Subject } from '../subject.ts'

/** A failed run, with everything that is known about its error. */
export interface RunFailure {
  readonly message: string
  /** The response status, or 0 if there was no response. */
  readonly status: number
  readonly code: string | null
  /** The error envelope that the caller received, or null if there was none. */
  readonly envelope: ErrorEnvelope | null
  /** The error that the handler threw, or null if it threw nothing or the error is not known yet. */
  readonly thrown: RunError | null
  readonly recording: StreamRecording
  readonly run: Run | undefined
  readonly route: string
  readonly input: CallInput
}

type FailureInput = Pick<RunFailure, 'run' | 'route' | 'input'> & { subject: Subject; call: RunnerCall | null }

/** Collects the data about a failed run, or returns null if the run did not fail. */
export function toRunFailure({ subject, call, run, route, input }: FailureInput): RunFailure | null {
  const { state, status, recording, key } = subject
  if (state !== 'failed' && state !== 'refused') return null
  const error = call?.requestId === key ? call.error : null
  const known = run?.requestId === key ? run : undefined
  // Without a response, there is no envelope: the error was created by the client.
  const envelope = readEnvelope(recording) ?? (error === null || status === 0 ? null : toEnvelope(error))
  const thrown = known?.thrown ?? null
  return {
    message: thrown?.message ?? envelope?.error.message ?? error?.message ?? known?.error ?? `Status ${status}`,
    status,
    code: envelope?.error.code ?? error?.code ?? thrown?.code ?? null,
    envelope,
    thrown,
    recording,
    run: known,
    route,
    input,
  }
}

/** Reads the error envelope from a response. It is either the complete body or the last line of a failed stream. */
function readEnvelope(recording: StreamRecording): ErrorEnvelope | null {
  const last = recording.chunks.at(-1)
  if (last === undefined) return null
  const text = toOutputText({ ...recording, chunks: recording.chunks.length === 1 ? recording.chunks : [last] }).trim()
  const lines = [text, text.split('\n').at(-1) ?? '']
  return lines.map((line) => parseJson(line.replace(/^data: /, ''))).find(isEnvelope) ?? null
}
