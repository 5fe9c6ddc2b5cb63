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
  readonly render: (index: number) => ReactNode
}

/** A list of any length that renders only the visible rows. It fills its parent, which needs a height. */
export function VirtualList(props: VirtualListProps): ReactNode {
  const { count, rowHeight, label, selected = null, isFollowing = false, render } = props
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
      role="list"
      aria-label={label}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < rowHeight * 2
      }}
    >
      <div className="virtual-space" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start, key }) => (
          <VirtualRow key={key} index={index} count={count} start={start} rowHeight={rowHeight} render={render} />
        ))}
      </div>
    </div>
  )
}

type VirtualRowProps = Pick<VirtualListProps, 'count' | 'rowHeight' | 'render'> & { index: number; start: number }

/** Memoized, so that scrolling does not render it again: `render` changes only when the list's owner renders. */
const VirtualRow = memo(function Row({ index, count, start, rowHeight, render }: VirtualRowProps): ReactNode {
  return (
    <div
      className="virtual-row"
      role="listitem"
      aria-setsize={count}
      aria-posinset={index + 1}
      style={{ height: rowHeight, transform: `translateY(${start}px)` }}
    >
      {render(index)}
    </div>
  )
})
