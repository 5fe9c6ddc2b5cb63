import { useSyncExternalStore, type ReactNode } from 'react'
import { toasts } from '../components/toast.ts'

/** What `say` was called with in the last seconds. */
export function Toasts(): ReactNode {
  const now = useSyncExternalStore(toasts.subscribe, toasts.snapshot)
  return (
    <div className="toasts" role="status">
      {now.map(({ id, text, tone }) => (
        <p key={id} className="toast" data-tone={tone}>
          {text}
        </p>
      ))}
    </div>
  )
}
