import { useState, type ReactNode } from 'react'
import type { Run, RunLog } from '../../../run.ts'
import { Empty } from '../../components/empty.tsx'
import { toDuration } from '../../components/format.ts'

const RUN_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const

/** The lines that a handler logged, with their times. */
export function LogsView({ run }: { run: Run | undefined }): ReactNode {
  const [least, setLeast] = useState<RunLog['level']>('debug')
  const [search, setSearch] = useState('')
  if (run === undefined || run.logs.length === 0)
    return (
      <Empty title="No log lines">
        <p className="quiet">
          Handlers write log lines with <code>{`ctx.log.info('read', { rows: 3 })`}</code>
        </p>
      </Empty>
    )
  const shown = run.logs.filter(
    ({ level, message, fields }) =>
      RUN_LOG_LEVELS.indexOf(level) >= RUN_LOG_LEVELS.indexOf(least) &&
      `${message} ${fields ?? ''}`.toLowerCase().includes(search.toLowerCase()),
  )
  return (
    <div className="logs">
      <div className="output-bar">
        <label className="field-line">
          <span className="hint">level</span>
          <select value={least} onChange={({ target }) => setLeast(target.value as RunLog['level'])}>
            {RUN_LOG_LEVELS.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </label>
        <label className="field-line">
          <span className="hint">filter</span>
          <input type="search" value={search} onChange={({ target }) => setSearch(target.value)} />
        </label>
        <span className="quiet">
          {shown.length} of {run.logs.length}
        </span>
      </div>
      <LogLines logs={shown} />
    </div>
  )
}

/** Log lines, oldest first. */
export function LogLines({ logs }: { logs: readonly RunLog[] }): ReactNode {
  return (
    <ol className="log-lines">
      {logs.map((log, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no name and do not move
        <li key={index} data-level={log.level}>
          <span className="num">+{toDuration(log.at)}</span>
          <span className="level">{log.level}</span>
          <span className="log-text">
            {log.message} {log.fields !== null && <code>{log.fields}</code>}
          </span>
        </li>
      ))}
    </ol>
  )
}
