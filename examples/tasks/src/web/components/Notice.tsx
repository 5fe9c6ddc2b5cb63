/** What went wrong, and the way on. */
import type { ReactNode } from 'react'

interface NoticeProps {
  children: ReactNode
  /** What its button does, by the button's name. */
  actions?: Readonly<Record<string, () => void>>
}

export function Notice({ children, actions }: NoticeProps) {
  return (
    <div className="notice" role="alert">
      <p>{children}</p>
      {Object.entries(actions ?? {}).map(([name, act]) => (
        <button key={name} type="button" className="plain" onClick={act}>
          {name}
        </button>
      ))}
    </div>
  )
}
