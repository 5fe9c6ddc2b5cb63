import { useState, type ReactNode } from 'react'

interface QueryTextProps {
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (next: Readonly<Record<string, string>>) => void
}

/** A query as text, for a route whose parameters are not known. */
export function QueryText({ values, onChange }: QueryTextProps): ReactNode {
  // The typed text is kept, as `a=` and `a` are the same query.
  const [text, setText] = useState(() => new URLSearchParams(values).toString())
  return (
    <fieldset className="parameters">
      <legend>Query</legend>
      <label className="field">
        <span className="unseen">Query</span>
        <input
          className="mono"
          placeholder="a=1&b=2"
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            onChange(Object.fromEntries(new URLSearchParams(event.target.value)))
          }}
        />
      </label>
    </fieldset>
  )
}
