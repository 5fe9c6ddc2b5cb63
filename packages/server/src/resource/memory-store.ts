import { ApiError } from '@sdk/protocol'
import { rowComparator, compareSortValues, matchesQuery, matchesWhere, sortValuesOf } from './sort-order.ts'
import {
  assertParents,
  deleteWithChildren,
  registerMemoryTable,
  setReferences,
  type MemoryTable,
} from './memory-references.ts'
import { cutRows } from './row-bytes.ts'
import type { Fields, ResourceShape, Row, Store, Target } from '../define/store.ts'

/**
 * Creates an in-memory store for tests. Its rows are lost when the process exits; use `table` from `@sdk/database` to
 * persist them.
 * @example createResource('tasks', { schema, store: memoryStore(), access: 'public' })
 */
export function memoryStore(): (shape: ResourceShape) => Store {
  return createMemoryStore
}

function createMemoryStore({ unique, fields }: ResourceShape): Store {
  const rows = new Map<number, Row>()
  const { announce, watch } = createChangeFeed()
  const table: MemoryTable = { rows, parents: [], children: new Map(), announce }
  let lastId = 0

  function put(row: Row): Row {
    rows.set(row.id, row)
    announce([row.id])
    return structuredClone(row)
  }

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

  return registerMemoryTable(
    {
      async list(query) {
        const { sort, after, limit, isCounted, maxBytes = Number.POSITIVE_INFINITY } = query
        const fitting = Array.from(rows.values()).filter((row) => matchesQuery(row, query))
        const isAfter = (row: Row): boolean =>
          after === null || compareSortValues(sortValuesOf(row, sort), after, sort) > 0
        const sorted = fitting.filter(isAfter).toSorted(rowComparator(sort)).slice(0, limit)
        // Truncate before cloning, to avoid cloning rows that are left out.
        const { rows: page, isCut } = cutRows({ rows: sorted }, limit, maxBytes)
        return { rows: structuredClone(page), isCut: isCut === true, ...(isCounted && { total: fitting.length }) }
      },
      get: async (target) => structuredClone(find(target)),
      async create(values) {
        assertUnique(values, null)
        assertParents(table, values)
        const now = new Date().toISOString()
        return put({ ...structuredClone(values), id: ++lastId, createdAt: now, updatedAt: now, version: 1 })
      },
      async replace(target, values) {
        const before = find(target)
        if (before === null) return null
        assertUnique({ ...before, ...values }, before.id)
        assertParents(table, values)
        // At least 1 ms after the last change, so that each change has a distinct time.
        const updatedAt = new Date(Math.max(Date.now(), Date.parse(before.updatedAt) + 1)).toISOString()
        return put({ ...before, ...structuredClone(values), updatedAt, version: Number(before.version) + 1 })
      },
      async delete(target) {
        const row = find(target)
        if (row !== null) deleteWithChildren(table, row.id)
        return row
      },
      addReferences: (references) => setReferences(table, references),
      watch,
    },
    table,
  )
}

/** Creates the functions that announce changed rows. The rows exist only in this process, and so do the changes. */
function createChangeFeed(): Pick<MemoryTable, 'announce'> & Required<Pick<Store, 'watch'>> {
  const watchers = new Set<MemoryTable['announce']>()
  return {
    announce(ids) {
      for (const onChange of watchers) onChange(ids)
    },
    watch(onChange) {
      // The wrapper allows a function to be added twice.
      const own = (ids: readonly number[]): void => onChange(ids)
      watchers.add(own)
      return () => watchers.delete(own)
    },
  }
}

/** Creates the error for duplicate values. It lists only fields in the schema, not fields set by `assign`. */
function taken(fields: readonly string[]): ApiError {
  const fault = { code: 'NOT_UNIQUE', message: 'is taken', source: 'body' } as const
  const details = fields.length === 0 ? [fault] : fields.map((field) => ({ ...fault, pointer: `/${field}` }))
  const subject = `${fields.length === 1 ? '' : 'the combination of '}${fields.join(' and ')}`
  const message = fields.length === 0 ? 'another row has the same values' : `${subject} ${fault.message}`
  return new ApiError('CONFLICT', message, { details })
}
