import type { CursorValue } from '@sdk/protocol'

/** A JSON value that can be compared: what filters, sorts and access rules speak of. */
export type Scalar = string | number | boolean

/** How a field is kept. `timestamp` and `date` are texts in the forms of the conventions; `json` is anything else. */
export type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'date' | 'json'

/** One field of a resource. */
export interface Field {
  readonly name: string
  readonly type: FieldType
  /** May it have no value? That is `null`. */
  readonly isNullable: boolean
  /** The value where a caller gives none; undefined: there is no such value. */
  readonly default?: unknown
  /** Characters that a string may have; undefined: any number. */
  readonly maxLength?: number | undefined
}

/** What a store must know of the resource that it is for. */
export interface ResourceShape {
  readonly name: string
  /** In the order of their declaration, without `id`, `createdAt`, `updatedAt`. */
  readonly fields: readonly Field[]
  /** The fields that lists can be filtered by. */
  readonly filter: readonly string[]
  /** The fields that lists can be sorted by; `id`, `createdAt` and `updatedAt` may be among them. */
  readonly sort: readonly string[]
  /**
   * Groups of fields, of one or more: no two rows have the same values in all of a group. A row without a value in one of
   * them is like no other. Fields that no schema declares may be among them, such as those of `assign`.
   */
  readonly unique: readonly (readonly string[])[]
}

/** Values by field: those of the shape and those that `assign` adds. */
export type Fields = Readonly<Record<string, unknown>>

/** A row as a store gives it; every field of the shape is there. */
export interface Row extends Fields {
  readonly id: number
  /** `YYYY-MM-DDTHH:mm:ss.sssZ` */
  readonly createdAt: string
  /** In the same form; later with every change. */
  readonly updatedAt: string
  /** Another one with every change. */
  readonly version: number | string
}

/** Only rows whose fields have these values, or one of several. Empty: all rows. */
export type Where = Readonly<Record<string, Scalar | null | readonly Scalar[]>>

/**
 * What a filter asks of a field. `null` is whether it has no value; `ne` takes rows with no value too, the others do not.
 */
export type Condition =
  | { readonly field: string; readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte'; readonly value: Scalar }
  | { readonly field: string; readonly operator: 'in'; readonly value: readonly Scalar[] }
  | { readonly field: string; readonly operator: 'null'; readonly value: boolean }

/** One key of an order. Texts compare by code point; no value counts as larger than every value. */
export interface SortKey {
  readonly field: string
  readonly isDescending: boolean
}

/** Which rows of a list are wanted. */
export interface ListQuery {
  /** How many, at most. */
  readonly limit: number
  /** The last key is `id`, so that no two rows are equal. */
  readonly sort: readonly SortKey[]
  /** Only rows behind this place, which has a value for each sort key; null: from the start. */
  readonly after: readonly CursorValue[] | null
  readonly conditions: readonly Condition[]
  readonly where: Where
  /** Count all rows that fit, wherever they are? */
  readonly isCounted: boolean
  /**
   * Bytes that the rows may have together, where they could have more. A store may ignore it: the page is then cut
   * afterwards. One that honors it returns fewer rows, at least one, and `isCut`. @default any number
   */
  readonly maxBytes?: number
}

/** What a list query gives. */
export interface ListResult {
  readonly rows: readonly Row[]
  /** How many rows fit; only where that was asked. */
  readonly total?: number
  /** Were rows left out because of `maxBytes`? Undefined: the store ignores it. */
  readonly isCut?: boolean
}

/** Which row is meant: it must fit `where`, and where a version is said, have that. */
export interface Target {
  readonly id: number
  readonly where: Where
  readonly version?: Row['version']
}

/** Names work that is done once. */
export interface OnceKey {
  readonly key: string
  /** Tells a repetition from other work under the same key. */
  readonly print: string
  /** How long the result is kept. */
  readonly seconds: number
}

/** The result of such work. */
export interface OnceResult {
  /** Was it done now? Otherwise it is what was kept. */
  readonly isNew: boolean
  /** Of the work that was done. */
  readonly print: string
  readonly value: string
}

/**
 * Where the rows of a resource live. What a store cannot do it leaves out, and the resource answers 405. A value that
 * is taken is thrown as `ApiError('CONFLICT')`, a place that cannot be reached as `ApiError('SERVICE_UNAVAILABLE')`.
 */
export interface Store {
  list?(query: ListQuery): Promise<ListResult>
  get?(target: Target): Promise<Row | null>
  create?(values: Fields): Promise<Row>
  /** Exchanges the fields that are given, and gives the row as it is then; null: there is no such row in that version. */
  replace?(target: Target, values: Fields): Promise<Row | null>
  /** Gives the row as it was; null: there is no such row in that version. */
  delete?(target: Target): Promise<Row | null>
  /**
   * Does work through the store it is given, and keeps its result under a key, all in one transaction; or gives the
   * result that is kept. What fails leaves nothing. Without it, results are kept by the app's engine.
   */
  once?(key: OnceKey, work: (store: Store) => Promise<string>): Promise<OnceResult>
  /** Opens what is needed, and makes room for the rows. Called at the start; a later call tries again what failed. */
  ready?(): Promise<void>
  close?(): Promise<void>
}

/** A store that is known to have these functions. They are called on it, since it may be an instance of a class. */
export type StoreWith<Name extends keyof Store> = Store & Required<Pick<Store, Name>>

/** A store, or what makes one for a resource. */
export type StoreSource = Store | ((shape: ResourceShape) => Store)
