import type { CursorValue } from '@sdk/protocol'
import type { TransactionOptions, TransactionQuery } from '../context/transaction.ts'
import type { StorePlan } from './store-plan.ts'

/** A comparable JSON value, used by filters, sort orders and access rules. */
export type Scalar = string | number | boolean

/** The type of a stored field. `timestamp` and `date` are RFC 3339 strings; `json` is any other value. */
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'date' | 'json'

/** A field of a resource. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  /** Whether the value may be `null`. */
  readonly isNullable: boolean
  /** The value used if a caller omits the field, or undefined if the field has no default. */
  readonly default?: unknown
  /** The maximum length of a string, or undefined if it is unlimited. */
  readonly maxLength?: number | undefined
}

/** The parts of a resource definition that its store needs. */
export interface ResourceShape {
  readonly name: string
  /** The fields in order of declaration, without `id`, `createdAt` and `updatedAt`. */
  readonly fields: readonly Field[]
  /** The fields that lists can be filtered by. */
  readonly filter: readonly string[]
  /** The fields that lists can be sorted by. They may include `id`, `createdAt` and `updatedAt`. */
  readonly sort: readonly string[]
  /**
   * Groups of one or more fields whose values together must be unique. Rows without a value in a group never conflict.
   * A group may include fields that the schema does not declare, such as those set by `assign`.
   */
  readonly unique: readonly (readonly string[])[]
  /** The fields that contain ids of other resources. They should be indexed. @default [] */
  readonly references?: readonly string[]
  /** Whether the store announces changes with `watch`. @default false */
  readonly isLive?: boolean
}

/** Values by field name: the fields of the shape and those set by `assign`. */
export type Fields = Readonly<Record<string, unknown>>

/** A row returned by a store, with every field of the shape. */
export interface Row extends Fields {
  readonly id: number
  /** The creation time, in the format `YYYY-MM-DDTHH:mm:ss.sssZ`. */
  readonly createdAt: string
  /** The time of the last change, in the same format. It increases with every change. */
  readonly updatedAt: string
  /** The version of the row. It changes with every update. */
  readonly version: number | string
  /** The values of relations that were read with the row, by name. */
  readonly '~related'?: Readonly<Record<string, RelatedValue>>
}

/**
 * A condition that matches rows whose fields have these values, or one of several values. An empty object matches all
 * rows.
 */
export type Where = Readonly<Record<string, Scalar | null | readonly Scalar[]>>

/**
 * A filter condition on a field. The `null` operator tests whether the value is null. Of the other operators, only `ne`
 * matches rows with a null value.
 */
export type Condition =
  | { readonly field: string; readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Scalar }
  | { readonly field: string; readonly operator: 'in'; readonly value: readonly Scalar[] }
  | { readonly field: string; readonly operator: 'null'; readonly value: boolean }

/** A key in a sort order. Strings are compared by code point, and null is greater than every value. */
export interface SortKey {
  readonly field: string
  readonly isDescending: boolean
}

/** A query for a page of rows. */
export interface ListQuery {
  /** The maximum number of rows. */
  readonly limit: number
  /** The sort order. The last key is `id`, which makes the order total. */
  readonly sort: readonly SortKey[]
  /**
   * The cursor position, with a value for each sort key. Only rows after it are returned; null starts at the first row.
   */
  readonly after: readonly CursorValue[] | null
  readonly conditions: readonly Condition[]
  readonly where: Where
  /** Whether to count all matching rows across all pages. */
  readonly isCounted: boolean
  /**
   * The maximum total size of the rows in bytes. A store that supports it returns fewer rows if necessary, but at least
   * one, and sets `isCut`. If a store ignores it, the page is truncated afterwards.
   * @default unlimited
   */
  readonly maxBytes?: number
  /** Relations to read with the rows, into `~related`. Present only if `canRelate` is true for all of their stores. */
  readonly related?: readonly RelatedQuery[]
}

/** The result of a list query. */
export interface ListResult {
  readonly rows: readonly Row[]
  /** The number of matching rows. Present only if the query counts them. @default the number of rows */
  readonly total?: number
  /** Whether rows were omitted because of `maxBytes`, or undefined if the store ignores the limit. */
  readonly isCut?: boolean
}

/** The row to access. It must match `where` and have the given `version`, if any. */
export interface Target {
  readonly id: number
  readonly where: Where
  readonly version?: Row['version']
  /** Relations to read with the row, as in a list. Used only by `get`. */
  readonly related?: readonly RelatedQuery[]
  /** The maximum total size of each relation's rows in bytes. @default unlimited */
  readonly maxBytes?: number
}

