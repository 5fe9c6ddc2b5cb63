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

/** The access log, with a line for every request, written in batches. */
export interface AccessLog {
  /** Returns whether requests with this status are logged. */
  accepts(status: number): boolean
  /** Queues a record, which is formatted and written later. */
  add(record: RequestRecord): void
  /** Writes the queued records. A returned promise resolves when they have been written. */
  flush(): void | Promise<void>
}

/**
 * Creates an access log that writes to `log`. If `log` was created by `createLog`, the lines go to the same output, in
 * order. Any other logger is called with `info('POST /agent/summarize 200', fields)`, or with `error` for a 5xx status.
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
        // Loggers use `time` for their own timestamps.
        log[toRecordLevel(record)](toRecordMessage(record), { ...fields, at: new Date(time).toISOString() })
      }
    },
  })
  return { accepts: () => true, add: queue.add, flush: queue.flush }
}
