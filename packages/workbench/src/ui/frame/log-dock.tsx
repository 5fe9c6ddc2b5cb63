import { useState, type ReactNode, useRef } from 'react'
import { Link } from 'wouter'
import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronUp from 'lucide-react/icons/chevron-up'
import type { LogLine } from '../../api.ts'
import { links } from '../links.ts'
import { toTimestamp } from '../components/format.ts'
import { useStoredState } from '../components/stored-value.ts'
import { VirtualList } from '../components/virtual-list.tsx'
import { withFilter } from '../runs/filter-address.ts'
import { useEvents } from '../data/use-events.ts'

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** The app's log below every page. It is a single line while it is closed. */
export function LogDock(): ReactNode {
  const { lines, clear } = useLogLines()
  const [isOpen, setOpen] = useStoredState('logs', false)
  const [level, setLevel] = useState<LogLine['level']>('debug')
  const seen = lines.filter((line) => LOG_LEVELS.indexOf(line.level) >= LOG_LEVELS.indexOf(level))
  const last = lines.at(-1)
  return (
    <section className="dock" aria-label="Logs">
      <div className="dock-bar">
        <button type="button" className="button quiet small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronUp size={14} aria-hidden />}
          Logs <span className="count">{lines.length}</span>
        </button>
        {isOpen ? (
          <div className="dock-tools">
            <select
              aria-label="Minimum level"
              value={level}
              onChange={(event) => setLevel(event.target.value as LogLine['level'])}
            >
              {LOG_LEVELS.map((name) => (
                <option key={name} value={name}>
                  {name === 'debug' ? 'all levels' : `${name}${name === 'error' ? '' : ' and above'}`}
                </option>
              ))}
            </select>
            <button type="button" className="button quiet small" onClick={clear}>
              Clear
            </button>
          </div>
        ) : (
          last !== undefined && (
            <span className="mono quiet cut" data-level={last.level}>
              {last.message}
            </span>
          )
        )}
      </div>
      {isOpen && (
        <div className="dock-lines">
          {seen.length === 0 ? (
            <p className="quiet small">The app’s log lines appear here while this page is open.</p>
          ) : (
            <VirtualList
              label="Log lines"
              count={seen.length}
              rowHeight={22}
              isFollowing
              render={(index) => <LogRow line={seen[index]} />}
            />
          )}
        </div>
      )}
    </section>
  )
}

function LogRow({ line }: { line: LogLine | undefined }): ReactNode {
  if (line === undefined) return null
  const { time, level, message, fields, requestId } = line
  return (
    <div className="log-line mono" data-level={level} title={fields ?? undefined}>
      <span className="quiet">{toTimestamp(time)}</span>
      <span className="log-level">{level}</span>
      {requestId === null ? (
        <span>{message}</span>
      ) : (
        <Link className="link" href={withFilter(links.runs, { requestId })} title="Open the run for this line">
          {message}
        </Link>
      )}
      {fields !== null && <span className="quiet cut">{fields}</span>}
    </div>
  )
}

/** The maximum number of lines. Older lines are dropped. */
const MAX_LINES = 5000

/**
 * How long new lines are collected before they are rendered, in ms, so that a verbose app does not keep the page busy.
 */
const RENDER_DEBOUNCE_MS = 50

function useLogLines(): { lines: readonly LogLine[]; clear: () => void } {
  const [lines, setLines] = useState<readonly LogLine[]>([])
  const waiting = useRef<LogLine[]>([])
  useEvents('log', (line) => {
    if (waiting.current.push(line) > 1) return
    setTimeout(() => {
      const come = waiting.current.splice(0)
      setLines((old) => [...old, ...come].slice(-MAX_LINES))
    }, RENDER_DEBOUNCE_MS)
  })
  return { lines, clear: () => setLines([]) }
}
