/** A value that is read when someone looks. */
export interface Reading {
  /** As Prometheus wants names: `sockets_open`, `process_cpu_seconds_total`. */
  readonly name: string
  readonly help: string
  /** A counter only ever grows. @default 'gauge' */
  readonly type?: 'gauge' | 'counter'
  read(): number
}
