import { useRef, useState, type ReactNode, type UIEvent, useSyncExternalStore } from 'react'
import type { RunSummary } from '../../run.ts'
import { VirtualList } from '../components/virtual-list.tsx'
import { pausedAt, type Feed } from './run-feed.ts'

interface RunTableProps {
  readonly hold: ReturnType<typeof usePausedList>
  readonly selected: string | null
  readonly row: (run: RunSummary) => ReactNode
  readonly onRelease: () => void
  /** The state of loading more runs, and a function that loads them. Null at the end of the list. */
  readonly more: { readonly isLoading: boolean; load(): void } | null
}

const RUN_COLUMNS = ['Compare', 'State', 'Route', 'Time', 'Size', 'Caller', 'Identity', 'Started', 'Rev', 'Pin']

/** Columns whose header is visually hidden, since their cells contain only a self-explanatory button. */
const UNSEEN_COLUMNS = new Set(['Compare', 'Pin'])

/** A virtualized table of runs. */
export function RunTable({ hold, selected, row, onRelease, more }: RunTableProps): ReactNode {
  const { shown, held } = hold
  const box = useRef<HTMLDivElement>(null)
  const rowHeight = useIsNarrow() ? 58 : 34
  const index = shown.findIndex(({ id }) => id === selected)

  function onScroll({ target }: UIEvent): void {
    if (target instanceof HTMLElement) hold.scroll(target.scrollTop > 4)
  }

  function release(): void {
    box.current?.querySelector('.virtual')?.scrollTo({ top: 0 })
    hold.release()
    onRelease()
  }

  return (
    <div className="run-table" ref={box} onScrollCapture={onScroll}>
      {held > 0 && (
        <button type="button" className="run-news" onClick={release}>
          {held} new {held === 1 ? 'run' : 'runs'}
        </button>
      )}
      <div className="run-grid" role="table" aria-label="Runs, newest first" aria-rowcount={shown.length + 1}>
        <div className="run-row run-head" role="row" aria-rowindex={1}>
          {RUN_COLUMNS.map((name) => (
            <span key={name} role="columnheader">
              {UNSEEN_COLUMNS.has(name) ? <span className="unseen">{name}</span> : name}
            </span>
          ))}
        </div>
        <div className="run-list">
          <VirtualList
            key={rowHeight}
            label="Runs"
            isTable
            count={shown.length + (more === null ? 0 : 1)}
            rowHeight={rowHeight}
            selected={index === -1 ? null : index}
            render={(at) => {
              const run = shown[at]
              if (run !== undefined) return row(run)
              return (
                <span role="cell">
                  <button
                    type="button"
                    className="button quiet run-more"
                    disabled={more?.isLoading}
                    onClick={more?.load}
                  >
                    {more?.isLoading ? 'Loading …' : 'Load more'}
                  </button>
                </span>
              )
            }}
          />
        </div>
      </div>
    </div>
  )
}

const NARROW = '(max-width: 800px)'

/** Returns whether the window is so narrow that each row takes up two lines. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribeMedia, () => matchMedia(NARROW).matches)
}

function subscribeMedia(watcher: () => void): () => void {
  const media = matchMedia(NARROW)
  media.addEventListener('change', watcher)
  return () => media.removeEventListener('change', watcher)
}

/** Holds back new runs while the list is paused or scrolled down. */
export function usePausedList(feed: Feed) {
  const [top, setTop] = useState<string | null>(null)
  const [isPaused, setPaused] = useState(false)
  const newest = feed.runs[0]?.id ?? null
  const hold = (isHeld: boolean): void => setTop((now) => (isHeld ? (now ?? newest) : null))
  return {
    ...pausedAt(feed, top),
    isPaused,
    pause(next: boolean) {
      setPaused(next)
      hold(next)
    },
    scroll: (isDown: boolean) => hold(isDown || isPaused),
    /** Shows the runs that were held back. */
    release: () => setTop(isPaused ? newest : null),
  }
}
