import type { ReactNode } from 'react'
import { Pill, type Tone } from '../components/pill.tsx'
import type { ResponseInfo } from './operation-info.ts'

/** What a route may answer, with the schemas of its bodies. */
export function ResponseList({ responses }: { responses: readonly ResponseInfo[] }): ReactNode {
  if (responses.length === 0) return null
  return (
    <details className="responses">
      <summary>
        Responses <span className="count">{responses.length}</span>
      </summary>
      {responses.map(({ status, description, schema }) => (
        <details key={status} className="response">
          <summary>
            <Pill tone={statusTone(status)}>{status}</Pill> {description}
          </summary>
          {schema === null ? (
            <p className="quiet small">No body, or one of any kind.</p>
          ) : (
            <pre tabIndex={0}>{JSON.stringify(schema, null, 2)}</pre>
          )}
        </details>
      ))}
    </details>
  )
}

function statusTone(status: string): Tone {
  if (status.startsWith('2')) return 'good'
  return status.startsWith('4') ? 'warn' : status.startsWith('5') ? 'bad' : 'quiet'
}
