/** The effect of a statement on the version of the app that is still running, and on its data. */
export type Judgement =
  | 'safe while the old version is running'
  | 'requires the old version to be stopped'
  | 'loses data'

/** A statement in a planned change. */
export interface PlannedStep {
  readonly sql: string
  readonly judgement: Judgement
  /**
   * How the statement runs: in its own transaction; without a transaction, as `create index concurrently` requires; or
   * as an update in batches of rows, each in its own transaction.
   */
  readonly mode: 'transaction' | 'no transaction' | 'batches'
}

/** A change that brings a store's table in line with its resource. */
export interface PlannedChange {
  readonly what: string
  /** The reason why a `needed` change is not applied automatically; null for other changes. */
  readonly why: string | null
  /**
   * The kind of change. The store applies an `automatic` change when it opens, and cannot open without a `needed`
   * change. A `cleanup` change only removes what is no longer used.
   */
  readonly kind: 'automatic' | 'needed' | 'cleanup'
  /** The statements, in order. */
  readonly steps: readonly PlannedStep[]
  /** Whether the change adds a foreign key. Foreign keys are added after all tables have changed. @default false */
  readonly isForeignKey?: boolean
  /** Whether the change adds the triggers of a live resource to an existing table. @default false */
  readonly isLive?: boolean
  /** A question for the developer, such as whether a field was renamed, and the statements to run instead if so. */
  readonly question?: { readonly text: string; readonly alternative: readonly string[] }
}

/** The result of comparing a store's table with its resource. */
export interface StorePlan {
  /** The unquoted name of the table. */
  readonly table: string
  readonly changes: readonly PlannedChange[]
}
