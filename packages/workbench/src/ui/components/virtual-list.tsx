import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useRef, type ReactNode } from 'react'

interface VirtualListProps {
  readonly count: number
  /** The height of every row, in px. */
  readonly rowHeight: number
  readonly label: string
  /** The index of the row to keep in view, or null. */
  readonly selected?: number | null
  /** Whether to stay scrolled to the end as rows are added, unless the user has scrolled up. @default false */
  readonly isFollowing?: boolean
  /** Whether the list is a table, in which case `render` must return elements with the role `cell`. @default false */
  readonly isTable?: boolean
  readonly render: (index: number) => ReactNode
}

/** A list of any length that renders only its visible rows. It fills its parent, which must have a height. */
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

/** A memoized row, which scrolling does not re-render: `render` changes only when the parent of the list renders. */
const VirtualRow = memo(function Row(props: VirtualRowProps): ReactNode {
  const { index, count, start, rowHeight, isTable, render } = props
  // The first row in a table is its header.
  const position = isTable
    ? { role: 'row', 'aria-rowindex': index + 2 }
    : { role: 'listitem', 'aria-setsize': count, 'aria-posinset': index + 1 }
  return (
    <div className="virtual-row" {...position} style={{ height: rowHeight, transform: `translateY(${start}px)` }}>
      {render(index)}
    </div>
  )
})
