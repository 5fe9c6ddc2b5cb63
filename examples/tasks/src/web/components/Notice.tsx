/** An error message with the actions to resolve it. */
import { useEffect, useRef, type ReactNode } from 'react'

interface NoticeProps {
  children: ReactNode
  /** The actions of the buttons, by label. */
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
