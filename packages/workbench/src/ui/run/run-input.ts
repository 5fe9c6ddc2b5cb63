import type { Run, RunText } from '../../run.ts'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'

/** Returns the input of a span, or undefined if the span does not exist or its input was truncated. */
export function inputOfSpan(run: Run, spanId: number): CallInput | undefined {
  const text = run.spans.find(({ id }) => id === spanId)?.input ?? null
  return text === null || isLost(text) ? undefined : { ...EMPTY_INPUT, body: text.text }
}

/** Returns whether a body was not stored completely, in which case the call cannot be repeated. */
export function isLost(text: RunText | null): boolean {
  return text !== null && (text.isCut || text.encoding !== undefined)
}
