import type { ReactNode } from 'react'

type SegmentsProps<Name> = { label: string; names: readonly Name[]; chosen: Name; onChoose: (name: Name) => void }

/** A control for choosing one of a few options. */
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