/** A query for rows in another store that are related to the rows of a page. */
export interface RelatedQuery {
  /** The name of the relation. */
  readonly name: string
  /** The kind of value for each row: one related row, several related rows, their number, or whether one exists. */
  readonly kind: 'one' | 'many' | 'count' | 'exists'
  /** The store of the related rows. */
  readonly store: Store
  /** The field of the page's rows that is compared with `field`. If its value is null, there are no related rows. */
  readonly key: string
  /** The field of the related rows. */
  readonly field: string
  /** The condition for the related rows, which includes the access rule of their resource. */
  readonly where: Where
  /** The order of the related rows. The last key is `id`. */
  readonly sort: readonly SortKey[]
  /** The maximum number of related rows per row, or the number at which counting stops. May be `Infinity`. */
  readonly limit: number
}

/** The value of a relation in a row. */
export type RelatedValue = Row | readonly Row[] | number | boolean | null

/** A field that contains the id of a row in another store. */
export interface StoreReference {
  readonly field: string
  /** The store that contains the other row. */
  readonly store: Store
  /** Whether deleting the other row also deletes the rows that refer to it, or is rejected with 409. */
  readonly onDelete: 'cascade' | 'restrict'
}

/** The idempotency key of an operation. */
export interface OnceKey {
  readonly key: string
  /** A fingerprint of the request, used to detect a different request with the same key. */
  readonly print: string
  /** How long the result is kept, in seconds. */
  readonly seconds: number
}

/** The result of an idempotent operation. */
export interface OnceResult {
  /** Whether this call ran the operation. If not, an earlier call stored the result. */
  readonly isNew: boolean
  /** The fingerprint of the request that ran the operation. */
  readonly print: string
  readonly value: string
}

/** The transaction that calls to a store are currently part of. */
export interface StoreTransaction {
  /** Calls the listener after the commit, outside of the transaction. A rollback drops the listener. */
  afterCommit(listener: () => void): void
}

/**
 * A store for a resource's rows. If a store omits a method, the resource responds with 405. A store throws
 * `ApiError('CONFLICT')` for duplicate unique values, and `ApiError('SERVICE_UNAVAILABLE')` if it is unreachable.
 */
export interface Store {
  list?(query: ListQuery): Promise<ListResult>
  get?(target: Target): Promise<Row | null>
  create?(values: Fields): Promise<Row>
  /** Replaces the given fields and returns the new row, or null if no row matches the target. */
  replace?(target: Target, values: Fields): Promise<Row | null>
  /** Deletes a row and returns it, or null if no row matches the target. */
  delete?(target: Target): Promise<Row | null>
  /**
   * Runs `work` with a transactional store, which has the same methods for rows, and stores its result under a key, all
   * in one transaction. If the key already has a result, returns that result instead. A failure rolls everything back.
   * A store that wraps another one must also wrap the transactional store. Without this method, the app's engine stores
   * the results.
   */
  once?(key: OnceKey, work: (store: Store) => Promise<string>): Promise<OnceResult>
  /** Returns whether `list` and `get` can read rows from another store in the same statement. @default false */
  canRelate?(other: Store): boolean
  /**
   * Runs `work` in a transaction. Until `work` settles, all calls to this store and to other stores in the same
   * database are part of the transaction. May run `work` again after a deadlock. Without this method,
   * `ctx.transaction` rejects the store.
   */
  transaction?<T>(work: (query: TransactionQuery) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Returns the transaction that calls to this store are part of, or null. Required with `transaction`. */
  currentTransaction?(): StoreTransaction | null
  /**
   * Enforces references from now on: an id that does not exist is rejected with 400, and deletions cascade or are
   * rejected with 409. Called before the store is used. Throws a `TypeError` if the other store is of a different kind.
   */
  addReferences?(references: readonly StoreReference[]): void
  /**
   * Calls `onChange` after each committed change of a live resource, by any process, with the ids of the changed rows.
   * The ids are null if all rows may have changed, for example because notifications may have been lost. Returns a
   * function that stops this. Without this method, a resource with `live` is a definition error.
   */
  watch?(onChange: (ids: readonly number[] | null) => void): () => void
  /** The name of the table with the rows, as `recordTables` returns it. @default unknown */
  readonly table?: string
  /**
   * Runs `work` and returns its result, together with the tables that its statements in this database read. Live data
   * uses it to find the tables that an access rule depends on. @default unknown: rules are evaluated every 30 s
   */
  recordTables?<T>(work: () => Promise<T>): Promise<{ readonly value: T; readonly tables: readonly string[] }>
  /** Opens connections and prepares the storage. Called on startup; a later call retries after a failure. */
  ready?(): Promise<void>
  /**
   * Compares the storage with the resource for `sdk migrate`, without changing it. A store without this method manages
   * its own migrations.
   */
  plan?(): Promise<StorePlan>
  close?(): Promise<void>
  /** Runs `work`. If the store has a single connection, the reads of `work` do not wait for those of other callers. */
  readFirst?<T>(work: () => Promise<T>): Promise<T>
}

/** A store that has these methods. They must be called on the store, because it may be a class instance. */
export type StoreWith<Name extends keyof Store> = Store & Required<Pick<Store, Name>>

/** A store, or a function that creates one for a resource. */
export type StoreSource = Store | ((shape: ResourceShape) => Store)
