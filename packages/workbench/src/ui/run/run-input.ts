import type { Run, RunText } from '../../run.ts'
import { EMPTY_INPUT, type CallInput } from '../input/call-input.ts'

/** Returns the input of a span; undefined where there is no such span, or the input was truncated. */
export function inputOfSpan(run: Run, spanId: number): CallInput | undefined {
  const text = run.spans.find(({ id }) => id === spanId)?.input ?? null
  return text === null || isLost(text) ? undefined : { ...EMPTY_INPUT, body: text.text }
}

/** Was a body not kept whole, so that the same call cannot be made again? */
export function isLost(text: RunText | null): boolean {
  return text !== null && (text.isCut || text.encoding !== undefined)
}
