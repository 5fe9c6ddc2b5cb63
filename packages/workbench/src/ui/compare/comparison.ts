import type { Run } from '../../run.ts'
import { toCount, toDuration, toSize } from '../components/format.ts'
import { parseJson } from '../components/parse-json.ts'
import { toOutput, toOutputText } from '../run/stream/output.ts'
import { fromRun, joinChunks } from '../run/stream/recording.ts'
import { identityLabel } from '../runs/run-row.tsx'
import type { Comparable } from './diff-rows.ts'

/** A metric for two runs, side by side. */
export interface Delta {
  readonly name: string
  readonly a: string
  readonly b: string
  /** The difference between `a` and `b`, or an empty string if they are equal. */
  readonly delta: string
  /** Whether the difference is good, bad, or neither. For most metrics, lower is better. */
  readonly tone: 'good' | 'bad' | 'quiet'
}

/** Compares the metrics of two runs. */
export function toDeltas(a: Run, b: Run): Delta[] {
  const by = (name: string, read: (run: Run) => string): Delta => {
    const [left, right] = [read(a), read(b)]
    return { name, a: left, b: right, delta: left === right ? '' : 'differs', tone: 'quiet' }
  }
  // A run that failed early was not fast, so its times are neither good nor bad.
  const isJudged = a.state === 'done' && b.state === 'done'
  const timeDelta = (name: string, times: readonly [number | null, number | null]): Delta => {
    const delta = numberDelta(name, times, toDuration)
    return isJudged ? delta : { ...delta, tone: 'quiet' }
  }
  return [
    { ...by('Status', statusText), tone: statusTone(a, b) },
    timeDelta('Time', [a.ms, b.ms]),
    timeDelta('Headers', [a.response?.at ?? null, b.response?.at ?? null]),
    numberDelta('Size', [a.bytes, b.bytes], toSize),
    numberDelta('Chunks', [a.chunks, b.chunks], toCount),
    by('Identity', identityLabel),
    by('Caller', ({ caller }) => caller),
    by('Revision', ({ revision }) => String(revision)),
  ]
}

function statusText({ status, state }: Run): string {
  return state === 'done' || status >= 400 ? String(status) : state
}

function statusTone(a: Run, b: Run): Delta['tone'] {
  const [wasGood, isGood] = [a.state === 'done', b.state === 'done']
  return wasGood === isGood ? 'quiet' : isGood ? 'good' : 'bad'
}

/** Returns the outputs of two runs for comparison, truncated to the length that was stored for both. */
export function outputsOf(a: Run, b: Run): readonly [a: Comparable, b: Comparable] {
  const kept = [a, b].filter(isTruncatedRun).map((run) => toOutputText(fromRun(run), Infinity).length)
  const limit = Math.min(...kept)
  return [comparableOutput(a, limit), comparableOutput(b, limit)]
}

function comparableOutput(run: Run, limit: number): Comparable {
  const recording = fromRun(run)
  const output = toOutput(recording)
  if (output.kind === 'value') return { kind: 'json', value: output.value }
  if (output.kind === 'chunks') return { kind: 'json', value: output.values }
  if (output.kind === 'text')
    return { kind: 'text', text: withLines(toOutputText(recording, Infinity).slice(0, limit)) }
  return { kind: 'text', text: output.kind === 'nothing' ? '' : toHexLines(joinChunks(recording.chunks)) }
}

/** Returns a run's request for comparison, without headers that always differ, such as ids. */
export function requestOf({ method, target, request: { headers, body } }: Run): Comparable {
  const telling = headers.filter(([name]) => !/^(?:x-request-id|trace.*|content-length|date)$/.test(name))
  const parsed = parseJson(body?.text ?? 'null')
  // A body that is not JSON is compared as sent.
  const sent = parsed === undefined ? body?.text : parsed
  return { kind: 'json', value: { method, target, headers: Object.fromEntries(telling), body: sent } }
}

/** Returns whether only part of the output was stored. */
export function isTruncatedRun({ pieces }: Run): boolean {
  return pieces.some((piece) => piece.isCut)
}

function numberDelta(
  name: string,
  [a, b]: readonly [number | null, number | null],
  text: (value: number) => string,
): Delta {
  const known = { name, a: a === null ? '–' : text(a), b: b === null ? '–' : text(b) }
  if (a === null || b === null || a === b) return { ...known, delta: '', tone: 'quiet' }
  const percent = a === 0 ? '' : ` (${b > a ? '+' : '−'}${Math.round((Math.abs(b - a) / a) * 100)} %)`
  const isSlower = name === 'Time' || name === 'Headers'
  const tone = isSlower ? (b > a ? 'bad' : 'good') : 'quiet'
  return { ...known, delta: `${b > a ? '+' : '−'}${text(Math.abs(b - a))}${percent}`, tone }
}

/** Adds line breaks to truncated JSON, which cannot be parsed, so that its objects can be compared line by line. */
function withLines(text: string): string {
  return text.includes('\n') ? text : text.replaceAll('},', '},\n')
}

function toHexLines(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    lines.push(Array.from(bytes.subarray(at, at + 16), (byte) => byte.toString(16).padStart(2, '0')).join(' '))
  }
  return lines.join('\n')
}
