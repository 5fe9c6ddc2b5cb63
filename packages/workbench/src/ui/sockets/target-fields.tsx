import { paramNames } from '@sdk/protocol'
import type { ReactNode } from 'react'

interface TargetFieldsProps {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly onParams: (next: Readonly<Record<string, string>>) => void
  /** As in an address, without its `?`. */
  readonly query: string
  readonly onQuery: (next: string) => void
}

/** What belongs to a socket's address: the parameters of its path, and its query. */
export function TargetFields({ path, params, onParams, query, onQuery }: TargetFieldsProps): ReactNode {
  return (
    <div className="target-fields">
      {paramNames(path).map((name) => (
        <label key={name}>
          <span>{name}</span>
          <input value={params[name] ?? ''} onChange={(event) => onParams({ ...params, [name]: event.target.value })} />
        </label>
      ))}
      <label>
        <span>Query</span>
        <input placeholder="a=1&b=2" value={query} onChange={(event) => onQuery(event.target.value)} />
      </label>
    </div>
  )
}
