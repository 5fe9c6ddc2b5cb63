import type { ReactNode } from 'react'
import type { StoredJson } from '../../api.ts'
import { toCount } from '../components/format.ts'
import { JsonView } from '../components/json-view.tsx'
import { parseJson } from '../components/parse-json.ts'

/** Stored JSON as a tree, or as text if it is truncated. */
export function StoredJsonView({ label, json }: { label: string; json: StoredJson | null }): ReactNode {
  if (json === null) return <p className="quiet">No value</p>
  if (json.text.length === json.size) return <JsonView label={label} value={parseJson(json.text)} />
  return (
    <>
      <pre tabIndex={0}>{json.text}</pre>
      <p className="notice">
        Truncated: the first {toCount(json.text.length)} of {toCount(json.size)} characters are shown.
      </p>
    </>
  )
}
