/** The work of live data since the start of the app. */
export class LiveStats {
  /** The number of ticks. A tick finds the lists that changes affect, and sends their new data. */
  ticks = 0
  /** The total duration of all ticks, in ms. */
  tickMs = 0
  lastTickMs = 0
  /** The number of lists that were read again after a change. */
  reads = 0
  /** The number of lists that were changed in memory, without a read. */
  advances = 0
  /** The total size of the rows in memory, in characters. */
  heldBytes = 0
}
