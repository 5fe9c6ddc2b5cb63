import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Manifest } from '../../../manifest.ts'
import { useModal } from '../../components/dialog.tsx'
import { Keys } from '../../components/keys.tsx'
import { search, type PaletteEntry } from './search.ts'
import { usePaletteEntries, type PaletteDialogs } from './use-entries.ts'
import './palette.css'

interface PaletteProps {
  readonly manifest: Manifest | undefined
  readonly dialogs: PaletteDialogs
  readonly onClose: () => void
}

/** The command palette, which searches pages, routes, runs and commands as you type. */
export function Palette({ manifest, dialogs, onClose }: PaletteProps): ReactNode {
  const id = useId()
  const modal = useModal()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const found = search(usePaletteEntries(manifest, dialogs), query)
  const chosen = found[Math.min(at, found.length - 1)]

  function choose(entry: PaletteEntry | undefined): void {
    if (entry === undefined) return
    onClose()
    entry.onSelect()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const isToggle = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)
    if (step === undefined && event.key !== 'Enter' && !isToggle) return
    event.preventDefault()
    if (step !== undefined) setAt((Math.min(at, found.length - 1) + step + found.length) % Math.max(1, found.length))
    else if (isToggle) onClose()
    else choose(chosen)
  }

  return (
    <dialog
      className="palette"
      ref={modal}
      aria-label="Search and commands"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose()
      }}
    >
      <input
        role="combobox"
        aria-label="Search agents, routes, runs and commands"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${found.indexOf(chosen)}`}
        placeholder="Search agents, routes, runs and commands"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <PaletteResults id={id} query={query} found={found} chosen={chosen} onChoose={choose} />
    </dialog>
  )
}

interface PaletteResultsProps {
  readonly id: string
  readonly query: string
  readonly found: readonly PaletteEntry[]
  readonly chosen: PaletteEntry | undefined
  readonly onChoose: (entry: PaletteEntry) => void
}

function PaletteResults({ id, query, found, chosen, onChoose }: PaletteResultsProps): ReactNode {
  return (
    <>
      <div id={`${id}-list`} className="palette-list" role="listbox" aria-label="Results">
        {found.map((entry, index) => (
          <PaletteOption
            key={entry.key}
            id={`${id}-${index}`}
            entry={entry}
            isChosen={entry === chosen}
            onChoose={() => onChoose(entry)}
          />
        ))}
      </div>
      {found.length === 0 && (
        <p className="quiet palette-none" role="status">
          No results for “{query}”
        </p>
      )}
    </>
  )
}

interface PaletteOptionProps {
  readonly id: string
  readonly entry: PaletteEntry
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function PaletteOption({ id, entry: { name, kind, hint, keys }, isChosen, onChoose }: PaletteOptionProps): ReactNode {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isChosen) ref.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    // The input field keeps the focus and handles all keys.
    <div
      ref={ref}
      id={id}
      className="palette-option"
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onClick={onChoose}
    >
      <span className="palette-kind" data-kind={kind.toLowerCase()}>
        {kind}
      </span>
      <span className="cut">{name}</span>
      {hint !== undefined && <span className="cut quiet small">{hint}</span>}
      {keys !== undefined && <Keys of={keys} />}
    </div>
  )
}
