import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type ReactNode } from 'react'

interface VirtualListProps {
  readonly count: number
  /** All rows are this high, in px. */
  readonly rowHeight: number
  readonly label: string
  /** The row to keep in view; null: none. */
  readonly selected?: number | null
  readonly render: (index: number) => ReactNode
}

/** A list of any length, of which only what is seen is there. */
export function VirtualList({ count, rowHeight, label, selected = null, render }: VirtualListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null)
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized by a compiler
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  useEffect(() => {
    if (selected !== null) rows.scrollToIndex(selected, { align: 'auto' })
  }, [rows, selected])
  return (
    <div className="virtual" ref={scroller} role="list" aria-label={label} tabIndex={0}>
      <div className="virtual-space" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => (
          <div
            key={key}
            className="virtual-row"
            role="listitem"
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ height: rowHeight, transform: `translateY(${start}px)` }}
          >
            {render(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
