import type { ReactNode } from 'react'
import type { RunInspection } from '../../api.ts'
import { Empty } from '../components/empty.tsx'
import { toTimestamp } from '../components/format.ts'
import { StoredJsonView } from './stored-json-view.tsx'

/** The events that were sent to a run. */
export function EventsView({ found: { events } }: { found: RunInspection }): ReactNode {
  if (events.length === 0)
    return (
      <Empty title="No events">
        <p>
          Events that are sent to the run, for which it can wait with <code>ctx.wait</code>, are shown here.
        </p>
      </Empty>
    )
  return (
    <ul className="rows durable-events">
      {events.map(({ key, value, at }) => (
        <li key={key}>
          <h3>
            {key} <span className="count">{toTimestamp(Date.parse(at))}</span>
          </h3>
          {value === null ? <p className="quiet">Timed out</p> : <StoredJsonView label={`Event ${key}`} json={value} />}
        </li>
      ))}
    </ul>
  )
}
