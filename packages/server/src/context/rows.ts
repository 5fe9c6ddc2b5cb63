import type { Page } from '@sdk/protocol'
/** The types of a resource as callers see them. */
export interface ResourceTypes {
  item: unknown
  create: unknown
  update: unknown
  query: unknown
}

/** The rows of a resource, as the caller of a handler may see and change them: what its six routes do, without a request. */
export interface Rows<Types extends ResourceTypes = ResourceTypes> {
  /** A page of them. */
  list(query?: Types['query']): Promise<Page<Types['item']>>
  /** One of them. */
  get(id: number): Promise<Types['item']>
  /** Makes one. */
  create(values: Types['create']): Promise<Types['item']>
  /** Replaces all fields of one. */
  replace(id: number, values: Types['create'], condition?: RowCondition<Types['item']>): Promise<Types['item']>
  /** Changes the fields that are given; `null` empties one. */
  update(id: number, changes: Types['update'], condition?: RowCondition<Types['item']>): Promise<Types['item']>
  /** Deletes one, and gives it as it was. */
  delete(id: number, condition?: RowCondition<Types['item']>): Promise<Types['item']>
}

/** Which state of a row a change means. */
export interface RowCondition<Item = unknown> {
  /**
   * The row as it was read, or what a caller sent as `If-Match`: if it is another one by now, the change rejects as
   * `PRECONDITION_FAILED`. `'*'` is whatever it is. Resources with `ifMatch: 'required'` want to be told.
   * @default whatever it is
   */
  ifMatch?: Item | string | null
}
