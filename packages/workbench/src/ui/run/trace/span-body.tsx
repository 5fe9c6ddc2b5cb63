import type { ReactNode } from 'react'
import type { RunText } from '../../../run.ts'
import { toSize } from '../../components/format.ts'
import { JsonView } from '../../components/json-view.tsx'
import { parseJson } from '../../components/parse-json.ts'

/** An input or output, as a tree if it is JSON or NDJSON. */
export function SpanBody({ title, text }: { title: string; text: RunText | null }): ReactNode {
  if (text === null) return null
  const value = parseBody(text)
  return (
    <>
      <h3>
        {title} <span className="count">{toSize(text.bytes)}</span>
      </h3>
      {value === undefined ? <pre tabIndex={0}>{text.text}</pre> : <JsonView label={title} value={value} />}
      {text.isCut && <p className="notice">Truncated: only part of this value was stored.</p>}
    </>
  )
}

/** Parses JSON or NDJSON, or returns undefined if the text is neither. */
function parseBody({ text, isCut }: RunText): unknown {
  if (isCut) return undefined
  const whole = parseJson(text)
  if (whole !== undefined) return whole
  const lines = text.trim().split('\n').map(parseJson)
  return lines.includes(undefined) ? undefined : lines
}
