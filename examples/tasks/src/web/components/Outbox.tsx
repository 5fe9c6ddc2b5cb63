/** Shows the changes that wait for the network. They stay in the browser, even after a reload. */
import { useOutbox, type OutboxItem } from '@sdk/react/offline'
import { explain } from '../explain.ts'

export function Outbox() {
  const { items, retry, discard } = useOutbox()
  if (items.length === 0) return null
  return (
    <section className="outbox card" aria-label="Changes that wait">
      <p role="status">
        {items.length === 1 ? 'One change waits' : `${items.length} changes wait`} for the network, even if you close
        this page.
      </p>
      <ul>
        {items.slice(0, MAX_SHOWN).map((item) => (
          <li key={item.id}>
            {nameOf(item)} {item.error !== null && <strong>was rejected. {explain(item.error)}</strong>}
          </li>
        ))}
        {items.length > MAX_SHOWN && <li>and {items.length - MAX_SHOWN} more</li>}
      </ul>
      <div className="row">
        <button type="button" className="second small" onClick={() => void retry()}>
          Send now
        </button>
        <button type="button" className="plain small" onClick={() => void discard()}>
          Discard
        </button>
      </div>
    </section>
  )
}

const MAX_SHOWN = 3

/** Describes a change by its route and payload. */
function nameOf({ route, input }: OutboxItem): string {
  if (route.startsWith('DELETE')) return 'Delete a task'
  const { title, done } = input as { title?: string; done?: boolean }
  if (route.startsWith('POST')) return `Add “${title}”`
  return done === undefined ? 'Assign a task' : done ? 'Complete a task' : 'Reopen a task'
}
