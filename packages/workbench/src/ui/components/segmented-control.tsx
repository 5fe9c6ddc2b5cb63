import type { ReactNode } from 'react'

type SegmentsProps<Name> = { label: string; names: readonly Name[]; chosen: Name; onChoose: (name: Name) => void }

/** A few ways to show the same thing, of which one is on. */
export function SegmentedControl<Name extends string>(props: SegmentsProps<Name>): ReactNode {
  const { label, names, chosen, onChoose } = props
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
