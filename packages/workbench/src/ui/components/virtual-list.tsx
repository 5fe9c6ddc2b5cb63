import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useRef, type ReactNode } from 'react'

interface VirtualListProps {
  readonly count: number
  /** All rows are this high, in px. */
  readonly rowHeight: number
  readonly label: string
  /** The row to keep in view; null: none. */
  readonly selected?: number | null
  /** Stay at the end as rows come, unless somebody has scrolled up. @default false */
  readonly isFollowing?: boolean
  /** Are these the rows of a table? What `render` gives has the role `cell`, then. @default false */
  readonly isTable?: boolean
  readonly render: (index: number) => ReactNode
}

/** A list of any length that renders only the visible rows. It fills its parent, which needs a height. */
export function VirtualList(props: VirtualListProps): ReactNode {
  const { count, rowHeight, label, selected = null, isFollowing = false, isTable = false, render } = props
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
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
  useEffect(() => {
    if (isFollowing && isAtEnd.current && count > 0) rows.scrollToIndex(count - 1, { align: 'end' })
  }, [rows, isFollowing, count])
  return (
    <div
      className="virtual"
      ref={scroller}
      role={isTable ? 'rowgroup' : 'list'}
      aria-label={label}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < rowHeight * 2
      }}
    >
      <div className="virtual-space" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => (
          <VirtualRow key={key} {...{ index, count, start, rowHeight, isTable, render }} />
        ))}
      </div>
    </div>
  )
}

type VirtualRowProps = Pick<VirtualListProps, 'count' | 'rowHeight' | 'isTable' | 'render'> & {
  index: number
  start: number
}

/** Memoized, so that scrolling does not render it again: `render` changes only when the list's owner renders. */
const VirtualRow = memo(function Row(props: VirtualRowProps): ReactNode {
  const { index, count, start, rowHeight, isTable, render } = props
  // The first row of a table is its head.
  const position = isTable
    ? { role: 'row', 'aria-rowindex': index + 2 }
    : { role: 'listitem', 'aria-setsize': count, 'aria-posinset': index + 1 }
  return (
    <div className="virtual-row" {...position} style={{ height: rowHeight, transform: `translateY(${start}px)` }}>
      {render(index)}
    </div>
  )
})
