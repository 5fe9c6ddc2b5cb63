import type { AccessLog } from '../log/access-log.ts'
import type { Metrics } from '../observe/metrics.ts'

/** Creates the receiver of request records: the access log, and the metrics if they are enabled. */
export function createRecordSink(access: AccessLog, metrics: Metrics | null): Pick<AccessLog, 'accepts' | 'add'> {
  if (metrics === null) return access
  return {
    accepts: () => true,
    add(record) {
      access.add(record)
      metrics.add(record)
    },
  }
}
