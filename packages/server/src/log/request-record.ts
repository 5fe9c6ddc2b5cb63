/** What is known of a request when its answer is out. */
export interface RequestRecord {
  /** When the answer was out, in ms since 1970. */
  readonly time: number
  readonly requestId: string
  readonly method: string
  /** The route's name; null where no route answered. */
  readonly route: string | null
  /** The path as it was sent, without the query: secrets live there. */
  readonly target: string
  readonly status: number
  /** How long it took. */
  readonly ms: number
  /** Bytes of the answer's body. */
  readonly bytes: number
  readonly userId: string | null
  readonly traceId: string | null
  /** Did the caller go away before the answer was out? */
  readonly aborted: boolean
}
