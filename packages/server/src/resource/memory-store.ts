import { ApiError } from '@sdk/protocol'
import { rowComparator, compareSortValues, matchesQuery, matchesWhere, sortValuesOf } from './sort-order.ts'
import { cutRows } from './row-bytes.ts'
import type { Fields, ResourceShape, Row, Store, Target } from '../define/store.ts'

/**
 * Rows in this process, for tests: gone when it ends. Rows that stay are in a `table` of `@sdk/database`.
 * @example createResource('tasks', { schema, store: memoryStore(), access: 'public' })
 */
export function memoryStore(): (shape: ResourceShape) => Store {
  return createMemoryStore
}

function createMemoryStore({ unique, fields }: ResourceShape): Store {
  const rows = new Map<number, Row>()
  let lastId = 0

  function find({ id, where, version }: Target): Row | null {
    const row = rows.get(id)
    if (row === undefined || !matchesWhere(row, where)) return null
    return version === undefined || row.version === version ? row : null
  }

  function assertUnique(values: Fields, id: number | null): void {
    for (const group of unique) {
      if (group.some((field) => (values[field] ?? null) === null)) continue
      const isSame = (row: Row): boolean => row.id !== id && group.every((field) => row[field] === values[field])
      if (Array.from(rows.values()).some(isSame))
        throw taken(fields.map(({ name }) => name).filter((name) => group.includes(name)))
    }
  }

  return {
    async list(query) {
      const { sort, after, limit, isCounted, maxBytes = Number.POSITIVE_INFINITY } = query
      const fitting = Array.from(rows.values()).filter((row) => matchesQuery(row, query))
      const isAfter = (row: Row): boolean =>
        after === null || compareSortValues(sortValuesOf(row, sort), after, sort) > 0
      const sorted = fitting.filter(isAfter).toSorted(rowComparator(sort)).slice(0, limit)
      // Cut first: rows that are left out are not copied.
      const { rows: page, isCut } = cutRows({ rows: sorted }, limit, maxBytes)
      return { rows: structuredClone(page), isCut: isCut === true, ...(isCounted && { total: fitting.length }) }
    },
    async get(target) {
      return structuredClone(find(target))
    },
    async create(values) {
      assertUnique(values, null)
      const now = new Date().toISOString()
      const row = { ...structuredClone(values), id: ++lastId, createdAt: now, updatedAt: now, version: 1 }
      rows.set(row.id, row)
      return structuredClone(row)
    },
    async replace(target, values) {
      const before = find(target)
      if (before === null) return null
      assertUnique({ ...before, ...values }, before.id)
      // A little after the last change at least: no two changes have one time.
      const updatedAt = new Date(Math.max(Date.now(), Date.parse(before.updatedAt) + 1)).toISOString()
      const row = { ...before, ...structuredClone(values), updatedAt, version: Number(before.version) + 1 }
      rows.set(row.id, row)
      return structuredClone(row)
    },
    async delete(target) {
      const row = find(target)
      if (row !== null) rows.delete(row.id)
      return row
    },
  }
}

/** Names the fields that callers know; those that only `assign` sets are not named. */
function taken(fields: readonly string[]): ApiError {
  const fault = { code: 'NOT_UNIQUE', message: 'is taken', source: 'body' } as const
  const details = fields.length === 0 ? [fault] : fields.map((field) => ({ ...fault, pointer: `/${field}` }))
  const message = fields.length === 0 ? 'there is one like it already' : `${fields.join(' with ')} ${fault.message}`
  return new ApiError('CONFLICT', message, { details })
}
