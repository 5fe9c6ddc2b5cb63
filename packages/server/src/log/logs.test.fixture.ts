// One entry for programs that use both logs, which share the standard output.
export { createAccessLog } from './access-log.ts'
export { createLog } from './log.ts'
