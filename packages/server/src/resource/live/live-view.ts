import type { ListQuery, ResourceShape, Row, Store } from '../../define/store.ts'
import type { LiveItem, LiveView, RowChanges } from '../../endpoint/live-source.ts'
import { Hash, toHash, toHashNumber } from '../hash.ts'
import type { ListRequest } from '../list-query.ts'
import { toPage, type PageStart, type RowPage } from '../page.ts'
import { compareSortValues, matchesQuery, sortValuesOf } from '../sort-order.ts'

/** The description of a live list. */
export interface ListPlan extends Pick<ListQuery, 'where'> {
  readonly shape: ResourceShape
  readonly store: Store
  readonly request: ListRequest
  readonly start: PageStart
  readonly maxBytes: number
  /** Serializes a row of the list, without relations and computed values. */
  toItem(row: Row): LiveItem
  /** Whether the items contain only fields of their rows. */
  readonly isPlain: boolean
}

/** The description of a live row. */
export interface RowPlan extends Pick<ListPlan, 'store' | 'isPlain'> {
  readonly id: number
}

/** The number of rows behind a page that are kept, so that the page can be filled without another read. */
const MAX_SPARE = 50

/** The state of a list. */
interface ListState extends Pick<LiveView, 'text'> {
  readonly items: readonly LiveItem[]
  /** The known rows in reading order, from the first one on the page. They include the row behind it, if any. */
  readonly found: readonly Row[]
  /** Whether the page ends early because of its size. */
  readonly isCut: boolean
  /** Whether the rows are complete. Otherwise, they have only the fields of the sort order. */
  readonly isWhole: boolean
}

/** The data of a list. It includes the row behind the page, since `hasMore` depends on it. */
export class ListView implements LiveView {
  readonly items: readonly LiveItem[]
  readonly text: string
  readonly tag: string
  readonly size: number
  readonly #plan: ListPlan
  readonly #state: ListState

  private constructor(plan: ListPlan, state: ListState) {
    this.#plan = plan
    this.#state = state
    this.items = state.items
    this.text = state.text
    const hash = new Hash()
    let size = 0
    for (const item of this.items) {
      hash.addNumber(item.hash)
      size += item.text.length
    }
    hash.add(this.text)
    this.tag = hash.end()
    this.size = size
  }

  /** Creates the view of a page. */
  static of(
    plan: ListPlan,
    { rows, found, pagination, isCut }: RowPage,
    toItem: ListPlan['toItem'] = plan.toItem,
  ): ListView {
    const text = JSON.stringify(pagination)
    return new ListView(plan, { items: rows.map(toItem), text, found, isCut, isWhole: true })
  }

  isAffected({ store, rows }: RowChanges): boolean {
    const { request, store: own, isPlain } = this.#plan
    const { found, isCut } = this.#state
    if (rows === null || store !== own || !isPlain || request.isCounted || isCut) return true
    if (found.some(({ id }) => rows.has(id))) return true
    for (const row of rows.values()) if (row !== null && this.#mayContain(row)) return true
    return false
  }

  advance({ rows }: RowChanges): LiveView | null {
    const { request, start, isPlain, maxBytes } = this.#plan
    const { found, isCut, isWhole } = this.#state
    if (rows === null || !isPlain || request.isCounted || isCut || !isWhole) return null
    const isMore = found.length > request.limit
    const known = found.filter(({ id }) => !rows.has(id))
    for (const row of rows.values()) {
      if (row === null || !this.#mayContain(row)) continue
      if (!this.#isKnown(row)) return null
      insertSorted(known, row, start.order)
    }
    // The rows behind the known ones are unknown.
    if (isMore && known.length <= request.limit) return null
    const next = this.#withRows(known.slice(0, request.limit + MAX_SPARE))
    // A store would end a large page early.
    return next.size > maxBytes / 2 ? null : next
  }

  /** Returns the view with these rows. The pagination depends only on the first and the last row of the page. */
  #withRows(found: readonly Row[]): ListView {
    const { request, start, toItem } = this.#plan
    const { limit } = request
    const before = this.#state.found
    const edgesOf = (rows: readonly Row[]): unknown[] => [rows[0], rows.slice(0, limit).at(-1), rows.length > limit]
    const edges = edgesOf(before)
    if (!edgesOf(found).every((edge, at) => edge === edges[at]))
      return ListView.of(this.#plan, toPage({ rows: found }, request, start))
    const items = found.slice(0, limit).map(toItem)
    return new ListView(this.#plan, { ...this.#state, items: isBackward(start) ? items.toReversed() : items, found })
  }

  slim(): LiveView {
    const { order } = this.#plan.start
    const names = new Set(['id', ...order.map(({ field }) => field)])
    const found = this.#state.found.map(
      (row) => Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name))) as Row,
    )
    const items = this.items.map(({ id, hash }) => ({ id, hash, text: '' }))
    return new ListView(this.#plan, { ...this.#state, items, found, isWhole: false })
  }

  /** Returns whether a row may be on the page, or directly behind it. */
  #mayContain(row: Row): boolean {
    const { request, where, start } = this.#plan
    const { from, order } = start
    if (this.#isKnown(row) && !matchesQuery(row, { conditions: request.conditions, where })) return false
    const values = sortValuesOf(row, order)
    if (from !== null && compareSortValues(values, from.after, order) <= 0) return false
    const { found } = this.#state
    const last = found.length > request.limit ? found.at(-1) : undefined
    return last === undefined || compareSortValues(values, sortValuesOf(last, order), order) <= 0
  }

  /** Returns whether the row has all fields of the access rule, in the format in which the rule has them. */
  #isKnown(row: Row): boolean {
    const { where, shape } = this.#plan
    const isTime = (name: string): boolean =>
      shape.fields.some((field) => field.name === name && (field.type === 'timestamp' || field.type === 'date'))
    return Object.keys(where).every((name) => Object.hasOwn(row, name) && !isTime(name))
  }
}

function isBackward({ from }: PageStart): boolean {
  return from?.direction === 'prev'
}

/** Inserts a row into sorted rows. */
function insertSorted(rows: Row[], row: Row, order: PageStart['order']): void {
  const values = sortValuesOf(row, order)
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareSortValues(sortValuesOf(rows[middle] as Row, order), values, order) < 0) low = middle + 1
    else high = middle
  }
  rows.splice(low, 0, row)
}

/** The data of a single row. */
export class RowView implements LiveView {
  readonly items = null
  readonly text: string
  readonly tag: string
  readonly size: number
  readonly #plan: RowPlan

  constructor(plan: RowPlan, text: string, tag: string = toHash(text)) {
    this.text = text
    this.size = text.length
    this.tag = tag
    this.#plan = plan
  }

  isAffected({ store, rows }: RowChanges): boolean {
    const { store: own, id, isPlain } = this.#plan
    return rows === null || store !== own || !isPlain || rows.has(id)
  }

  slim(): LiveView {
    return new RowView(this.#plan, '', this.tag)
  }
}

/** Creates a function that serializes rows to items, each row once. */
export function createItemCache(serialize: (row: Row) => string): ListPlan['toItem'] {
  const items = new WeakMap<Row, LiveItem>()
  return (row) => {
    let item = items.get(row)
    if (item === undefined) {
      const text = serialize(row)
      items.set(row, (item = { id: row.id, text, hash: toHashNumber(text) }))
    }
    return item
  }
}
