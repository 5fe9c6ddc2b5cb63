import { useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { CopyButton } from './copy-button.tsx'
import { ROWS_PER_PAGE, toPathText, toValuePreview, toRows, type JsonOpening, type JsonRow } from './json-rows.ts'

const MAX_LINE_TEXT = 400

/** A value as a tree with arrow-key navigation. The selected value or its path can be copied in the line below. */
export function JsonView({ value, label }: { value: unknown; label: string }): ReactNode {
  const tree = useRef<HTMLDivElement>(null)
  const [opening, setOpening] = useState<JsonOpening>({ toggled: new Set(), shown: new Map() })
  const [chosen, setChosen] = useState('[]')
  const rows = useMemo(() => toRows(value, opening), [value, opening])
  const row = rows.find(({ key }) => key === chosen) ?? rows[0]

  function choose(next: JsonRow | undefined): void {
    if (next === undefined) return
    setChosen(next.key)
    tree.current?.querySelectorAll<HTMLElement>('[role=treeitem]')[rows.indexOf(next)]?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = row === undefined ? null : keyTarget(event.key, rows, rows.indexOf(row))
    if (row === undefined || step === null) return
    event.preventDefault()
    if (step === 'toggle') setOpening(opened(opening, row))
    else choose(rows[step])
  }

  return (
    <div className="json">
      <div className="json-tree" ref={tree} role="tree" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
        {rows.map((line) => (
          <JsonLine
            key={line.key}
            row={line}
            isChosen={line === row}
            onChoose={() => {
              choose(line)
              setOpening(opened(opening, line))
            }}
          />
        ))}
      </div>
      {row !== undefined && (
        <div className="json-foot">
          <span className="path cut">{toPathText(row.path)}</span>
          <CopyButton label="Copy value" text={() => toCopied(row.value)} />
          <CopyButton label="Copy path" text={toPathText(row.path)} />
        </div>
      )}
    </div>
  )
}

function JsonLine({ row, isChosen, onChoose }: { row: JsonRow; isChosen: boolean; onChoose: () => void }): ReactNode {
  const { name, level, size, isOpen, hidden, position, siblings } = row
  return (
    <div
      className="json-line"
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isChosen}
      aria-expanded={size === null || size === 0 ? undefined : isOpen}
      tabIndex={isChosen ? 0 : -1}
      style={{ paddingInlineStart: 6 + (level - 1) * 16 }}
      onClick={onChoose}
    >
      {size !== null && size > 0 ? <ChevronRight size={13} aria-hidden className="json-turn" /> : <i />}
      {name !== null && <span className={typeof name === 'number' ? 'quiet' : 'json-name'}>{name}:</span>}
      {hidden > 0 ? <span className="quiet">{hidden} more</span> : <Value row={row} isWhole={isChosen} />}
    </div>
  )
}

function Value({ row: { value, size, isOpen }, isWhole }: { row: JsonRow; isWhole: boolean }): ReactNode {
  const preview = toValuePreview(value)
  const count = Array.isArray(value) ? `[${size}]` : `{${size}}`
  if (size !== null) return <span className="quiet">{isOpen ? count : preview}</span>
  const text = isWhole || preview.length <= MAX_LINE_TEXT ? preview : `${preview.slice(0, MAX_LINE_TEXT)}…`
  return (
    <span className="json-value" data-type={value === null ? 'null' : typeof value}>
      {text}
    </span>
  )
}

/** Returns the index of the row that a key moves to, `toggle` if it expands or collapses this row, or null. */
function keyTarget(key: string, rows: readonly JsonRow[], at: number): number | 'toggle' | null {
  const row = rows[at]
  const canOpen = row !== undefined && ((row.size ?? 0) > 0 || row.hidden > 0)
  if (key === 'ArrowDown') return Math.min(at + 1, rows.length - 1)
  if (key === 'ArrowUp') return Math.max(at - 1, 0)
  if (key === 'Home') return 0
  if (key === 'End') return rows.length - 1
  if (key === 'Enter' || key === ' ') return canOpen ? 'toggle' : null
  if (key === 'ArrowRight' && canOpen) return row.isOpen ? at + 1 : 'toggle'
  if (key !== 'ArrowLeft') return null
  if (row?.isOpen === true) return 'toggle'
  const parent = rows.findLastIndex(({ level }, index) => index < at && level < (row?.level ?? 1))
  return Math.max(0, parent)
}

function opened({ toggled, shown }: JsonOpening, { key, path, size, hidden }: JsonRow): JsonOpening {
  if (hidden > 0) {
    const parent = JSON.stringify(path)
    return { toggled, shown: new Map(shown).set(parent, (shown.get(parent) ?? ROWS_PER_PAGE) + ROWS_PER_PAGE) }
  }
  if (size === null) return { toggled, shown }
  const next = new Set(toggled)
  if (!next.delete(key)) next.add(key)
  return { toggled: next, shown }
}

function toCopied(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value))
}
