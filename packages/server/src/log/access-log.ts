import {
  jsonRecordWriter,
  prettyRecordWriter,
  toRecordLevel,
  toRecordMessage,
  type RequestRecord,
} from './access-line.ts'
import { createBatchQueue } from './batch-queue.ts'
import { isLevelEnabled } from './log-defaults.ts'
import { findLogOutput, type Log, type LogOutput } from './log.ts'

/** A line for every request, written later and many at once. */
export interface AccessLog {
  /** Is a request that was answered so worth a line? */
  accepts(status: number): boolean
  /** Takes a record; that is all that happens while a request runs. */
  add(record: RequestRecord): void
  /** Writes what waits; the promise, where there is one, says when it is out. */
  flush(): void | Promise<void>
}

/**
 * Logs requests where `log` writes: between its lines, in order, when `createLog` made it. Another log is called
 * with `info('POST /agent/summarize 200', fields)`, and with `error` where we failed.
 */
export function createAccessLog({ log }: { log: Log }): AccessLog {
  const output = findLogOutput(log)
  return output === undefined ? createForeignAccessLog(log) : createSharedAccessLog(output)
}

function createSharedAccessLog({ format, style, fields, level, queue }: LogOutput): AccessLog {
  const toLine = format === 'json' ? jsonRecordWriter(fields) : prettyRecordWriter(style)
  const [tellsAll, tellsFailures] = [isLevelEnabled('info', level), isLevelEnabled('error', level)]
  const wants = (status: number): boolean => (status >= 500 ? tellsFailures : tellsAll)
  return {
    accepts: wants,
    add(record) {
      if (wants(record.status)) queue.add(() => toLine(record))
    },
    flush: queue.flush,
  }
}

function createForeignAccessLog(log: Log): AccessLog {
  const queue = createBatchQueue<RequestRecord>({
    drain(records) {
      for (const record of records) {
        const { time, ...fields } = record
        // `time` is the name of a logger's own clock.
        log[toRecordLevel(record)](toRecordMessage(record), { ...fields, at: new Date(time).toISOString() })
      }
    },
  })
  return { accepts: () => true, add: queue.add, flush: queue.flush }
}
