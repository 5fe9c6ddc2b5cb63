import type { Page, With } from '@sdk/protocol'

/** The types of a resource in requests and responses. */
export interface ResourceTypes {
  item: unknown
  create: unknown
  update: unknown
  query: unknown
  /** The path of the key's routes, relative to the resource's path, or `never` if there is no key. */
  keyPath: unknown
  /** The fields that identify a row by key, or `never` if there is no key. */
  key: unknown
  /** The input of a `PUT` by key. */
  put: unknown
  /** The values that requests can expand: relations and computed values. */
  related: unknown
}

/** The argument of `ctx.rows`: a resource's name and types. Every `Resource` satisfies it. */
export interface ResourceRef<Types extends ResourceTypes = ResourceTypes> {
  readonly kind: 'resource'
  readonly name: string
  readonly '~types': Types
}

interface Expand<I> {
  expand?: readonly I[] | undefined
}

/**
 * The actions of a resource's routes, called without an HTTP request and with the caller's permissions. A row is
 * identified by its id or, if the resource has a `key`, by the fields of the key, as in `get({ slug: 'tea' })`.
 */
export interface Rows<Types extends ResourceTypes = ResourceTypes> {
  /** Returns a page of rows. `expand` adds relations and computed values, as in requests. */
  list<const I extends keyof Types['related'] & string = never>(
    query?: Types['query'] & Expand<I>,
  ): Promise<Page<With<Types, I>>>
  /** Returns a row. `expand` adds relations and computed values, as in requests. */
  get<const I extends keyof Types['related'] & string = never>(
    row: number | Types['key'],
    query?: Expand<I>,
  ): Promise<With<Types, I>>
  /** Creates a row. */
  create(values: Types['create']): Promise<Types['item']>
  /** Replaces all fields of a row. */
  replace(id: number, values: Types['create'], condition?: RowCondition<Types['item']>): Promise<Types['item']>
  /** Replaces all fields of the row with this key, or creates the row if it does not exist. */
  replace(key: Types['key'], values: Types['put'], condition?: RowCondition<Types['item']>): Promise<Types['item']>
  /** Updates the given fields; `null` clears a field. */
  update(
    row: number | Types['key'],
    changes: Types['update'],
    condition?: RowCondition<Types['item']>,
  ): Promise<Types['item']>
  /** Deletes a row and returns it. */
  delete(row: number | Types['key'], condition?: RowCondition<Types['item']>): Promise<Types['item']>
}

/** The expected state of a row before a change. */
export interface RowCondition<Item = unknown> {
  /**
   * The row as it was read, or a request's `If-Match` header. If the row has changed since, the call rejects with
   * `PRECONDITION_FAILED`. `'*'` accepts any state. Required for resources with `ifMatch: 'required'`.
   * @default any state
   */
  ifMatch?: Item | string | null
}
