import type { ReactNode } from 'react'

interface SegmentedControlProps<Name extends string> {
  readonly label: string
  readonly names: readonly Name[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}

/** A few ways to show the same thing, of which one is on. */
export function SegmentedControl<Name extends string>({
  label,
  names,
  chosen,
  onChoose,
}: SegmentedControlProps<Name>): ReactNode {
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
