/** What went wrong, and the way on. */
import { useEffect, useRef, type ReactNode } from 'react'

interface NoticeProps {
  children: ReactNode
  /** What its buttons do, by their names. */
  actions?: Readonly<Record<string, () => void>>
}

export function Notice({ children, actions }: NoticeProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={box} className="notice" role="alert">
      <p>{children}</p>
      {Object.entries(actions ?? {}).map(([name, act]) => (
        <button key={name} type="button" className="plain" onClick={act}>
          {name}
        </button>
      ))}
    </div>
  )
}
