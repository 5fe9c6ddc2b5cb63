import { isEnvelope, toEnvelope, type ErrorEnvelope } from '@sdk/protocol'
import type { Run, RunError } from '../../../run.ts'
import { parseJson } from '../../components/parse-json.ts'
import type { CallInput } from '../../input/call-input.ts'
import type { RunnerCall } from '../../runner/runner-call.ts'
import { toOutputText } from '../stream/output.ts'
import type { StreamRecording } from '../stream/recording.ts'
import type { Subject } from '../subject.ts'

/** A run that went wrong: all that is known of why. */
export interface RunFailure {
  readonly message: string
  /** 0: there was no answer. */
  readonly status: number
  readonly code: string | null
  /** The error envelope that the caller got; null where there was none. */
  readonly envelope: ErrorEnvelope | null
  /** The error that the handler threw; null where there is none, or it is not known yet. */
  readonly thrown: RunError | null
  readonly recording: StreamRecording
  readonly run: Run | undefined
  readonly route: string
  readonly input: CallInput
}

type FailureInput = Pick<RunFailure, 'run' | 'route' | 'input'> & { subject: Subject; call: RunnerCall | null }

/** Collects why a run failed; null where it did not. */
export function toRunFailure({ subject, call, run, route, input }: FailureInput): RunFailure | null {
  const { state, status, recording, key } = subject
  if (state !== 'failed' && state !== 'refused') return null
  const error = call?.requestId === key ? call.error : null
  const known = run?.requestId === key ? run : undefined
  // Without an answer there is no envelope: the error is the client's own.
  const envelope = readEnvelope(recording) ?? (error === null || status === 0 ? null : toEnvelope(error))
  const thrown = known?.thrown ?? null
  return {
    message: thrown?.message ?? envelope?.error.message ?? error?.message ?? known?.error ?? `It answered ${status}`,
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

/** The envelope of an answer: its whole body, or the last line of a stream that broke. */
function readEnvelope(recording: StreamRecording): ErrorEnvelope | null {
  const last = recording.chunks.at(-1)
  if (last === undefined) return null
  const text = toOutputText({ ...recording, chunks: recording.chunks.length === 1 ? recording.chunks : [last] }).trim()
  const lines = [text, text.split('\n').at(-1) ?? '']
  return lines.map((line) => parseJson(line.replace(/^data: /, ''))).find(isEnvelope) ?? null
}
