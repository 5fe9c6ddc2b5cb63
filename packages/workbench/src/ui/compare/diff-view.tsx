import { useMemo, useState, type ReactNode } from 'react'
import { Empty } from '../components/empty.tsx'
import { toCount } from '../components/format.ts'
import { VirtualList } from '../components/virtual-list.tsx'
import { compareRows, onlyChanges, type Comparable, type DiffRow } from './diff-rows.ts'

const DIFF_ROW_HEIGHT = 26
const KIND_SIGNS = { same: ' ', open: ' ', added: '+', removed: '−', changed: '~' } as const
const KIND_LABELS = { same: 'same', open: 'inside', added: 'added', removed: 'removed', changed: 'changed' } as const
const MAX_VALUE_TEXT = 300

/** The diff of two values, line by line. The selected row is shown in full. */
export function DiffView({ a, b, label }: { a: Comparable; b: Comparable; label: string }): ReactNode {
  const [isShort, setShort] = useState(true)
  const [chosen, setChosen] = useState<DiffRow | null>(null)
  const all = useMemo(() => compareRows(a, b), [a, b])
  const changes = useMemo(() => onlyChanges(all), [all])
  if (changes.length === 0) return <Empty title={`${label}: no differences`} />
  const rows = isShort ? changes : all
  return (
    <section className="diff" aria-label={label}>
      <div className="toolbar">
        <span>
          {toCount(changes.length)} {changes.length === 1 ? 'change' : 'changes'}
        </span>
        <label className="check">
          <input type="checkbox" checked={isShort} onChange={(event) => setShort(event.target.checked)} />
          Only changes
        </label>
      </div>
      <div className="diff-rows" style={{ height: Math.min(16, rows.length) * DIFF_ROW_HEIGHT + 2 }}>
        <VirtualList
          key={String(isShort)}
          label={`${label}, line by line`}
          count={rows.length}
          rowHeight={DIFF_ROW_HEIGHT}
          render={(index) => {
            const row = rows[index]
            if (row === undefined) return null
            return <DiffLine row={row} isShort={isShort} isChosen={row === chosen} onChoose={() => setChosen(row)} />
          }}
        />
      </div>
      {chosen !== null && <Whole row={chosen} />}
    </section>
  )
}

interface DiffLineProps {
  readonly row: DiffRow
  /** Whether only changes are shown, in which case the row shows its full path. */
  readonly isShort: boolean
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function DiffLine({ row, isShort, isChosen, onChoose }: DiffLineProps): ReactNode {
  const { kind, pointer, name, depth, before, after } = row
  return (
    <button
      type="button"
      className="diff-line"
      data-kind={kind}
      aria-pressed={isChosen}
      style={{ paddingInlineStart: isShort ? 10 : 10 + depth * 16 }}
      onClick={onChoose}
    >
      <span className="diff-sign" role="img" aria-label={KIND_LABELS[kind]}>
        {KIND_SIGNS[kind]}
      </span>
      <span className="diff-name">{isShort ? pointer || 'whole' : name || 'whole'}</span>
      {kind === 'open' && <span className="quiet">…</span>}
      {kind !== 'added' && kind !== 'open' && <span className="diff-before">{toShortText(before)}</span>}
      {kind === 'changed' && <span className="quiet">→</span>}
      {(kind === 'added' || kind === 'changed') && <span className="diff-after">{toShortText(after)}</span>}
    </button>
  )
}

function Whole({ row: { kind, pointer, before, after } }: { row: DiffRow }): ReactNode {
  const sides = [
    ...(kind === 'added' || kind === 'open' ? [] : [{ side: 'A', value: before }]),
    ...(kind === 'added' || kind === 'changed' ? [{ side: 'B', value: after }] : []),
  ]
  return (
    <div className="diff-whole">
      {sides.map(({ side, value }) => (
        <figure key={side} className="code">
          <figcaption>{`${side} ${pointer}`}</figcaption>
          <pre tabIndex={0}>{toWhole(value)}</pre>
        </figure>
      ))}
    </div>
  )
}

function toShortText(value: unknown): string {
  return (JSON.stringify(value) ?? '').slice(0, MAX_VALUE_TEXT)
}

function toWhole(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')).slice(0, 200_000)
}
