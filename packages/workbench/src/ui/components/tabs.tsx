import { useId, type KeyboardEvent, type ReactNode } from 'react'
import { toCount } from './format.ts'

/** A tab with its view. */
export interface Tab<Name extends string> {
  readonly name: Name
  /** The number of items in the view. Not shown if omitted. */
  readonly count?: number | undefined
  readonly view: ReactNode
}

interface TabsProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly selected: Name
  readonly onSelect: (name: Name) => void
  readonly children?: ReactNode
}

/** Tabs that show one of several views. The arrow keys switch between them. */
export function Tabs<Name extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Name>): ReactNode {
  const id = useId()
  const current = tabs.find(({ name }) => name === selected) ?? tabs[0]

  function onKeyDown(event: KeyboardEvent): void {
    if (current === undefined) return
    const at = tabs.indexOf(current)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]
    const next = to === undefined ? undefined : tabs.at(to % tabs.length)
    if (next === undefined) return
    event.preventDefault()
    onSelect(next.name)
    document.getElementById(`${id}-${next.name}`)?.focus()
  }

  return (
    <section className="tabbed" aria-label={label}>
      <div className="tab-bar">
        <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
          {tabs.map(({ name, count }) => (
            <button
              key={name}
              id={`${id}-${name}`}
              type="button"
              role="tab"
              aria-selected={name === current?.name}
              aria-controls={`${id}-view`}
              tabIndex={name === current?.name ? 0 : -1}
              onClick={() => onSelect(name)}
            >
              {name}
              {count !== undefined && count > 0 && <span className="count">{toCount(count)}</span>}
            </button>
          ))}
        </div>
        {children}
      </div>
      <div
        className="view"
        role="tabpanel"
        id={`${id}-view`}
        aria-labelledby={current === undefined ? undefined : `${id}-${current.name}`}
        tabIndex={0}
      >
        {current?.view}
      </div>
    </section>
  )
}
