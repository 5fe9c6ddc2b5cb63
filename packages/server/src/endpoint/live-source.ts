import type { LiveDependency } from '../define/resource-definition.ts'
import type { Row, Store, Where } from '../define/store.ts'

/** The changed rows of a store. */
export interface RowChanges {
  readonly store: Store
  /** The rows as they are now, by id. A deleted row is null. The map is null if all rows may have changed. */
  readonly rows: ReadonlyMap<number, Row | null> | null
}

/** An item of a list, serialized as in a response. */
export interface LiveItem {
  readonly id: number
  readonly text: string
  readonly hash: number
}

/** The data of a `GET` request at one moment. */
export interface LiveView {
  /** The items of a list, or null if the data is not a list. */
  readonly items: readonly LiveItem[] | null
  /** The pagination of a list, or all data that is not a list, as JSON. */
  readonly text: string
  /** A hash of the data. */
  readonly tag: string
  /** The size of the texts in memory, in characters. */
  readonly size: number
  /** Returns whether a change may affect the data. */
  isAffected(changes: RowChanges): boolean
  /** Returns the data after a change, or null if it must be read again. @default it must always be read again */
  advance?(changes: RowChanges): LiveView | null
  /** Returns the view without rows and texts, to save memory. Later changes are then read again. */
  slim(): LiveView
}

/** The source of the data of a `GET` request, which live subscriptions read again after a change. */
export interface LiveSource {
  /** The key of the data. Sources with the same key have the same data. */
  readonly key: string
  /** Whether the data depends only on the key. Otherwise, it also depends on the request. */
  readonly isShared: boolean
  /** The rows that the access rule selects, or null if the data does not come from a resource. */
  readonly where: Where | null
  /** The resources whose changes may affect the data. */
  readonly resources: readonly LiveDependency[]
  /** The stores that the access rules of the data depend on. */
  readonly accessStores: readonly Store[]
  /** The minimum time between two reads, in ms. */
  readonly interval: number
  /** Reads the data. Throws the error that the request would respond with. */
  read(): Promise<LiveView>
}
