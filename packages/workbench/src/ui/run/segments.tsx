import type { ReactNode } from 'react'

interface SegmentsProps<Name extends string> {
  readonly label: string
  readonly names: readonly Name[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}

/** A few ways to show the same thing, of which one is on. */
export function Segments<Name extends string>({ label, names, chosen, onChoose }: SegmentsProps<Name>): ReactNode {
  return (
    <div className="segments" role="group" aria-label={label}>
      {names.map((name) => (
        <button key={name} type="button" aria-pressed={name === chosen} onClick={() => onChoose(name)}>
          {name}
        </button>
      ))}
    </div>
  )
}
