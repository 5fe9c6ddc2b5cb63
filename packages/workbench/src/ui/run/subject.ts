import type { Run, RunState } from '../../run.ts'
import type { RunnerCall } from '../runner/runner-call.ts'
import { EMPTY_RECORDING, fromRun, type StreamRecording } from './stream/recording.ts'

/** The run shown by the views: this page's call, the recorded run, or both. */
export interface Subject {
  /** A key that identifies the run. */
  readonly key: string
  readonly state: RunState | 'idle'
  readonly status: number
  /** The server's recording if the run has ended and was recorded, otherwise this page's recording. */
  readonly recording: StreamRecording
  /** The recording that contains more of the body, since the server stores only part of a large body. */
  readonly fullest: StreamRecording
  /** This page's recording, if the page made the call. */
  readonly seen: StreamRecording | undefined
  /** The output as parsed by the client, if this page made the call. */
  readonly output: unknown
}

/** Combines the call that this page made with its recorded run. */
export function toSubject(call: RunnerCall | null, run: Run | undefined): Subject {
  const isOwn = call !== null && call.state !== 'idle' && (run === undefined || run.requestId === call.requestId)
  const own = isOwn ? call : null
  if (own !== null && (run === undefined || run.state === 'running' || own.isRunning)) return fromCall(own)
  if (run === undefined) return IDLE_SUBJECT
  const recording = fromRun(run)
  const isCut = recording.chunks.some((chunk) => chunk.isCut)
  return {
    key: run.requestId,
    state: run.state,
    status: run.status,
    recording,
    fullest: isCut && own !== null ? own.recording : recording,
    seen: own?.recording,
    output: own?.output,
  }
}

const IDLE_SUBJECT: Subject = {
  key: '',
  state: 'idle',
  status: 0,
  recording: EMPTY_RECORDING,
  fullest: EMPTY_RECORDING,
  seen: undefined,
  output: undefined,
}

function fromCall({ state, requestId, recording, output, error }: RunnerCall): Subject {
  const isRefusal = state === 'failed' && (error?.status ?? 500) < 500 && (error?.status ?? 0) >= 400
  return {
    key: requestId ?? '',
    state: isRefusal ? 'refused' : state,
    status: recording.status,
    recording,
    fullest: recording,
    seen: recording,
    output,
  }
}
